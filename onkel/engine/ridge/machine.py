"""A learner by ridge regression: moved through a chunk block by block, as if row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import numpy as np

from onkel.engine.layout import widened_layout
from onkel.engine.machine import BLOCK_ROWS, NO_TRACE
from onkel.engine.ridge.codes import codes_of, margins_of, scores_before
from onkel.engine.ridge.growth import with_outputs
from onkel.engine.ridge.inverse import (
    Change,
    IndefiniteError,
    change_of,
    follow,
    solved,
    weights_of,
)
from onkel.engine.ridge.knowledge import SCORED_AT_ONCE, RidgeCounts, RidgeKnowledge
from onkel.engine.ridge.merging import Known, joined
from onkel.engine.ridge.schedule import FIRST_CHOICE, chooses_after, refreshes_after, rows_left
from onkel.engine.ridge.statistics import Increments, Statistics
from onkel.engine.ridge.strength import CAUTION, best_strength
from onkel.engine.ridge.unlearning import without
from onkel.parallel.interrupts import Uninterrupted


class RidgeMachine(RidgeKnowledge):
    """Learns rows; everything it knows is in :class:`RidgeKnowledge`."""

    def blank(self) -> RidgeMachine:
        """A machine of the same features and settings that has learned nothing."""
        return RidgeMachine(self.map, self.kernel, self.task, self.shape, self.settings)

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
        return self._learn(lambda rows, out: self._features(X[rows], out), targets, weights, trace)

    def learn_features(
        self, features: np.ndarray, targets: np.ndarray, weights: np.ndarray, trace: np.ndarray
    ) -> int:
        """The same, of rows whose features (rows x D) are known already."""

        def copied(rows: slice, out: np.ndarray) -> np.ndarray:
            out[:] = features[rows]
            return out

        return self._learn(copied, targets, weights, trace)

    def _learn(
        self,
        features_of: Callable[[slice, np.ndarray], np.ndarray],
        targets: np.ndarray,
        weights: np.ndarray,
        trace: np.ndarray,
    ) -> int:
        told = weights
        if self.class_weights is not None:
            weights = self.class_weights.applied(targets, weights)
        self._own_arrays()
        self._refresh_if_due()  # an interrupt may have come in between
        # For the features of a block and for its steps: fresh memory takes time.
        room = np.empty((2, min(BLOCK_ROWS, len(targets)), self._size))
        first = 0
        while first < len(targets):
            left = rows_left(self.t, BLOCK_ROWS, self._size, self.settings.decay)
            rows = slice(first, min(first + left, len(targets)))
            lesson = targets[rows], weights[rows], trace[rows], told[rows]
            ours, steps = room[:, : rows.stop - first]
            self._learn_block(features_of(rows, ours), steps, *lesson)
            self._refresh_if_due()
            first = rows.stop
        return len(targets)

    def _own_arrays(self) -> None:
        """Copy what others share, such as arrays of a memory map."""
        self.inverse = np.require(self._made_inverse(), requirements=("C", "A", "W"))
        gram = np.require(self.statistics.gram, requirements=("C", "A", "W"))
        self.statistics = self.statistics._replace(gram=gram)

    def _learn_block(
        self,
        features: np.ndarray,
        room: np.ndarray,
        targets: np.ndarray,
        weights: np.ndarray,
        trace: np.ndarray,
        told: np.ndarray,
    ) -> None:
        """Learn a few rows; their features are used up, and so is room of the same size."""
        codes = codes_of(targets, self.shape.n_outputs)
        new = self.statistics.increments(features, codes.copy(), weights, self.settings.decay)
        change = self._change_by(new, room)
        scores = scores_before(codes, change.errors, new.factors)
        if self.statistics.weight == 0.0:
            scores[0] = 0.0  # not up to rounding: it decides what is a mistake
        if trace.size:
            trace[:] = scores
        counts = self._counted(scores, codes)

        with Uninterrupted(), self.lock.writing:
            try:
                self._commit(new, change, counts)
            finally:  # whatever happened, the rest follows
                if self.observer is not None:
                    self.observer.observe(scores, targets, told)
                if self.class_weights is not None:
                    self.class_weights = self.class_weights.after(targets)

    def _change_by(self, new: Increments, room: np.ndarray) -> Change:
        try:
            return change_of(self._made_inverse(), self.coef, new.features, new.targets, room)
        except IndefiniteError:  # by rounding: the inverse is made anew
            known, regularization = self.statistics, self.strength * self.faded
            with self.lock.writing:
                self.inverse, self.coef = solved(known.gram, known.cross, regularization)
            return change_of(self._made_inverse(), self.coef, new.features, new.targets, room)

    def _commit(self, new: Increments, change: Change, counts: RidgeCounts) -> None:
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
        with Uninterrupted(), self.lock.writing:
            self.statistics, self.inverse, self.coef = statistics, inverse, coef
            self.counts, self.observer = counts, observer
            self.strength, self.faded, self.refreshed_at = strength, 1.0, counts.t

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
