"""What a learner answered for some rows, beside what was right: all that a metric ever sees."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from onkel.estimators.hearing import scores_among

#: The number of a class where there is none: no answer, or a label that was never declared.
NONE = -1


class Answers(NamedTuple):
    """Answers for some rows. What a learner doesn't tell is None.

    Classes are numbers, by their place in the list of labels. `guess` may be -1 (`NONE`): a learner that scores
    all classes alike has no answer, which is a mistake whatever the class.
    """

    truth: NDArray[Any]  # (rows,): numbers of classes, or values
    guess: NDArray[Any]  # (rows,): the same
    scores: NDArray[np.float64] | None = None  # (rows, 1) of two classes, else (rows, classes)
    probabilities: NDArray[np.float64] | None = None  # (rows, classes)
    interval: NDArray[np.float64] | None = None  # (rows, 2): lower and upper end

    @property
    def rows(self) -> int:
        return len(self.truth)

    def part(self, start: int, stop: int) -> Answers:
        """Some of the rows."""
        return Answers._make(None if field is None else field[start:stop] for field in self)

    def among(self, places: NDArray[np.intp], n_classes: int) -> Answers:
        """The same, if the classes known then are at these places among so many."""
        numbers = np.append(places, NONE)  # the last is that of none
        scores, probabilities = self.scores, self.probabilities
        if scores is not None and n_classes > len(places):
            scores = scores_among(scores, places, n_classes)
        if probabilities is not None:
            probabilities = np.zeros((self.rows, n_classes))
            probabilities[:, places] = self.probabilities
        return Answers(numbers[self.truth], numbers[self.guess], scores, probabilities)


def joined(parts: list[Answers]) -> Answers:
    """The rows of several answers of one learner, in order.

    >>> one = Answers(np.array([1]), np.array([0]))
    >>> joined([one, one]).truth.tolist(), joined([one, one]).scores
    ([1, 1], None)
    """
    if len(parts) == 1:
        return parts[0]
    columns = zip(*parts)
    return Answers._make(None if c[0] is None else np.concatenate(c) for c in columns)


def numbers_of(labels: Any, classes: NDArray[Any]) -> NDArray[np.int64]:
    """The place of each label among the classes, which are in order; -1 of one that isn't there.

    >>> numbers_of(np.array(["b", "x", "a"]), np.array(["a", "b"])).tolist()
    [1, -1, 0]
    """
    labels = np.asarray(labels)
    try:
        places = np.searchsorted(classes, labels)
        known = classes[np.minimum(places, len(classes) - 1)] == labels
    except TypeError:  # labels of another kind, which cannot be compared with these
        return np.full(len(labels), NONE)
    return np.where(known, places, NONE).astype(np.int64)


def true_numbers(labels: Any, classes: NDArray[Any]) -> NDArray[np.int64]:
    """The same of labels that must all be known."""
    numbers = numbers_of(labels, classes)
    if (numbers == NONE).any():
        strangers = list(dict.fromkeys(np.asarray(labels)[numbers == NONE].tolist()))
        raise ValueError(
            f"y has labels that were not declared: {strangers}. classes={classes.tolist()} must have all"
        )
    return numbers


def as_columns(scores: Any) -> NDArray[np.float64]:
    """Decision values as a matrix: one column for two classes, else one a class."""
    scores = np.asarray(scores, float)
    return scores[:, None] if scores.ndim == 1 else scores


def best_of(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """The class that decision values speak for; none where the best one isn't the only one.

    >>> best_of(np.array([[0.5], [-1.0], [0.0]])).tolist()
    [1, 0, -1]
    >>> best_of(np.array([[0.1, 0.3, 0.2], [0.0, 0.0, 0.0]])).tolist()
    [1, -1]
    """
    if scores.shape[1] == 1:
        return np.where(scores[:, 0] > 0, 1, np.where(scores[:, 0] < 0, 0, NONE))
    best = scores.argmax(axis=1)
    tied = (scores == scores.max(axis=1, keepdims=True)).sum(axis=1) != 1
    return np.where(tied, NONE, best)
