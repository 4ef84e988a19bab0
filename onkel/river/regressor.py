"""Regressors."""

from __future__ import annotations

from typing import Any

import numpy as np
from river import base

from onkel.estimators.checks import LARGEST_TARGET
from onkel.estimators.regressor import OnlineRegressor
from onkel.river.model import Features, Model


class Regressor(Model, base.MiniBatchRegressor):
    """A regressor of river's."""

    _learner: OnlineRegressor

    def _get_ready(self) -> None:
        self._mean, self._unit = self._learner.target_mean_, self._learner._unit

    def learn_one(self, x: Features, y: Any, w: float = 1.0) -> None:
        """
        Learn one row.

        Parameters
        ----------
        x : dict
            The features: numbers by name. What is missing is 0.
        y : float
            The target.
        w : float, default=1.0
            How much the row counts.
        """
        single = self._quick()
        if single is not None and abs(y) < LARGEST_TARGET:
            target = (float(y) - self._mean) / self._unit
            if self._learn_quickly(single, x, target, w):
                return
        self._learn(x, y, w)

    def predict_one(self, x: Features) -> float:
        """
        Predict the target of one row.

        Parameters
        ----------
        x : dict
            The features; those that were never learned are left out.

        Returns
        -------
        float
            The target; 0 before the first one was learned.
        """
        scores = self._scored(x)
        if scores is not None:
            return self._mean + self._unit * float(scores[0])
        if not self._knows_something:
            return 0.0
        return float(self._learner.predict(self._asked(x))[0])

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """
        Learn many rows, one after the other: the same as ``learn_one`` of each, and faster.

        Parameters
        ----------
        X : pandas.DataFrame
            The rows, a column for each feature; columns that are missing are 0.
        y : pandas.Series
            Their targets.
        w : array-like of shape (n_rows,), default=None
            How much the rows count. None: 1 for all.
        """
        self._learn_frame(X, np.asarray(y, float), w)

    def predict_many(self, X: Any) -> Any:
        """
        Predict the targets of many rows.

        Parameters
        ----------
        X : pandas.DataFrame
            The rows.

        Returns
        -------
        pandas.Series
            The targets; 0 before the first one was learned.
        """
        import pandas as pd

        if not self._knows_something:
            return pd.Series(0.0, index=X.index)
        return pd.Series(self._learner.predict(self._asked_frame(X)), index=X.index)
