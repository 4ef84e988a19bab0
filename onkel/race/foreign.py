"""Candidates that are no learners of onkel: anything with ``partial_fit`` and ``decision_function`` or ``predict``.

What they say of a row before they learn it is asked of the model as it was when the round began; at its end, 128 rows
later, they learn the rows since, at once. So chunks make no difference to them either.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from inspect import signature
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from onkel.engine.machine import NO_TRACE, Shape
from onkel.race.rounds import ends_round, rows_left


class ForeignMachine:
    """An estimator with the face of a :class:`~onkel.engine.machine.Machine`."""

    paused = False
    kernel: Any = None
    feature_map: Any = None
    observer: Any = None

    def __init__(self, estimator: Any, task: Any, shape: Shape) -> None:
        self.estimator, self.task, self.shape = clone(estimator), task, shape
        self.t = 0
        self.learned = False  # anything so far
        #: Rows that wait for the next place.
        self.kept: list[tuple[Any, np.ndarray, np.ndarray]] = []

    @property
    def loss(self) -> float:
        return 0.0

    def blank(self) -> ForeignMachine:
        """The same that has learned nothing."""
        return ForeignMachine(self.estimator, self.task, self.shape)

    def adapt_to(self, X: Any) -> None:
        """Nothing about it depends on where the first rows lie."""

    def learn(
        self, X: Any, targets: np.ndarray, weights: np.ndarray, trace: np.ndarray = NO_TRACE
    ) -> int:
        """Learn the rows in order; ``trace`` gets the scores before."""
        first = 0
        while first < len(targets):
            rows = slice(first, min(first + rows_left(self.t), len(targets)))
            if trace.size:
                trace[rows] = self._scores(self.estimator, X[rows])
            kept = [*self.kept, (X[rows].copy(), targets[rows].copy(), weights[rows].copy())]
            t = self.t + rows.stop - first
            if ends_round(t):
                self.estimator, self.learned, kept = self._taught(kept), True, []
            self.kept, self.t, first = kept, t, rows.stop
        return len(targets)

    def _taught(self, kept: list[tuple[Any, np.ndarray, np.ndarray]]) -> Any:
        """A copy of the estimator that has learned these rows, too: who reads keeps the one before."""
        X, targets, weights = zip(*kept)
        rows = sparse.vstack(X, "csr") if sparse.issparse(X[0]) else np.concatenate(X)
        estimator = deepcopy(self.estimator)
        more: dict[str, Any] = {}
        if self.task.shows == "margin":
            more["classes"] = np.arange(max(2, self.shape.n_outputs))
        if "sample_weight" in signature(estimator.partial_fit).parameters:
            more["sample_weight"] = np.concatenate(weights)
        estimator.partial_fit(rows, self._labels(np.concatenate(targets)), **more)
        return estimator

    def _labels(self, targets: np.ndarray) -> np.ndarray:
        """Targets as the estimator sees them: numbers of classes."""
        if self.task.shows == "residual":
            return targets
        return (targets > 0 if self.shape.n_outputs == 1 else targets).astype(np.intp)

    def scores(self, X: Any) -> np.ndarray:
        """Scores (rows x C)."""
        return self.scorer_of(X)(X)

    def scorer_of(self, X: Any) -> Callable[[Any], np.ndarray]:
        """How rows score by the estimator as it is now."""
        estimator = self.estimator
        return lambda X: self._scores(estimator, X)

    def _scores(self, estimator: Any, X: Any) -> np.ndarray:
        outputs = self.shape.n_outputs
        if not self.learned:
            return np.zeros((X.shape[0], outputs))
        if self.task.shows == "residual":
            return np.asarray(estimator.predict(X), float).reshape(-1, 1)
        if hasattr(estimator, "decision_function"):
            return np.asarray(estimator.decision_function(X), float).reshape(-1, outputs)
        if hasattr(estimator, "predict_proba"):
            likely = np.asarray(estimator.predict_proba(X), float)
            return likely[:, 1:] - 0.5 if outputs == 1 else likely
        labels = np.asarray(estimator.predict(X)).astype(np.intp)
        if outputs == 1:
            return np.where(labels > 0, 1.0, -1.0)[:, None]
        return np.eye(outputs)[labels]

    def with_outputs(self, task: Any, mixture: np.ndarray) -> Any:
        """It does not grow."""
        raise ValueError(
            f"the candidate {self.estimator!r} cannot learn of a label more: declare all of them by "
            f"partial_fit(X, y, classes=...)."
        )

    def with_features(self, n_features: int) -> Any:
        """It does not grow."""
        raise ValueError(
            f"the candidate {self.estimator!r} cannot learn of columns that come later: rows have "
            f"{self.shape.n_features} features, not {n_features}."
        )

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"estimator": deepcopy(self.estimator), "kept": list(self.kept)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
