"""One row in a hundred: balanced accuracy with class_weight="balanced", against SVC(class_weight="balanced").

Of two classes (of more: the most frequent, and all others) so many rows of the smaller are left out that one row in
a hundred remains. Nothing was chosen on these figures.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import balanced_accuracy_score
from sklearn.svm import SVC

from benchmarks.confident import classifiers
from benchmarks.data import AbsentError, Split, standardised
from benchmarks.report import Options, Report
from onkel.datasets import available

TITLE = "Rare classes: balanced accuracy under 1:100 with class_weight='balanced', against SVC's"
SETS = ("a9a", "cod-rna", "covtype", "ijcnn1", "mnist", "skin", "weather")
MOST_ROWS = 10_000
ONE_IN = 100


def run(report: Report, options: Options) -> None:
    names = [name for name in options.sets or SETS if name in available()]
    if not names:
        raise AbsentError("no classification set is present (ONKEL_DATA names their folder)")
    rows = min(MOST_ROWS, options.rows or MOST_ROWS)
    points: dict[str, list[float]] = {learner: [] for learner in classifiers()}
    report.say("% balanced accuracy of SVC; points above it")
    for name in names:
        split = made_rare(standardised(name, 4 * rows, 4 * rows), rows)
        theirs = judged(SVC(class_weight="balanced"), split)
        text = f"{name:<12}{len(split.y):>7}{100 * theirs:>8.2f}"
        for learner, model in classifiers(class_weight="balanced").items():
            points[learner].append(100 * (judged(model, split) - theirs))
            text += f"  {learner} {points[learner][-1]:+.2f}"
        report.say(text)
    for learner, found in points.items():
        report.bar(f"{learner}: points above SVC, mean", float(np.mean(found)), at_least=-2.0)
        report.say(f"{learner}: worst {min(found):+.2f}")


def judged(model: Any, split: Split) -> float:
    answers = model.fit(split.X, split.y).predict(split.X_test)
    return float(balanced_accuracy_score(split.y_test, answers))


def made_rare(split: Split, rows: int) -> Split:
    """The same rows with two classes, one of which is rare; of the test rows all are kept."""
    labels, counts = np.unique(split.y, return_counts=True)
    y, y_test = (values == labels[counts.argmax()] for values in (split.y, split.y_test))
    frequent, rare = np.flatnonzero(y)[:rows], np.flatnonzero(~y)[: max(5, rows // ONE_IN)]
    rare = rare[: max(5, len(frequent) // (ONE_IN - 1))]
    kept = np.random.default_rng(0).permutation(np.r_[frequent, rare])
    return Split(split.X[kept], y[kept].astype(int), split.X_test, y_test.astype(int))
