"""Prediction intervals: the share of targets that they hold, before each row is learned.

Regression sets with targets in their own unit, rows in random order, one pass; and generated streams that drift,
whose labels are taken for numbers. The steps of the tracker were chosen on the sets marked *.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from benchmarks.confident import regressors
from benchmarks.data import AbsentError
from benchmarks.report import Options, Report
from onkel.calibration import ResidualQuantiles
from onkel.calibration.quantiles import LEVELS
from onkel.datasets import available, drifting_clusters, load, rotating_hyperplane, sea

TITLE = "Prediction intervals: coverage before each row is learned, in points off what was asked"
CHOSEN_ON = (
    "abalone",
    "cadata",
    "casp",
    "cpusmall",
    "housing",
    "mg",
    "space_ga",
    "kin40k",
    "parkinsons",
)
JUDGED_ON = ("ailerons", "house8L", "keggundirected", "nycflights", "flights3m")
DRIFTING: dict[str, Callable[..., Any]] = {
    "drifting_clusters": drifting_clusters,
    "rotating_hyperplane": rotating_hyperplane,
    "sea": sea,
}
MOST_ROWS = 10_000
TEST_SHARE = 0.3


def run(report: Report, options: Options) -> None:
    wanted = options.sets or CHOSEN_ON + JUDGED_ON
    names = [name for name in wanted if name in available()]
    if not names:
        raise AbsentError("no regression set is present (ONKEL_DATA names their folder)")
    rows = min(MOST_ROWS, options.rows or MOST_ROWS)
    report.say("points above or below " + ", ".join(f"{100 * level:g} %" for level in LEVELS))
    report.say("of rows before they are learned, and of rows held out (fewer rows: more by chance)")
    worst: dict[str, tuple[float, str]] = dict.fromkeys(regressors(), (0.0, ""))
    for name in [*names, *DRIFTING]:
        X, y = rows_of(name, rows)
        for learner, model in regressors().items():
            on_the_way, held_out = coverage(model, X, y, name in DRIFTING)
            mark = "*" if name in CHOSEN_ON else " "
            report.say(f"{name + mark:<20}{learner:<14}{points(on_the_way)}   {points(held_out)}")
            off = float(np.abs(on_the_way).max())
            worst[learner] = max(worst[learner], (off, name))
    for learner, (off, name) in worst.items():
        report.bar(f"{learner}: farthest off, in points ({name})", off, at_most=1.5)


def points(differences: np.ndarray) -> str:
    return " ".join(f"{difference:+6.2f}" for difference in differences)


def rows_of(name: str, rows: int) -> tuple[Any, np.ndarray]:
    if name in DRIFTING:
        X, y = DRIFTING[name](rows, random_state=0)
        return X, y.astype(float)
    X, y = load(name)
    order = np.random.default_rng(0).permutation(len(y))[: int(rows / (1 - TEST_SHARE))]
    return X[order].toarray(), y[order]


class Watched(ResidualQuantiles):
    """Writes down, level by level, whether the interval before each row held its target."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.hits: list[list[bool]] = []

    def observe(self, scores: np.ndarray, targets: np.ndarray, weights: np.ndarray) -> np.ndarray:
        said = np.empty_like(scores)
        for i in range(len(targets)):
            widths = [self.quantile(level) for level in LEVELS]
            row = slice(i, i + 1)
            said[row] = super().observe(scores[row], targets[row], weights[row])
            self.hits.append([abs(said[i, 0] - targets[i]) <= width for width in widths])
        return said


def coverage(
    model: Any, X: np.ndarray, y: np.ndarray, drifts: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Points off what was asked, level by level: before rows are learned, and of rows held out."""
    cut = len(y) if drifts else int((1 - TEST_SHARE) * len(y))
    X = StandardScaler().fit(X[:cut]).transform(X)
    with mock.patch("onkel.estimators.regressor.ResidualQuantiles", Watched):
        model = clone(model).partial_fit(X[:cut], y[:cut])
        hits = model._fitted().observer.hits[1:]  # before the first row nothing is known
    on_the_way = np.mean(hits, axis=0)
    later = np.full(len(LEVELS), np.nan) if drifts else held(model, X[cut:], y[cut:]).mean(axis=0)
    return 100 * (on_the_way - LEVELS), 100 * (later - LEVELS)


def held(model: Any, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Which targets the intervals hold (rows x levels)."""
    ends = np.stack([model.predict_interval(X, level) for level in LEVELS], axis=1)
    return (ends[:, :, 0] <= y[:, None]) & (y[:, None] <= ends[:, :, 1])
