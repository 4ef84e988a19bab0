"""One row at a time: what partial_fit of a single row costs around the learning itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import SGDClassifier

import onkel
from benchmarks.data import a9a
from benchmarks.report import Options, Report
from benchmarks.timing import best_times

TITLE = "partial_fit of single dense rows, B = 100, against RBFSampler (100) + SGDClassifier"
GAMMA = 1 / 128
BUDGET = 100
ROWS = 1000


def run(report: Report, options: Options) -> None:
    for dtype in (np.float32, np.float64):
        X, y = a9a(options.rows, dtype=dtype)
        kind = np.dtype(dtype).name
        rows = [(X[i : i + 1], y[i : i + 1]) for i in range(min(ROWS, len(y)))]
        best = best_times(learners(X, y, rows), options)
        for what, seconds in best.items():
            report.time(f"{what}, {kind}", seconds, len(rows))
        share = best["BSGD-removal"] / best["RBFSampler + SGDClassifier"]
        report.bar(f"BSGD-removal / scikit-learn, {kind}", share, at_most=0.2)


def learners(X: np.ndarray, y: np.ndarray, rows: list[Any]) -> dict[str, Any]:
    """Two learners that have seen all rows, and are then given some of them singly."""
    classes = np.unique(y)
    ours = onkel.BSGDClassifier(
        budget=BUDGET, maintenance="removal", gamma=GAMMA, random_state=0
    ).partial_fit(X, y, classes=classes)
    sampler = RBFSampler(gamma=GAMMA, n_components=BUDGET, random_state=0).fit(X)
    theirs = SGDClassifier(random_state=0).partial_fit(sampler.transform(X), y, classes=classes)

    def learn_singly() -> None:
        for x, label in rows:
            ours.partial_fit(x, label)

    def transform_and_learn_singly() -> None:
        for x, label in rows:
            theirs.partial_fit(sampler.transform(x), label)

    return {
        "BSGD-removal": learn_singly,
        "RBFSampler + SGDClassifier": transform_and_learn_singly,
    }
