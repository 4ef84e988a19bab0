"""Metrics of the classes answered: accuracy, balanced accuracy, F1."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from onkel.evaluate.metrics.accumulator import Accumulator
from onkel.evaluate.metrics.answers import Answers


class ClassCounts(Accumulator):
    """How often each class came, was answered, and was answered rightly."""

    def __init__(self, n_classes: int = 0, exact_rows: int | None = None) -> None:
        self.came = np.zeros(n_classes, np.int64)
        self.answered = np.zeros(n_classes, np.int64)
        self.hit = np.zeros(n_classes, np.int64)

    def update(self, answers: Answers) -> None:
        truth, guess = answers.truth, answers.guess
        n_classes = len(self.came)
        self.came += np.bincount(truth, minlength=n_classes)
        self.answered += np.bincount(guess + 1, minlength=n_classes + 1)[1:]
        self.hit += np.bincount(truth[truth == guess], minlength=n_classes)

    def grow(self, places: NDArray[np.intp], n_classes: int) -> None:
        for name, counts in vars(self).items():
            vars(self)[name] = np.zeros(max(2, n_classes), np.int64)
            vars(self)[name][places] = counts[: len(places)]


class Accuracy(ClassCounts):
    """The share of right answers.

    >>> counted = Accuracy(2)
    >>> counted.update(Answers(np.array([0, 0, 1, 1]), np.array([0, 1, 1, -1])))
    >>> counted.value()
    0.5
    """

    def value(self) -> float:
        rows = self.came.sum()
        return float(self.hit.sum() / rows) if rows else math.nan


class BalancedAccuracy(ClassCounts):
    """The mean, over the classes that came, of the share of their rows that were answered rightly."""

    def value(self) -> float:
        there = self.came > 0
        return float(np.mean(self.hit[there] / self.came[there])) if there.any() else math.nan


class F1(ClassCounts):
    """Twice the hits, divided by the rows of a class and the answers that named it.

    Of two classes it is that of the second; of more the mean over the classes that came or were
    answered. nan where there is no such class (scikit-learn's ``zero_division=nan``).
    """

    def value(self) -> float:
        named = self.came + self.answered
        there = named > 0
        if len(named) == 2:
            there[0] = False
        return float(np.mean(2 * self.hit[there] / named[there])) if there.any() else math.nan
