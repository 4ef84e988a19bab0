"""Sparse pays: the same rows as CSR and dense."""

from __future__ import annotations

from benchmarks.data import a9a
from benchmarks.report import Options, Report
from benchmarks.timing import best_times, by_products
from benchmarks.walk import BUDGET, learner

TITLE = "CSR against dense (BSGD-removal, B = 1000, a9a float32)"


def run(report: Report, options: Options) -> None:
    dense, y = a9a(options.rows)
    csr, _ = a9a(options.rows, dense=False)
    jobs = {
        "dense, by matrix products": by_products(lambda: learner().fit(dense, y)),
        "dense, which is found to be mostly zeros": lambda: learner().fit(dense, y),
        "CSR": lambda: learner().fit(csr, y),
    }
    best = best_times(jobs, options)
    for what, seconds in best.items():
        report.time(what, seconds, len(y), len(y) * BUDGET)
    ratio = best["dense, by matrix products"] / best["CSR"]
    report.bar("dense by matrix products / CSR", ratio, at_least=1.5)
