"""Probabilities, learned on the way in one pass, against five models calibrated by cross-validation.

``CalibratedClassifierCV(cv=5)`` of the same learner fits it five times, calibrates each on what it has not seen, and
averages. How quickly the calibrator forgets, and in which unit it takes scores, was chosen on the sets marked *.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV

from benchmarks.confident import calibration_error, classifiers, log_loss
from benchmarks.data import AbsentError, standardised
from benchmarks.report import Options, Report
from benchmarks.timing import best_times
from onkel.datasets import available

TITLE = (
    "Probabilities: log loss and calibration error, one pass, against CalibratedClassifierCV(cv=5)"
)
CHOSEN_ON = ("german", "a9a", "cod-rna", "covtype", "letter", "satimage")
JUDGED_ON = (
    "ijcnn1",
    "pendigits",
    "segment",
    "spambase",
    "phishing",
    "dna",
    "mnist",
    "skin",
    "weather",
)
MOST_ROWS = 5000
TIMED = {"a9a": "two classes", "letter": "26 classes"}


class Figures(NamedTuple):
    """Log loss and calibration error of ours and of theirs."""

    loss: float
    error: float
    their_loss: float
    their_error: float

    @property
    def ratio(self) -> float:
        return self.loss / self.their_loss


def run(report: Report, options: Options) -> None:
    wanted = options.sets or CHOSEN_ON + JUDGED_ON
    names = [name for name in wanted if name in available()]
    if not names:
        raise AbsentError("no classification set is present (ONKEL_DATA names their folder)")
    rows = min(MOST_ROWS, options.rows or MOST_ROWS)
    table: dict[str, dict[str, Figures]] = {learner: {} for learner in classifiers()}
    report.say("log loss ours/theirs ratio, calibration error ours/theirs")
    for name in names:
        split = standardised(name, rows, rows)
        for learner, model in classifiers().items():
            figures = measured(model, split)
            table[learner][name] = figures
            mark = "*" if name in CHOSEN_ON else " "
            report.say(
                f"{name + mark:<12}{learner:<14}{figures.loss:8.4f} /{figures.their_loss:7.4f}"
                f"{figures.ratio:7.3f}{figures.error:9.4f} /{figures.their_error:7.4f}"
            )
    for learner, found in table.items():
        judge(report, learner, found)
    cost(report, options)


def measured(model: Any, split: Any) -> Figures:
    codes = np.searchsorted(np.unique(split.y), split.y_test)
    theirs = CalibratedClassifierCV(clone(model), cv=5).fit(split.X, split.y)
    p, their_p = (
        model.fit(split.X, split.y).predict_proba(split.X_test),
        theirs.predict_proba(split.X_test),
    )
    return Figures(
        log_loss(p, codes),
        calibration_error(p, codes),
        log_loss(their_p, codes),
        calibration_error(their_p, codes),
    )


def judge(report: Report, learner: str, found: Mapping[str, Figures]) -> None:
    ratios = {name: figures.ratio for name, figures in found.items()}
    worst = max(ratios, key=lambda name: ratios[name])
    error = float(np.mean([figures.error for figures in found.values()]))
    report.bar(
        f"{learner}: log loss / theirs, mean", float(np.mean(list(ratios.values()))), at_most=1.05
    )
    unseen = [ratio for name, ratio in ratios.items() if name not in CHOSEN_ON]
    if unseen:
        report.say(f"{learner}: the same on sets not used for choices: {np.mean(unseen):.3f}")
    report.bar(f"{learner}: log loss / theirs, worst ({worst})", ratios[worst], at_most=1.2)
    report.bar(f"{learner}: 100 x calibration error, mean", 100 * error, at_most=3.0)


def cost(report: Report, options: Options) -> None:
    """Time to learn with probabilities and without, in one run."""
    for name, kind in TIMED.items():
        if name not in available():
            continue
        split = standardised(name, min(10_000, options.rows or 10_000), 1)
        on, off = classifiers(), classifiers(probabilities=False)
        jobs: dict[str, Any] = {}
        for learner in on:
            jobs[f"{learner} on"] = partial(on[learner].fit, split.X, split.y)
            jobs[f"{learner} off"] = partial(off[learner].fit, split.X, split.y)
        best = best_times(jobs, options)
        for learner in on:
            ratio = best[f"{learner} on"] / best[f"{learner} off"]
            report.bar(f"{learner}: time with probabilities / without, {kind}", ratio, at_most=1.05)
