"""``fit`` and ``partial_fit`` of races: those of any online learner, and an executor for the candidates."""

from __future__ import annotations

from typing import Any, Self

from onkel.estimators.turns import learning_alone
from onkel.parallel.executors import helped_by


class Learns:
    """Learns anew."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, executor: Any = None) -> Self:
        """
        Learn anew: ``epochs`` passes over the rows, in random order if ``shuffle``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            Their labels or, of a regressor, targets.
        sample_weight : array-like of shape (n_rows,), default=None
            How much a row counts: it multiplies the step. None: 1 for all.
        executor : dask.distributed.Client or concurrent.futures.Executor, default=None
            Where candidates learn, as tasks; the race is the same, to the last bit. None: here. See the notes of
            :class:`RaceClassifier`.

        Returns
        -------
        Self
            The estimator itself.
        """
        with helped_by(executor), learning_alone(self):
            return self._learn_anew(X, y, sample_weight)  # type: ignore[attr-defined]


class LearnsClasses(Learns):
    """Learns labels."""

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        sample_weight: Any = None,
        *,
        executor: Any = None,
    ) -> Self:
        """
        Learn on: one pass over the rows in the order given.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            Their labels.
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever come; it counts in the first call. None: the race grows with every label
            that it meets.
        sample_weight : array-like of shape (n_rows,), default=None
            How much a row counts: it multiplies the step. None: 1 for all.
        executor : dask.distributed.Client or concurrent.futures.Executor, default=None
            Where candidates learn, as tasks; the race is the same, to the last bit. None: here. See the notes of
            :class:`RaceClassifier`.

        Returns
        -------
        Self
            The estimator itself.
        """
        with helped_by(executor):
            return self._learn_on(X, y, sample_weight, classes)  # type: ignore[attr-defined]


class LearnsNumbers(Learns):
    """Learns targets."""

    def partial_fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        executor: Any = None,
    ) -> Self:
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
        executor : dask.distributed.Client or concurrent.futures.Executor, default=None
            Where candidates learn, as tasks; the race is the same, to the last bit. None: here. See the notes of
            :class:`RaceClassifier`.

        Returns
        -------
        Self
            The estimator itself.
        """
        with helped_by(executor):
            return self._learn_on(X, y, sample_weight, None)  # type: ignore[attr-defined]
