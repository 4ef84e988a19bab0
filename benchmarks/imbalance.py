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
#: SVC goes over its rows until nothing changes; a hundred rows of a class are few for a single pass.
PASSES = {"one pass": 1, "five passes": 5}


def run(report: Report, options: Options) -> None:
    names = [name for name in options.sets or SETS if name in available()]
    if not names:
        raise AbsentError("no classification set is present (ONKEL_DATA names their folder)")
    rows = min(MOST_ROWS, options.rows or MOST_ROWS)
    points: dict[str, list[float]] = {
        f"{n}, {passes}": [] for passes in PASSES for n in classifiers()
    }
    report.say("% balanced accuracy of SVC; points above it after one pass, and after five")
    for name in names:
        split = made_rare(standardised(name, 4 * rows, 4 * rows), rows)
        theirs = judged(SVC(class_weight="balanced"), split)
        report.say(f"{name:<12}{len(split.y):>7}{100 * theirs:>8.2f}")
        for passes, epochs in PASSES.items():
            told = f"  {passes:<12}"
            for learner, model in classifiers(class_weight="balanced", epochs=epochs).items():
                above = 100 * (judged(model, split) - theirs)
                points[f"{learner}, {passes}"].append(above)
                told += f"  {learner} {above:+.2f}"
            report.say(told)
    for case, found in points.items():
        report.bar(f"{case}: points above SVC, mean", float(np.mean(found)), at_least=-2.0)
        worst = names[int(np.argmin(found))]
        report.bar(f"{case}: points above SVC, worst ({worst})", min(found), at_least=-2.0)


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
