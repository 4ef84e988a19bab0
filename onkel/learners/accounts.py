"""Learners whose models are sums over rows: models of shards add up, and rows can be taken back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from onkel.engine.layout import as_layout
from onkel.engine.ridge.unlearning import NeverLearnedError
from onkel.estimators.checks import check_weights, without_zero_weights
from onkel.estimators.look import rows_kept
from onkel.estimators.merging import REMEDY, Mergeable
from onkel.estimators.turns import learning_alone
from onkel.parallel.limits import at_work


class Accounts(Mergeable):
    """Adds ``merge`` and ``unlearn`` to learners with a machine that can do it."""

    merges_exactly: ClassVar[bool] = True

    def _unite(self, others: Sequence[Any], common: Any) -> None:
        learner: Any = self
        mine, given = learner._machine, others if common is None else (*others, common)
        for other in given:
            theirs = other._machine
            if not mine.map.is_same(theirs.map) or mine.settings[2:] != theirs.settings[2:]:
                raise ValueError(DIFFERENT)
        known = [
            other._machine.as_other(other._unit / learner._unit, offset_of(learner, other))
            for other in given
        ]
        mine.merge(known[: len(others)], known[-1] if common is not None else None)

    def unlearn(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """
        Take rows back: the model is then exactly that of a stream in which they never came.

        It cannot be told whether these rows really were learned, with these targets and weights: that is for you to
        know. What is impossible, more rows than were learned or a negative variance, is an error and changes nothing.
        What was settled before stays: the features (landmarks are rows), :math:`\\gamma`, the regularization, the
        unit of targets; and so does what predictions scored on the way: progress, probabilities and intervals. A row
        that came when a growing model knew one class was not learned, and cannot be unlearned.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            Their labels or, of a regressor, targets.
        sample_weight : array-like of shape (n_rows,), default=None
            The weights that they were learned with. None: 1 for all.

        Returns
        -------
        Self
            The estimator itself.
        """
        learner: Any = self
        machine = learner._fitted()
        if rows_kept(learner):
            raise ValueError(
                f"this {type(self).__name__} has not learned yet, but keeps the first rows of the stream to choose "
                f"its settings from: unlearn later, or start anew without these rows."
            )
        if machine.settings.decay < 1.0:
            raise ValueError(
                "a model with half_life forgets rows by itself, and what is left of these is not known: they cannot "
                "be unlearned."
            )
        with learning_alone(self):
            machine = learner._machine
            X, y = learner._check_rows(X, y)
            targets, weights = learner._targets(y), check_weights(sample_weight, X.shape[0])
            X, targets, weights = without_zero_weights(X, targets, weights)
            weights = self._learned_weights(targets, weights)
            rows = as_layout(X, machine.shape.layout, machine.shape.dtype)
            try:
                with at_work(learner.n_jobs, X.shape[0]):
                    machine.unlearn(rows, learner._in_model_units(targets), weights)
            except NeverLearnedError as reason:
                raise ValueError(
                    f"these rows cannot be unlearned: {reason}. The model is as it was; give rows, targets and "
                    f"sample_weight as they were learned."
                ) from None
        return self

    def _learned_weights(self, targets: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Weights times those of the classes, where these are numbers."""
        factors = self._machine.class_weights  # type: ignore[attr-defined]
        if factors is None:
            return weights
        if factors.is_balanced:
            raise ValueError(
                "with class_weight='balanced' a row's weight depends on the rows before it, and is not known any "
                "more: it cannot be unlearned. Give class_weight as a dict."
            )
        return factors.applied(targets, weights)


DIFFERENT = (
    "these models cannot be merged: they have different features, or one has an intercept or a half_life that the "
    f"other has not. {REMEDY}"
)


def offset_of(learner: Any, other: Any) -> float:
    """What a target that is 0 to the other model is to this one, of regressors with scaled targets."""
    mean, theirs = (getattr(model, "target_mean_", 0.0) for model in (learner, other))
    return float((theirs - mean) / learner._unit)
