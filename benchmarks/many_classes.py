"""Many classes: what a row costs with 1,000 of them and with 10, and accuracy beside the nearest neighbour's.

Each class is a cluster in 20 dimensions, far enough from the others that the nearest neighbour knows nearly all.
A row moves two outputs: its time shall grow less than in proportion to the classes, which FOGD's and NOGD's matrix
products do, and the number of vectors of BSGD.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

import onkel
from benchmarks.data import SEED, Split
from benchmarks.report import Options, Report
from benchmarks.timing import best_times

TITLE = "Many classes: clusters in 20 dimensions, one pass"
ROWS, TEST_ROWS = 20_000, 4_000
FEW, SOME, MANY = 10, 100, 1000
FEATURES, WIDTH = 20, 0.3


def learners() -> dict[str, Any]:
    return {
        "AVM": onkel.AVMClassifier(random_state=0),
        "FOGD": onkel.FOGDClassifier(random_state=0),
        "NOGD": onkel.NOGDClassifier(random_state=0),
        "BSGD": onkel.BSGDClassifier(random_state=0),
    }


def clusters(classes: int, rows: int) -> Split:
    """As many rows of each class as can be, in random order."""
    random = np.random.default_rng(SEED)
    centres = random.normal(size=(classes, FEATURES))
    y = random.permutation(np.arange(rows + TEST_ROWS) % classes)
    X = centres[y] + WIDTH * random.normal(size=(len(y), FEATURES))
    return Split(X[:rows], y[:rows], X[rows:], y[rows:])


def run(report: Report, options: Options) -> None:
    rows = max(2 * FEW, min(ROWS, options.rows or ROWS))
    seconds: dict[int, dict[str, float]] = {}
    for classes in (FEW, SOME, MANY):
        split = clusters(classes, rows)
        nearest = KNeighborsClassifier(1).fit(split.X, split.y).score(split.X_test, split.y_test)
        report.say(f"{classes} classes: nearest neighbour {100 * nearest:.2f} %")
        models = learners()
        jobs = {name: partial(model.fit, split.X, split.y) for name, model in models.items()}
        seconds[classes] = best_times(jobs, options)
        for name, model in models.items():
            accuracy = 100 * model.score(split.X_test, split.y_test)
            report.time(f"  {name}", seconds[classes][name], rows, note=f"{accuracy:6.2f} %")
    for name in learners():
        ratio = seconds[MANY][name] / seconds[FEW][name]
        report.bar(f"{name}: time of a row, {MANY} classes / {FEW}", ratio, at_most=MANY / FEW)
