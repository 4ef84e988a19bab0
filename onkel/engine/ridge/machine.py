"""A learner by ridge regression: moved through a chunk block by block, as if row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from onkel.engine.filling import FUNCTION
from onkel.engine.layout import widened_layout
from onkel.engine.lock import ModelLock
from onkel.engine.machine import BLOCK_ROWS, NO_TRACE, Shape
from onkel.engine.ridge.codes import codes_of, margins_of, scores_before
from onkel.engine.ridge.growth import with_outputs
from onkel.engine.ridge.inverse import (
    Change,
    IndefiniteError,
    change_of,
    follow,
    inverse_of,
    solved,
    weights_of,
)
from onkel.engine.ridge.merging import Known, joined
from onkel.engine.ridge.schedule import FIRST_CHOICE, chooses_after, refreshes_after, rows_left
from onkel.engine.ridge.statistics import Increments, Statistics
from onkel.engine.ridge.strength import CAUTION, best_strength
from onkel.engine.ridge.unlearning import without
from onkel.losses import L2
from onkel.parallel.crew import share, unbroken

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


class RidgeMachine:
    """Learns the weights of explicit features; what it knows of the rows is in :class:`Statistics`.

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

    def blank(self) -> RidgeMachine:
        """A machine of the same features and settings that has learned nothing."""
        return RidgeMachine(self.map, self.kernel, self.task, self.shape, self.settings)

    def adapt_to(self, X: Any) -> None:
        """Nothing about it depends on where the first rows lie."""

    # -- learning ------------------------------------------------------------------------------

    def learn(
        self,
        X: Any,
        targets: np.ndarray,
        weights: np.ndarray,
        trace: np.ndarray = NO_TRACE,
    ) -> int:
        """Learn the rows in order; return how many.

        ``trace`` (rows x C) gets the scores before each update, unless it is empty. The observer is told the
        weights as they are given.
        """
        return self._learn(lambda rows: self._features(X[rows]), targets, weights, trace)

    def learn_features(
        self, features: np.ndarray, targets: np.ndarray, weights: np.ndarray, trace: np.ndarray
    ) -> int:
        """The same, of rows whose features (rows x D) are known already."""
        return self._learn(
            lambda rows: np.array(features[rows], float, order="C"), targets, weights, trace
        )

    def _learn(
        self,
        features_of: Callable[[slice], np.ndarray],
        targets: np.ndarray,
        weights: np.ndarray,
        trace: np.ndarray,
    ) -> int:
        told = weights
        if self.class_weights is not None:
            weights = self.class_weights.applied(targets, weights)
        self._own_arrays()
        self._refresh_if_due()  # an interrupt may have come in between
        first = 0
        while first < len(targets):
            left = rows_left(self.t, BLOCK_ROWS, self._size, self.settings.decay)
            rows = slice(first, min(first + left, len(targets)))
            lesson = targets[rows], weights[rows], trace[rows], told[rows]
            self._learn_block(features_of(rows), *lesson)
            self._refresh_if_due()
            first = rows.stop
        return len(targets)

    @property
    def _size(self) -> int:
        return len(self.coef)

    def _own_arrays(self) -> None:
        """Copy what others share, such as arrays of a memory map."""
        self.inverse = np.require(self._made_inverse(), requirements=("C", "A", "W"))
        gram = np.require(self.statistics.gram, requirements=("C", "A", "W"))
        self.statistics = self.statistics._replace(gram=gram)

    def _made_inverse(self) -> np.ndarray:
        """The inverse, made now if it was not needed before."""
        if self.inverse is None:
            made = inverse_of(self.statistics.gram, self.strength)
            with self.lock.writing:
                self.inverse = made
        return self.inverse

    def _learn_block(
        self,
        features: np.ndarray,
        targets: np.ndarray,
        weights: np.ndarray,
        trace: np.ndarray,
        told: np.ndarray,
    ) -> None:
        """Learn a few rows; their features are used up."""
        codes = codes_of(targets, self.shape.n_outputs)
        new = self.statistics.increments(features, codes.copy(), weights, self.settings.decay)
        change = self._change_by(new)
        scores = scores_before(codes, change.errors, new.factors)
        if self.statistics.weight == 0.0:
            scores[0] = 0.0  # not up to rounding: it decides what is a mistake
        if trace.size:
            trace[:] = scores
        counts = self._counted(scores, codes)

        def know() -> None:
            try:
                self._commit(new, change, counts)
            finally:
                if self.observer is not None:
                    self.observer.observe(scores, targets, told)
                if self.class_weights is not None:
                    self.class_weights = self.class_weights.after(targets)

        with self.lock.writing:
            unbroken(know, self._size**2 * len(targets))

    def _change_by(self, new: Increments) -> Change:
        try:
            return change_of(self._made_inverse(), self.coef, new.features, new.targets)
        except IndefiniteError:  # by rounding: the inverse is made anew
            known, regularization = self.statistics, self.strength * self.faded
            with self.lock.writing:
                self.inverse, self.coef = solved(known.gram, known.cross, regularization)
            return change_of(self._made_inverse(), self.coef, new.features, new.targets)

    def _commit(self, new: Increments, change: Change, counts: RidgeCounts) -> None:
        """Change the model. An interrupt arrives when BLAS returns: then the rest still follows."""
        statistics = self.statistics.after(new)
        try:
            self.statistics.add_to_gram(new)
        finally:
            try:
                follow(self._made_inverse(), change.steps, new.fade)
            finally:
                self.faded *= new.fade
                self.statistics, self.coef, self.counts = statistics, change.coef, counts

    def _refresh_if_due(self) -> None:
        """Undo what rounding and forgetting did to the inverse, at certain numbers of rows."""
        t, settings = self.t, self.settings
        if t == self.refreshed_at or not refreshes_after(t, self._size, settings.decay):
            return
        strength = self._best(self.statistics) if chooses_after(t) else self.strength
        self._know(self.statistics, strength)

    def choose_anew(self) -> None:
        """Choose the strength of the regularization once more, from all rows so far."""
        strength = self._best(self.statistics)
        if strength != self.strength:
            self._know(self.statistics, strength)

    def _best(self, statistics: Statistics) -> float:
        """The best strength for all rows, if one is to be chosen and there are enough of them."""
        if not self.settings.chooses or statistics.rows < FIRST_CHOICE:
            return self.strength
        return best_strength(statistics, CAUTION[self.task.shows])

    def _know(self, statistics: Statistics, strength: float) -> None:
        """Take these statistics over, and what follows from them."""
        inverse, coef = solved(statistics.gram, statistics.cross, strength)
        self._take(statistics, strength, inverse, coef, self.counts, self.observer)

    def _take(
        self,
        statistics: Statistics,
        strength: float,
        inverse: np.ndarray | None,
        coef: np.ndarray,
        counts: RidgeCounts,
        observer: Any,
    ) -> None:
        with self.lock.writing:
            self.statistics, self.inverse, self.coef = statistics, inverse, coef
            self.counts, self.observer = counts, observer
            self.strength, self.faded, self.refreshed_at = strength, 1.0, counts.t

    def _features(self, X: Any) -> np.ndarray:
        """Features (rows x D) in double precision, which statistics need whatever the rows are."""
        return np.asarray(self.map.features(X), dtype=np.float64, order="C")

    def _counted(self, scores: np.ndarray, codes: np.ndarray) -> RidgeCounts:
        """The record after rows with these scores."""
        before, error = self.counts, float(np.square(scores - codes).sum())
        t, loss = before.t + len(codes), before.loss + 0.5 * error
        if self.task.shows == "residual":
            return RidgeCounts(t, 0, loss, before.squared_error + error)
        margins = margins_of(scores, codes)
        mistakes = before.mistakes + int((margins <= 0.0).sum())
        return RidgeCounts(t, mistakes, loss, before.squared_error + float(margins @ margins))

    # -- what nobody knew before ---------------------------------------------------------------

    def with_outputs(self, task: Any, mixture: np.ndarray) -> RidgeMachine:
        """A copy with as many outputs as a mixture (new x old) has rows, for another task."""
        grown = copy(self)
        known = grown.statistics, grown.coef, grown._made_inverse()
        grown.statistics, grown.coef = with_outputs(*known, mixture)
        grown.task, grown.shape = task, self.shape._replace(n_outputs=len(mixture))
        return grown

    def with_features(self, n_features: int) -> RidgeMachine:
        """A copy for rows of so many features."""
        grown = copy(self)
        layout = widened_layout(self.shape.layout, n_features)
        grown.shape = self.shape._replace(n_features=n_features, layout=layout)
        grown.map = self.map.widened(n_features)
        return grown

    # -- other rows, at once -------------------------------------------------------------------

    def merge(self, others: Sequence[Known], common: Known | None) -> None:
        """Know the rows of other machines, too; those of a common beginning count once.

        The inverse waits for rows to learn: a model that is merged on, sent or asked is half as large without it.
        """
        own = Known(self.statistics, np.array(self.counts), self.observer, self.class_weights, 1.0)
        known = joined(own, others, common)
        t, mistakes, loss, squared_error = known.record.tolist()
        counts = RidgeCounts(int(t), int(mistakes), loss, squared_error)
        statistics, strength = known.statistics, self._best(known.statistics)
        coef = weights_of(statistics.gram, statistics.cross, strength)
        observer = known.observer or self.observer
        self._take(statistics, strength, None, coef, counts, observer)
        self.class_weights = known.class_weights

    def as_other(self, factor: float, offset: float) -> Known:
        """What it knows at one moment, for one whose targets are ``factor * t + offset`` where its own are t."""
        with self.lock.reading:
            counts, observer, weights = self.counts, copy(self.observer), self.class_weights
            known = self.statistics._replace(gram=self.statistics.gram.copy())
        units = np.array([1.0, 1.0, factor**2, factor**2])
        known = known.with_targets(factor, offset)
        return Known(known, np.array(counts) * units, observer, weights, factor)

    def unlearn(self, X: Any, targets: np.ndarray, weights: np.ndarray) -> None:
        """Know nothing of these rows; an error where they cannot have been learned."""
        statistics = without(self.statistics, self._statistics_of(X, targets, weights))
        self._know(statistics, self.strength)

    def _statistics_of(self, X: Any, targets: np.ndarray, weights: np.ndarray) -> Statistics:
        """Of these rows alone."""
        known = Statistics.none(self._size, self.shape.n_outputs, self.settings.intercept)
        for first in range(0, len(targets), SCORED_AT_ONCE):
            rows = slice(first, first + SCORED_AT_ONCE)
            codes = codes_of(targets[rows], self.shape.n_outputs).copy()
            new = known.increments(self._features(X[rows]), codes, weights[rows], 1.0)
            known.add_to_gram(new)
            known = known.after(new)
        return known

    # -- what is asked ---------------------------------------------------------------------------

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
