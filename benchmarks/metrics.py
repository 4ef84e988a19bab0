"""What metrics cost an online evaluation, as a share of the same one without them."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

import onkel
from benchmarks.data import a9a
from benchmarks.report import Options, Report
from benchmarks.timing import best_times
from onkel.evaluate import prequential

TITLE = "the usual metrics, over all rows and a window, beside none; a9a, FOGD and BSGD-merging"


def run(report: Report, options: Options) -> None:
    X, y = a9a(options.rows)
    for learner in (
        onkel.FOGDClassifier(gamma=1 / 128, random_state=0),
        onkel.BSGDClassifier(gamma=1 / 128, random_state=0),
    ):
        name = type(learner).__name__
        best = best_times(evaluations(learner, X, y), options)
        for what, seconds in best.items():
            report.time(f"{name}, {what}", seconds, len(y))
        report.bar(f"{name}: with metrics / without", best["metrics"] / best["none"], at_most=1.15)


def evaluations(learner: Any, X: Any, y: Any) -> dict[str, Any]:
    """The same pass with and without metrics."""

    def evaluate(metrics: list[str] | None) -> Any:
        return lambda: prequential(clone(learner), (X, y), metrics=metrics)

    return {"none": evaluate([]), "metrics": evaluate(None)}
