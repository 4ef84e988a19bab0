"""A learner asked about rows: labels or numbers, decision values, probabilities, intervals, as far as it has them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onkel.evaluate.metrics import INTERVAL, Answers
from onkel.evaluate.metrics.answers import as_columns, numbers_of, true_numbers


def asked(
    learner: Any, X: Any, y: Any, classes: Any, needs: Collection[str], guess: Any = None
) -> Answers:
    """What a fitted learner answers for the rows, with as many of the fields of `Answers` as are needed.

    `classes`, in order, are all labels that count; None of a regressor. What it doesn't have is None.
    `guess` is what it predicted, if that is known already.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array(["a", "a", "b", "b"])
    >>> answers = asked(GaussianNB().fit(X, y), X, y, np.array(["a", "b"]), {"probabilities"})
    >>> answers.guess.tolist(), answers.probabilities.round(2).tolist()[0], answers.interval
    ([0, 0, 1, 1], [1.0, 0.0], None)
    """
    guess = learner.predict(X) if guess is None else guess
    if classes is None:
        interval = None
        if "interval" in needs and hasattr(learner, "predict_interval"):
            interval = np.asarray(learner.predict_interval(X, coverage=INTERVAL), float)
        # a copy: the rows of a window outlive a chunk whose owner may write into it again
        return Answers(np.array(y, float), np.asarray(guess, float), interval=interval)
    probabilities = scores = None
    decides = hasattr(learner, "decision_function")
    tells = hasattr(learner, "predict_proba")
    if tells and ("probabilities" in needs or ("scores" in needs and not decides)):
        probabilities = _by_class(learner.predict_proba(X), learner, classes, 0.0)
    if "scores" in needs:
        if decides:
            scores = _by_class(as_columns(learner.decision_function(X)), learner, classes, -np.inf)
        elif probabilities is not None:
            scores = probabilities[:, 1:] if len(classes) == 2 else probabilities
    truth = true_numbers(y, classes)
    return Answers(truth, numbers_of(guess, classes), scores, probabilities)


def _by_class(
    columns: NDArray[np.float64], learner: Any, classes: NDArray[Any], absent: float
) -> NDArray[np.float64] | None:
    """Columns in the order of all labels, of which the learner may know but some; None if they aren't by class."""
    known = getattr(learner, "classes_", classes)
    if columns.shape[1] != (1 if len(known) == 2 and columns.shape[1] == 1 else len(known)):
        return None  # of pairs of classes, say
    if len(known) == len(classes):
        return columns
    if columns.shape[1] == 1:
        return None  # one number for two classes says nothing of a third
    told = np.full((len(columns), len(classes)), absent)
    told[:, numbers_of(known, classes)] = columns
    return told
