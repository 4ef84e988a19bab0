"""Metrics of predicted numbers: mean absolute error, root mean squared error, R²."""

from __future__ import annotations

import math

import numpy as np

from onkel.evaluate.metrics.accumulator import Accumulator, running_sum
from onkel.evaluate.metrics.answers import Answers


class RunningMean(Accumulator):
    """A mean over the rows."""

    def __init__(self, n_classes: int = 0, exact_rows: int | None = None) -> None:
        self.rows = 0
        self.total = 0.0

    def add(self, errors: np.ndarray) -> None:
        self.rows += len(errors)
        self.total = running_sum(self.total, errors)

    def value(self) -> float:
        return self.total / self.rows if self.rows else math.nan


class MeanAbsoluteError(RunningMean):
    """The mean of the absolute residuals."""

    def update(self, answers: Answers) -> None:
        self.add(np.abs(answers.truth - answers.guess))


class RootMeanSquaredError(RunningMean):
    """The root of the mean of the squared residuals.

    >>> error = RootMeanSquaredError()
    >>> error.update(Answers(np.array([1.0, 2.0]), np.array([1.0, 4.0])))
    >>> round(error.value(), 4)
    1.4142
    """

    def update(self, answers: Answers) -> None:
        self.add(np.square(answers.truth - answers.guess))

    def value(self) -> float:
        return math.sqrt(super().value())


class R2(Accumulator):
    """1 − the squared residuals, divided by the squared deviations of the targets from their mean.

    The deviations are Welford's: each row adds (y − mean before) (y − mean after), so that an offset
    of the targets costs no digits. Of fewer than two rows it is nan; of equal targets 1 where
    nothing was left, else 0.
    """

    def __init__(self, n_classes: int = 0, exact_rows: int | None = None) -> None:
        self.rows = 0
        self.first = 0.0  # target: sums are of what the others are above it
        self.above = 0.0
        self.deviations = 0.0
        self.residuals = 0.0

    def update(self, answers: Answers) -> None:
        if not answers.rows:
            return
        if not self.rows:
            self.first = float(answers.truth[0])
        above = answers.truth - self.first
        sums = np.add.accumulate(np.concatenate([[self.above], above]))
        counts = self.rows + np.arange(answers.rows + 1)
        means = sums / np.maximum(counts, 1)
        parts = (above - means[:-1]) * (above - means[1:])
        self.deviations = running_sum(self.deviations, parts)
        self.residuals = running_sum(self.residuals, np.square(answers.truth - answers.guess))
        self.rows, self.above = int(counts[-1]), float(sums[-1])

    def value(self) -> float:
        if self.rows < 2:
            return math.nan
        if self.deviations == 0:
            return float(self.residuals == 0)
        return 1 - self.residuals / self.deviations
