"""Detectors of anomalies."""

from __future__ import annotations

from typing import Any

from river import base

from onkel.learners.spa import SPAOneClass
from onkel.river.model import Features, Model


class AnomalyDetector(Model, base.AnomalyDetector):
    """A detector of river's: what is unlike all that came before scores high."""

    _learner: SPAOneClass

    def learn_one(self, x: Features, w: float = 1.0) -> None:
        """
        Learn that a row is normal.

        Parameters
        ----------
        x : dict
            The features: numbers by name. What is missing is 0.
        w : float, default=1.0
            How much the row counts.
        """
        single = self._quick()
        if single is None or not self._learn_quickly(single, x, 1.0, w):
            self._learn(x, 1.0, w)

    def score_one(self, x: Features) -> float:
        """
        Score how odd a row is.

        Parameters
        ----------
        x : dict
            The features; those that were never learned are left out.

        Returns
        -------
        float
            What the row's score lacks of 1, at which it is normal: the larger, the odder. It is 1 of rows that are
            far from all others, and 0 before the first row was learned.
        """
        scores = self._scored(x)
        if scores is not None:
            return 1.0 - scores[0]
        if not self._knows_something:
            return 0.0
        return 1.0 - float(self._learner.score_samples(self._asked(x))[0])

    def learn_many(self, X: Any, w: Any = None) -> None:
        """
        Learn that many rows are normal.

        Parameters
        ----------
        X : pandas.DataFrame
            The rows, a column for each feature; columns that are missing are 0.
        w : array-like of shape (n_rows,), default=None
            How much the rows count. None: 1 for all.
        """
        self._learn_frame(X, None, w)

    def score_many(self, X: Any) -> Any:
        """
        Score how odd many rows are.

        Parameters
        ----------
        X : pandas.DataFrame
            The rows.

        Returns
        -------
        pandas.Series
            The scores, as of ``score_one``.
        """
        import pandas as pd

        if not self._knows_something:
            return pd.Series(0.0, index=X.index)
        return pd.Series(1.0 - self._learner.score_samples(self._asked_frame(X)), index=X.index)
