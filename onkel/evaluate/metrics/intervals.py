"""Metrics of prediction intervals: how often they hold the target, and how wide they are."""

from __future__ import annotations

from onkel.evaluate.metrics.answers import Answers
from onkel.evaluate.metrics.values import RunningMean


class Coverage(RunningMean):
    """The share of targets that are inside their interval, its ends included."""

    def update(self, answers: Answers) -> None:
        assert answers.interval is not None
        lower, upper = answers.interval.T
        self.add((lower <= answers.truth) & (answers.truth <= upper))


class Width(RunningMean):
    """The mean width of the intervals.

    >>> import numpy as np
    >>> width = Width()
    >>> width.update(Answers(np.zeros(2), np.zeros(2), interval=np.array([[-1.0, 1.0], [0.0, 4.0]])))
    >>> width.value()
    3.0
    """

    def update(self, answers: Answers) -> None:
        assert answers.interval is not None
        self.add(answers.interval[:, 1] - answers.interval[:, 0])
