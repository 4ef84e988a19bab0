"""The scikit-learn side of online regressors: numbers in, numbers out."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin

from onkel.estimators.checks import check_numbers
from onkel.estimators.online import NUMBERS, OnlineLearner
from onkel.estimators.parameters import declared
from onkel.tasks import Residual


@declared
class OnlineRegressor(RegressorMixin, OnlineLearner):
    """An online learner of real numbers."""

    _target_kinds: ClassVar[str] = NUMBERS
    _makes_mistakes: ClassVar[bool] = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """
        Learn anew: ``epochs`` passes over the rows, in random order if ``shuffle``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            Their targets.
        sample_weight : array-like of shape (n_rows,), default=None
            How much a row counts: it multiplies the step. None: 1 for all.

        Returns
        -------
        Self
            The estimator itself.
        """
        return self._learn_anew(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """
        Learn on: one pass over the rows in the order given.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            Their targets.
        sample_weight : array-like of shape (n_rows,), default=None
            How much a row counts: it multiplies the step. None: 1 for all.

        Returns
        -------
        Self
            The estimator itself.
        """
        return self._learn_on(X, y, sample_weight, None)

    def predict(self, X: Any) -> np.ndarray:
        """
        Predict the target of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The targets.
        """
        return self._scores(X)[:, 0]

    def _require_classes(self, classes: Any) -> None:
        pass

    def _declare_targets(self, y: Any, classes: Any) -> None:
        pass

    def _targets(self, y: Any) -> np.ndarray:
        check_numbers(y)
        return np.asarray(y, dtype=float)

    def _n_outputs(self) -> int:
        return 1

    def _task(self) -> Any:
        return Residual()
