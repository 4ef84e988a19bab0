"""What one run of one learner gave: its figures and its curve."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from onkel.tables import learner_in


@dataclass
class Run:
    """One learner over one stream, or trained and tested once.

    Parameters
    ----------
    learner : str
        The name of its class.
    params : dict
        Its parameters.
    metrics : dict, default={}
        As far as they apply: mistake_rate (a fraction), accuracy, loss (mean, in the
        learner's own loss), squared_error, rmse, size, seconds (learning), cpu_seconds (the same, as
        the processor's time of the learning thread, which a busy machine doesn't prolong), test_seconds
        (predicting), reading_seconds (waiting for data), start_up_seconds (making or loading machine
        code beforehand), seen (rows learned); and every metric asked for (`onkel.evaluate.metrics.METRICS`),
        over all rows under its name and over the last rows under ``window_`` and its name. A row that a learner
        scores alike for all classes counts as a mistake. An area under the ROC curve that is not exact any more
        comes with roc_auc_error_bound.
    curve : dict, default={}
        Lists of equal length: seen, rate (of mistakes, or the mean squared error of a
        regressor, over everything so far), window_rate (over the last rows), size, seconds and, where the
        learner tells it, loss (its mean so far).
    course : dict, default={}
        Lists of equal length: seen, and the metrics by their names above; at fewer places than the curve
        (an area under the ROC curve over all rows is nan at most of these: it takes a while to work out).
    diagrams : dict, default={}
        Under "roc" the hits at shares of false_alarms (of more than two classes their mean) and, where
        there are probabilities, under "reliability" what was said, what happened, and rows.
    drifts : list of dict, default=[]
        Of a learner that watches for drift, what it noticed: the fields of `onkel.drift.Drift`.
    race : dict, default={}
        Of a race what its candidates did, in plain lists: under "results" and "curves" what its `results_` and
        `curves_` tell.
    """

    learner: str
    params: dict[str, Any]
    metrics: dict[str, float] = field(default_factory=dict)
    curve: dict[str, list[float]] = field(default_factory=dict)
    course: dict[str, list[float]] = field(default_factory=dict)
    diagrams: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    drifts: list[dict[str, float]] = field(default_factory=list)
    race: dict[str, dict[str, Any]] = field(default_factory=dict)


def model_size(learner: Any) -> int:
    """Count the support vectors or, of an explicit map, the features.

    Parameters
    ----------
    learner : estimator
        One that has learned.

    Returns
    -------
    int
        The size; 0 if there is nothing to count.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> model_size(SVC().fit([[0.0], [1.0], [5.0]], [0, 1, 1])) >= 2
    True
    """
    learner = learner_in(learner)
    vectors = getattr(learner, "n_support_", None)
    if vectors is not None:
        return int(np.sum(vectors))
    if hasattr(learner, "support_vectors_"):
        return len(learner.support_vectors_)
    weights = getattr(learner, "coef_", None)
    return 0 if weights is None else int(np.shape(weights)[-1])


def race_of(learner: Any) -> dict[str, dict[str, Any]]:
    """What the candidates of a race did, in plain lists; nothing of other learners."""
    if not hasattr(learner, "curves_"):
        return {}
    told = {"results": learner.results_, "curves": learner.curves_}
    return {
        part: {name: np.asarray(values).tolist() for name, values in columns.items()}
        for part, columns in told.items()
    }


def error_metrics(learner: Any, mean_error: float) -> dict[str, float]:
    """The metrics that follow from the share of mistakes, or from the mean squared error."""
    if is_classifier(learner):
        return {"mistake_rate": mean_error, "accuracy": 1 - mean_error}
    return {"squared_error": mean_error, "rmse": mean_error**0.5}
