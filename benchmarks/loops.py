"""What takes longest for a row, LLSVM with 1,000 landmarks and single rows of NOGD; and short ones: 100 vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

import onkel
from benchmarks.data import a9a
from benchmarks.report import Options, Report
from benchmarks.timing import best_times
from onkel.compiled.threads import one_blas_thread

TITLE = "slow and quick rows (a9a): LLSVM, B = 1000; NOGD row by row, B = 1000; BSGD, B = 100"
GAMMA = 1 / 128
SINGLE_ROWS = 500
#: As the papers have it: no bound on the first steps, the last iterate, and nothing beside the kernel expansion.
PAPERS: dict[str, Any] = {
    "first_step": None, "average": 0, "intercept": False, "probabilities": False,
}  # fmt: skip
#: Microseconds for a row with 100 vectors: a tenth of what the papers' C++ program takes.
QUICK_ROW = 0.9


def run(report: Report, options: Options) -> None:
    X, y = a9a(options.rows)
    batch = onkel.LLSVMClassifier(budget=1000, gamma=GAMMA, random_state=0)
    settings = {"budget": 100, "maintenance": "removal", "gamma": GAMMA, "random_state": 0}
    small = onkel.BSGDClassifier(**settings, probabilities=False)
    papers = onkel.BSGDClassifier(**settings, **PAPERS)
    landmarks = onkel.NOGDClassifier(budget=1000, gamma=GAMMA, random_state=0)
    landmarks.partial_fit(X, y, classes=np.unique(y))
    rows = [(X[i : i + 1], y[i : i + 1]) for i in range(min(SINGLE_ROWS, len(y)))]
    jobs = {
        "LLSVM, B = 1000": lambda: batch.fit(X, y),
        "BSGD-removal, B = 100": lambda: small.fit(X, y),
        "BSGD-removal, B = 100, as in the papers": lambda: papers.fit(X, y),
        "NOGD, B = 1000: learns a single row": lambda: learn_singly(landmarks, rows),
        "NOGD, B = 1000: predicts a single row": lambda: predict_singly(landmarks, rows),
    }
    with one_blas_thread(len(y)):
        best = best_times(jobs, options)
    for what, seconds in best.items():
        report.time(what, seconds, len(rows) if "single" in what else len(y))
    report.bar("LLSVM, B = 1000: seconds", best["LLSVM, B = 1000"], at_most=2.0)
    each = best["BSGD-removal, B = 100, as in the papers"] / len(y)
    report.bar("BSGD as in the papers: microseconds a row", 1e6 * each, at_most=QUICK_ROW)
    for what in ("learns", "predicts"):
        each = best[f"NOGD, B = 1000: {what} a single row"] / len(rows)
        report.bar(f"NOGD {what} a single row: microseconds", 1e6 * each, at_most=150.0)


def learn_singly(model: Any, rows: list[Any]) -> None:
    for x, label in rows:
        model.partial_fit(x, label)


def predict_singly(model: Any, rows: list[Any]) -> None:
    for x, _ in rows:
        model.predict(x)
