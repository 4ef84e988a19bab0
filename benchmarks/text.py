"""Hashed text: accuracy on 20 topics in 2^18 columns, in points above a linear model's.

Word counts of length 1 are all far apart, and what tells topics apart is a small part of each row: a
linear model does best, and kernels of exact rows come near.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from sklearn.linear_model import SGDClassifier

import onkel
from benchmarks.guidance import hashed_text
from benchmarks.report import Options, Report
from benchmarks.timing import seconds_of

TITLE = "Hashed text: 20 topics in 2^18 columns, one pass, against a linear SGDClassifier"
ROWS, TEST_ROWS = 8_000, 2_000
TOPICS, BOOST = 20, 10.0


def learners() -> dict[str, tuple[Any, float]]:
    """Learners, and how many points they may be below the linear model."""
    return {
        "BSGD": (onkel.BSGDClassifier(random_state=0), 3.0),
        "AVM": (onkel.AVMClassifier(random_state=0), 3.0),
        "NOGD": (onkel.NOGDClassifier(random_state=0), 4.0),
        "FOGD": (onkel.FOGDClassifier(random_state=0), 5.0),
        "FOGD, 4000 components": (onkel.FOGDClassifier(n_components=4000, random_state=0), 3.0),
    }


def run(report: Report, options: Options) -> None:
    rows = min(ROWS, options.rows or ROWS)
    X, y = hashed_text(rows + TEST_ROWS, TOPICS, BOOST)
    linear = SGDClassifier(random_state=0)
    seconds = seconds_of(partial(linear.fit, X[:rows], y[:rows]), time.process_time)
    theirs = 100 * linear.score(X[rows:], y[rows:])
    report.time(f"linear: {theirs:.2f} %", seconds, rows)
    for name, (model, allowed) in learners().items():
        model.fit(X[:1100], y[:1100])  # compiles
        seconds = seconds_of(partial(model.fit, X[:rows], y[:rows]), time.process_time)
        ours = 100 * model.score(X[rows:], y[rows:])
        report.time(f"{name}: {ours:.2f} %", seconds, rows)
        report.bar(f"{name}: points above the linear model", ours - theirs, at_least=-allowed)
