"""Regression in the targets' own unit, where the learner sees mean 0 and variance 1."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from onkel.estimators.parameters import declared, parameter, validate_parameters
from onkel.estimators.progress import Progress


@declared
class StandardisedTargets(RegressorMixin, MetaEstimatorMixin, BaseEstimator):
    """A regressor that learns (y − ``mean``) / ``spread`` and answers in the unit of y.

    What it learns, ``regressor`` itself learns, as the steps of a pipeline do.

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import FOGDRegressor
    >>> from onkel.tables import StandardisedTargets
    >>> X = np.linspace(-1, 1, 400)[:, None]
    >>> y = 1e6 + 1e3 * X[:, 0]
    >>> model = StandardisedTargets(regressor=FOGDRegressor(random_state=0), mean=1e6, spread=577.0)
    >>> bool(np.abs(model.fit(X, y).predict(X) - y).mean() < 100)
    True
    """

    regressor: Any = parameter(default=None, type_words="estimator", doc="The learner.")
    mean: float = parameter(default=0.0, kind=float, doc="What is taken from the targets.")
    spread: float = parameter(default=1.0, above=0, doc="What they are divided by then.")

    def fit(self, X: Any, y: Any, **params: Any) -> Self:
        """Learn anew.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The rows, as the learner takes them.
        y : array-like of shape (n,)
            Their targets, in their own unit.
        **params : dict
            Other parameters of the learner's ``fit``.

        Returns
        -------
        StandardisedTargets
            Itself.
        """
        self.regressor.fit(X, self._inner(y), **params)
        return self

    def partial_fit(self, X: Any, y: Any, **params: Any) -> Self:
        """Learn on.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The rows, as the learner takes them.
        y : array-like of shape (n,)
            Their targets, in their own unit.
        **params : dict
            Other parameters of the learner's ``partial_fit``.

        Returns
        -------
        StandardisedTargets
            Itself.
        """
        self.regressor.partial_fit(X, self._inner(y), **params)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict in the unit of the targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The rows.

        Returns
        -------
        ndarray of shape (n,)
            The targets.
        """
        return self.regressor.predict(X) * self.spread + self.mean

    def predict_interval(self, X: Any, coverage: float = 0.9) -> NDArray[np.float64]:
        """Predict an interval for the target of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of n rows
            The rows.
        coverage : float, default=0.9
            The share of the targets that shall lie inside.

        Returns
        -------
        ndarray of shape (n, 2)
            The lower and the upper ends, in the unit of the targets.
        """
        return self.regressor.predict_interval(X, coverage) * self.spread + self.mean

    @property
    def progress_(self) -> Progress:
        """What the learner tells of its way, its squared error in the unit of the targets."""
        inner = self.regressor.progress_
        return inner._replace(squared_error=inner.squared_error * self.spread**2)

    @property
    def n_features_in_(self) -> int:
        """Number of features."""
        return self.regressor.n_features_in_

    def _inner(self, y: Any) -> NDArray[np.float64]:
        validate_parameters(self)
        return (np.asarray(y, np.float64) - self.mean) / self.spread

    def __sklearn_is_fitted__(self) -> bool:
        try:
            check_is_fitted(self.regressor)
        except NotFittedError:
            return False
        return True


def learner_in(model: Any) -> Any:
    """Find the learner at the end of a pipeline.

    Parameters
    ----------
    model : estimator
        A pipeline, or any other model.

    Returns
    -------
    estimator
        Its learner, or the model itself.

    Examples
    --------
    >>> from onkel import FOGDRegressor, TableEncoder, make_stream_pipeline
    >>> learner_in(make_stream_pipeline(TableEncoder(), FOGDRegressor(gamma=0.5)))
    FOGDRegressor(gamma=0.5)
    """
    while True:
        if isinstance(model, Pipeline):
            model = model.steps[-1][1]
        elif isinstance(model, StandardisedTargets):
            model = model.regressor
        else:
            return model


def in_targets_unit(model: Any, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn what the learner at the end of a pipeline says of targets into what the whole model says.

    Parameters
    ----------
    model : estimator
        A pipeline, or any other model.
    values : ndarray
        Targets as its learner sees them.

    Returns
    -------
    ndarray
        The same in the unit of the targets given to the model.
    """
    while isinstance(model, Pipeline):
        model = model.steps[-1][1]
    return values * model.spread + model.mean if isinstance(model, StandardisedTargets) else values
