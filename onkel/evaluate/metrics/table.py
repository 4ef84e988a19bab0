"""All metrics by name: what they are for, what they need, which are shown unless others are asked for."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from onkel.evaluate.metrics.accumulator import Accumulator
from onkel.evaluate.metrics.intervals import Coverage, Width
from onkel.evaluate.metrics.labels import F1, Accuracy, BalancedAccuracy
from onkel.evaluate.metrics.probabilities import CalibrationError, LogLoss
from onkel.evaluate.metrics.ranking import RocAuc
from onkel.evaluate.metrics.values import R2, MeanAbsoluteError, RootMeanSquaredError

CLASSIFICATION, REGRESSION = "classification", "regression"
#: The share of targets that intervals are asked to hold.
INTERVAL = 0.9


class Metric(NamedTuple):
    """A metric, and how it is used."""

    title: str  # for people
    task: str
    needs: str  # field of Answers
    kind: type[Accumulator]
    better: int = 1  # 1: the higher, -1: the lower, 0: neither (a narrow interval may miss all)
    in_target_unit: bool = False
    usual: bool = True  # shown unless others are asked for


METRICS: dict[str, Metric] = {
    "accuracy": Metric("accuracy", CLASSIFICATION, "guess", Accuracy),
    "balanced_accuracy": Metric("balanced accuracy", CLASSIFICATION, "guess", BalancedAccuracy),
    "f1": Metric("F1", CLASSIFICATION, "guess", F1),
    "roc_auc": Metric("ROC AUC", CLASSIFICATION, "scores", RocAuc),
    "log_loss": Metric("log loss", CLASSIFICATION, "probabilities", LogLoss, -1),
    "calibration_error": Metric(
        "calibration error",
        CLASSIFICATION,
        "probabilities",
        CalibrationError,
        -1,
        usual=False,
    ),
    "mae": Metric("mean absolute error", REGRESSION, "guess", MeanAbsoluteError, -1, True),
    "rmse": Metric("root mean squared error", REGRESSION, "guess", RootMeanSquaredError, -1, True),
    "r2": Metric("R²", REGRESSION, "guess", R2),
    "coverage": Metric(
        f"coverage of {INTERVAL:.0%} intervals", REGRESSION, "interval", Coverage, 0
    ),
    "width": Metric(f"width of {INTERVAL:.0%} intervals", REGRESSION, "interval", Width, 0, True),
}


def chosen_metrics(names: Sequence[str] | None, task: str) -> dict[str, Metric]:
    """The metrics of these names for a task; None for the usual ones.

    >>> list(chosen_metrics(None, "regression"))
    ['mae', 'rmse', 'r2', 'coverage', 'width']
    >>> chosen_metrics(["acuracy"], "classification")
    Traceback (most recent call last):
    ValueError: metrics: no 'acuracy' for classification: did you mean accuracy? There are accuracy, ...
    """
    known = {name: metric for name, metric in METRICS.items() if metric.task == task}
    if names is None:
        return {name: metric for name, metric in known.items() if metric.usual}
    check_names(names, known, f" for {task}")
    return {name: known[name] for name in dict.fromkeys(names)}


def check_names(names: Sequence[str], known: Iterable[str] = METRICS, whose: str = "") -> None:
    """A clear error about names that no metric has."""
    if isinstance(names, str):
        raise TypeError(f"metrics={names!r} must be a list of names, as [{names!r}]")
    there = list(known)
    for name in names:
        if name not in there:
            near = difflib.get_close_matches(name, there, n=1)
            hint = f": did you mean {near[0]}? There" if near else ". There"
            raise ValueError(f"metrics: no {name!r}{whose}{hint} are {', '.join(there)}")


def better_of(name: str) -> int:
    """1 where higher is better, -1 where lower is; 0 of what has no better. Of a window's, too."""
    metric = METRICS.get(name.removeprefix("window_"))
    return -1 if metric is None else metric.better
