"""What a learner by ridge regression knows, and what is asked of it."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from onkel.engine.filling import FUNCTION
from onkel.engine.lock import ModelLock
from onkel.engine.machine import Shape
from onkel.engine.ridge.inverse import inverse_of
from onkel.engine.ridge.statistics import Statistics
from onkel.losses import L2
from onkel.parallel.crew import share

#: Rows that are scored at once: their features are in memory together, and stay in the cache.
SCORED_AT_ONCE = 256
#: Attributes of a machine that belong to a process, not to the model.
NOT_KEPT = ("lock",)


class RidgeSettings(NamedTuple):
    """What is settled when learning begins."""

    strength: float  # of the regularization, to begin with
    chooses: bool  # whether another strength is chosen on the way
    intercept: bool
    decay: float  # what old rows are multiplied with before each new one


class RidgeCounts(NamedTuple):
    """The record of the stream."""

    t: int = 0  # rows seen
    mistakes: int = 0
    loss: float = 0.0
    squared_error: float = 0.0


class RidgeKnowledge:
    """The weights of explicit features; what it knows of the rows is in :class:`Statistics`.

    It is asked by estimators what they ask a :class:`onkel.engine.machine.Machine`.
    """

    #: Who is shown the scores before each update; part of the model. See onkel.calibration.
    observer: Any = None
    #: What the weights of rows are multiplied with, by their class; part of the model, too.
    class_weights: Any = None
    #: What is least over all rows.
    loss_part = L2()
    #: It learns every chunk to its end.
    paused = False

    def __init__(
        self, feature_map: Any, kernel: Any, task: Any, shape: Shape, settings: RidgeSettings
    ) -> None:
        self.lock = ModelLock()
        self.map, self.kernel, self.task = feature_map, kernel, task
        self.shape, self.settings = shape, settings
        self.counts = RidgeCounts()
        #: The strength of the regularization, and what forgetting has left of it since the last refreshment.
        self.strength = settings.strength
        self.refreshed_at, self.faded = 0, 1.0
        size = feature_map.n_map_features
        self.statistics = Statistics.none(size, shape.n_outputs, settings.intercept)
        self.coef = np.zeros((size, shape.n_outputs))
        #: None: the one of the statistics, to be made when it is needed. Who only predicts never needs it.
        self.inverse: np.ndarray | None = np.eye(size) / settings.strength

    @property
    def t(self) -> int:
        return self.counts.t

    @property
    def loss(self) -> float:
        return self.counts.loss

    @property
    def decay(self) -> float:
        return self.settings.decay

    @property
    def feature_map(self) -> Any:
        """The features whose weights are learned: others may learn on the same ones."""
        return self.map

    @feature_map.setter
    def feature_map(self, same: Any) -> None:
        self.map = same

    def adapt_to(self, X: Any) -> None:
        """Nothing about it depends on where the first rows lie."""

    @property
    def _size(self) -> int:
        return len(self.coef)

    def _made_inverse(self) -> np.ndarray:
        """The inverse, made now if it was not needed before."""
        if self.inverse is None:
            made = inverse_of(self.statistics.gram, self.strength)
            with self.lock.writing:
                self.inverse = made
        return self.inverse

    def _features(self, X: Any, out: np.ndarray | None = None) -> np.ndarray:
        """Features (rows x D) in double precision, which statistics need whatever the rows are.

        They are in ``out``, if that is given and no other precision comes in between.
        """
        if out is not None and self.shape.dtype == out.dtype:
            return self.map.features(X, out)
        return np.asarray(self.map.features(X), dtype=np.float64, order="C")

    # -- what is asked -------------------------------------------------------------------------

    def scores(self, X: Any) -> np.ndarray:
        """Scores (rows x C), as the model is at one moment."""
        return self.scores_and_observer(X)[0]

    def scores_and_observer(self, X: Any) -> tuple[np.ndarray, Any]:
        """The same, and a copy of the observer at that moment."""
        with self.lock.reading:
            scorer, observer = self.scorer_of(X), copy(self.observer)
        return scorer(X), observer

    def scorer_of(self, X: Any) -> Callable[[Any], np.ndarray]:
        """How rows like these score by the model as it is now."""
        coef, intercept = self.coef, self._intercept()

        def scorer(X: Any) -> np.ndarray:
            scores = np.empty((X.shape[0], len(intercept)))

            def work(first: int) -> None:
                rows = slice(first, first + SCORED_AT_ONCE)
                scores[rows] = self.map.scores(X[rows], coef) + intercept

            size = X.shape[0] * self._size * (FUNCTION + len(intercept))  # at least
            share(work, range(0, X.shape[0], SCORED_AT_ONCE), size)
            return scores

        return scorer

    def output_coef(self) -> np.ndarray:
        """Weights (C x D) of the features."""
        return self.coef.T.copy()

    def output_intercept(self) -> np.ndarray:
        """The intercepts (C); 0 where there are none."""
        with self.lock.reading:
            return self._intercept()

    def _intercept(self) -> np.ndarray:
        known = self.statistics
        if not known.centred:
            return np.zeros(self.shape.n_outputs)
        return known.target_mean - known.mean @ self.coef

    def counters(self) -> dict[str, Any]:
        """The record of the stream, all of one moment."""
        return self.counts._asdict()

    @property
    def n_support(self) -> int:
        return int(self.map.landmarks.shape[0])

    def vectors(self) -> Any:
        """The landmarks of a map that has them."""
        return self.map.landmarks.copy()

    def dual_coef(self) -> np.ndarray:
        """Coefficients (C x landmarks) of the kernel values."""
        return self.map.dual_coef(self.coef).T.copy()

    # -- copies --------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        with self.lock.reading:
            kept = {name: value for name, value in vars(self).items() if name not in NOT_KEPT}
            gram = self.statistics.gram.copy()
            kept["statistics"] = self.statistics._replace(gram=gram)
            kept["inverse"] = None if self.inverse is None else self.inverse.copy()
            if self.observer is not None:
                kept["observer"] = copy(self.observer)
        return kept

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.lock = ModelLock()
