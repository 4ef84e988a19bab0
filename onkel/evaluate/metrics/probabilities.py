"""Metrics of probabilities: log loss, and how far they are from what happens."""

from __future__ import annotations

import math

import numpy as np

from onkel.evaluate.metrics.accumulator import Accumulator
from onkel.evaluate.metrics.answers import Answers
from onkel.evaluate.metrics.values import RunningMean

#: Equally wide bins of probabilities.
BINS = 10


class LogLoss(RunningMean):
    """The mean of −log of the probability given to the class that came, at most 36 a row.

    Probabilities are kept within rounding (2.2e-16) of 0 and 1, as scikit-learn does.
    """

    def update(self, answers: Answers) -> None:
        assert answers.probabilities is not None
        given = answers.probabilities[np.arange(answers.rows), answers.truth]
        least = np.finfo(float).eps
        self.add(-np.log(np.clip(given, least, 1 - least)))


class CalibrationError(Accumulator):
    """The mean distance of what was said from what happened, over bins of equal width.

    Of two classes: the probability of the second, and the share of its rows. Of more: the highest
    probability, and the share of rows where that class came.
    """

    def __init__(self, n_classes: int = 0, exact_rows: int | None = None) -> None:
        self.rows = np.zeros(BINS, np.int64)
        self.said: np.ndarray = np.zeros(BINS)
        self.happened = np.zeros(BINS, np.int64)

    def update(self, answers: Answers) -> None:
        given = answers.probabilities
        assert given is not None
        named = np.full(answers.rows, 1) if given.shape[1] == 2 else given.argmax(axis=1)
        said = given[np.arange(answers.rows), named]
        bins = np.clip((said * BINS).astype(np.int64), 0, BINS - 1)
        self.rows += np.bincount(bins, minlength=BINS)
        self.happened += np.bincount(bins[answers.truth == named], minlength=BINS)
        # one value after the other from the sums so far on, as in `running_sum`
        places = np.concatenate([np.arange(BINS), bins])
        self.said = np.bincount(places, np.concatenate([self.said, said]))

    def value(self) -> float:
        rows = self.rows.sum()
        return float(np.abs(self.said - self.happened).sum() / rows) if rows else math.nan

    def curve(self) -> dict[str, list[float]]:
        """The reliability diagram: what was said, and what happened, bin by bin that has rows."""
        there = self.rows > 0
        rows = self.rows[there]
        return {
            "said": (self.said[there] / rows).tolist(),
            "happened": (self.happened[there] / rows).tolist(),
            "rows": rows.tolist(),
        }
