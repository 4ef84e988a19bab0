"""The same beginning for models of shards: settings are chosen from a sample, and nothing is learned."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from onkel.estimators.checks import (
    check_some_weight,
    check_weights,
    draw_seed,
    started_anew,
    unchanged_on_error,
)
from onkel.estimators.parameters import Constraint, validate_parameters
from onkel.estimators.scales import warn_of_scales
from onkel.estimators.turns import learning_alone

A_NUMBER_OF_ROWS = Constraint(one_of=(None,), kind=int, at_least=1)


class Settles:
    """Adds ``settle`` to online learners."""

    def settle(
        self, X: Any, y: Any = None, *, classes: Any = None, n_rows: int | None = None
    ) -> Self:
        """
        Start anew with settings that are chosen from these rows, and learn none of them.

        Labels, ``gamma``, the scale of targets, diameters, frequencies and landmarks are then settled, as ``fit``
        would settle them. Copies of the model, each of which learns the rows of one shard by ``partial_fit``, can be
        merged.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_sample, n_features)
            A sample of the rows of all shards; some thousand are enough.
        y : array-like of shape (n_sample,), default=None
            Their labels or, of a regressor, targets.
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever come; None: those of the sample.
        n_rows : int, default=None
            The number of rows of all shards, which some settings depend on; None: as many as in the sample.

        Returns
        -------
        Self
            The estimator itself.
        """
        learner: Any = self
        if not A_NUMBER_OF_ROWS.allows(n_rows):
            raise ValueError(
                f"n_rows={n_rows!r} is not allowed: it must be {A_NUMBER_OF_ROWS.in_words()}."
            )
        with learning_alone(self):
            validate_parameters(learner)
            seed = draw_seed(learner)
            with unchanged_on_error(learner), started_anew(learner) as fresh:
                for name in ("_look", "_machine"):
                    fresh.__dict__.pop(name, None)
                X, y = fresh._check_rows(X, y, reset=True)
                fresh._declare_targets(y, classes)
                targets, weights = fresh._targets(y), check_weights(None, X.shape[0])
                check_some_weight(weights)
                rows = (X.shape[0] if n_rows is None else n_rows) * learner.epochs
                fresh._start(X, targets, 1.0, rows, True, seed)
                fresh._settle_features(X, targets, weights)
                warn_of_scales(fresh, X, stacklevel=4)
        return self

    def _settle_features(self, X: Any, targets: np.ndarray, weights: np.ndarray) -> None:
        """Settle what else all shards must share, such as landmarks that come from learning."""
