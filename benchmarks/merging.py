"""Merging: what the better maintenance costs beside plain removal."""

from __future__ import annotations

from functools import partial

from benchmarks.data import a9a
from benchmarks.report import Options, Report
from benchmarks.timing import best_times
from benchmarks.walk import learner

TITLE = "BSGD-merging against BSGD-removal, B = 100, a9a dense float32"
BUDGET = 100


def run(report: Report, options: Options) -> None:
    X, y = a9a(options.rows)
    models = {kind: learner(budget=BUDGET, maintenance=kind) for kind in ("removal", "merging")}
    jobs = {kind: partial(model.fit, X, y) for kind, model in models.items()}
    best = best_times(jobs, options)
    for kind, seconds in best.items():
        rate = 100 * models[kind].progress_.mistake_rate
        report.time(kind, seconds, len(y), len(y) * BUDGET, f"{rate:.2f} % mistakes")
    report.bar("merging / removal", best["merging"] / best["removal"], at_most=6)
