"""Several machines learn the same rows side by side, block by block.

They differ in how they learn, not in what they see: what they look at alike is evaluated once
(:mod:`onkel.engine.sharing`), and each of them walks it. What each scored before an update is then judged by who
stands above them: a subclass says what comes of it. To estimators the whole is a machine like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from onkel.engine.lock import ModelLock
from onkel.engine.machine import BLOCK_ROWS, NO_TRACE
from onkel.engine.sharing import grouped
from onkel.parallel.interrupts import Uninterrupted

#: Rows for which those who share something prepare at once.
STRETCH_ROWS = 4096


class Stretch(NamedTuple):
    """Rows that are learned, and all that belongs to them."""

    X: Any
    targets: np.ndarray
    weights: np.ndarray  # that they are learned with
    told: np.ndarray  # weights as they were given
    trace: np.ndarray  # gets the scores of the whole

    def before(self, stop: int) -> Stretch:
        """The first of them."""
        return Stretch(*(each[:stop] for each in self))


class SideBySide:
    """Moves several machines through a chunk; has the face of a :class:`~onkel.engine.machine.Machine`."""

    #: Who is shown the scores of the whole before each update; part of the model. See onkel.calibration.
    observer: Any = None
    #: What the weights of rows are multiplied with, by their class; part of the model, too.
    class_weights: Any = None

    def __init__(self, machines: Sequence[Any]) -> None:
        self.lock = ModelLock()
        #: Rows that some have learned and others not yet: after an interrupt, or when one pauses.
        self.ahead = np.zeros(len(machines), np.int64)
        self.set_machines(machines)

    def set_machines(self, machines: Sequence[Any]) -> None:
        """Go on with these, which may have more outputs or features than those before."""
        self.machines = list(machines)
        self.lessons = grouped(self.machines)
        #: What rows scored until all have learned them.
        columns = self.n_voices * self.shape.n_outputs
        self.waiting = np.zeros((len(self.machines), BLOCK_ROWS, columns))

    def change_machines(self, change: Callable[[Any], Any], task: Any = None) -> None:
        """Go on with what becomes of every machine, of other outputs (then for this task) or features."""
        self.set_machines([change(machine) for machine in self.machines])

    @property
    def n_voices(self) -> int:
        """How many scores each machine gives for every output."""
        return 1

    @property
    def shape(self) -> Any:
        return self.machines[0].shape

    @property
    def t(self) -> int:
        """Rows that all have learned, and that were judged."""
        raise NotImplementedError

    def judge(self, targets: np.ndarray, weights: np.ndarray, trace: np.ndarray) -> None:
        """Judge what was scored of rows that all have learned, row by row; ``trace`` gets the scores of the whole.

        ``weights`` are those that the rows were learned with.
        """
        raise NotImplementedError

    def rows_left(self) -> int:
        """Rows until the block ends that begins or goes on now."""
        return BLOCK_ROWS - self.t % BLOCK_ROWS

    def decide(self) -> None:
        """What follows from the rows so far, between two blocks."""

    @property
    def paused(self) -> bool:
        return any(machine.paused for machine in self.machines)

    def resumed(self, go_on: Callable[[Any], Any]) -> Any:
        """The same after a pause: those that paused go on as other machines."""
        with self.lock.writing:
            self.machines = [go_on(m) if m.paused else m for m in self.machines]
            self.lessons = grouped(self.machines)
        return self

    def adapt_to(self, X: Any) -> None:
        for machine in self.machines:
            machine.adapt_to(X)
        self.lessons = grouped(self.machines)

    # -- learning ------------------------------------------------------------------------------

    def learn(
        self,
        X: Any,
        targets: np.ndarray,
        weights: np.ndarray,
        trace: np.ndarray = NO_TRACE,
    ) -> int:
        """Learn the rows in order; return how many (fewer than all only when a machine pauses).

        ``trace`` and the observer get the scores of the whole; see :meth:`onkel.engine.machine.Machine.learn`.
        """
        told = weights
        if self.class_weights is not None:
            weights = self.class_weights.applied(targets, weights)
        if trace.size == 0:
            trace = np.empty((len(targets), self.shape.n_outputs))
        position = 0
        while position < len(targets):
            stop = position - position % STRETCH_ROWS + STRETCH_ROWS
            lesson = X, targets, weights, told, trace
            position += self._learn_stretch(Stretch(*(each[position:stop] for each in lesson)))
            if self.paused:
                break
        return position

    def _learn_stretch(self, stretch: Stretch) -> int:
        """Learn rows, for which those who share something prepare at once; return how many."""
        X, targets, weights, told, trace = stretch
        position, begun = 0, None
        while position < len(targets):
            rows = slice(position, min(position + self.rows_left(), len(targets)))
            with Uninterrupted(), self.lock.writing:
                if begun is not self.lessons:  # the first time, and when they are others
                    begun = self.lessons
                    for lesson in begun:
                        lesson.begin(X, targets, weights)
                self._learn_block(rows.start, rows.stop)
                position += self._settle(trace[rows], targets[rows], weights[rows], told[rows])
            if self.paused:
                break
        return position

    def _learn_block(self, start: int, stop: int) -> None:
        """Let every machine learn these rows, but for those it has learned already."""
        for lesson in self.lessons:
            while not self.paused:
                ahead = self.ahead[lesson.numbers]
                least = int(ahead.min())
                if start + least >= stop:
                    break
                lesson.evaluate(start + least, stop)
                for place in np.flatnonzero(ahead == least).tolist():
                    machine, number = lesson.machines[place], lesson.numbers[place]
                    t = machine.t
                    try:
                        lesson.walk(place, start + least, stop, self.waiting[number, least:])
                    finally:
                        self.ahead[number] += machine.t - t

    def _settle(
        self, trace: np.ndarray, targets: np.ndarray, weights: np.ndarray, told: np.ndarray
    ) -> int:
        """Judge the rows that all have learned, and go on from there; return how many."""
        ready, t = min(len(targets), int(self.ahead.min())), self.t
        try:
            self.judge(targets[:ready], weights[:ready], trace)
        finally:  # whatever happened, the rest follows
            done = self.t - t
            if done:
                self.ahead -= done
                most = int(self.ahead.max())
                self.waiting[:, :most] = self.waiting[:, done : done + most]
                if self.observer is not None:
                    self.observer.observe(trace[:done], targets[:done], told[:done])
                if self.class_weights is not None:
                    self.class_weights = self.class_weights.after(targets[:done])
                self.decide()
        return done

    # -- reading -------------------------------------------------------------------------------

    def scores(self, X: Any) -> np.ndarray:
        """Scores (rows x C) of the output model, as it is at one moment."""
        return self.scores_and_observer(X)[0]

    def scores_and_observer(self, X: Any) -> tuple[np.ndarray, Any]:
        """The same, and a copy of the observer at that moment."""
        with self.lock.reading:
            scorer, observer = self.scorer_of(X), copy(self.observer)
            if X.shape[0] <= STRETCH_ROWS:
                return scorer(X), observer
        return scorer(X), observer

    def scorer_of(self, X: Any) -> Callable[[Any], np.ndarray]:
        """How rows like these score by the output model as it is now."""
        raise NotImplementedError

    def observer_now(self) -> Any:
        """A copy of the observer, all of one moment."""
        with self.lock.reading:
            return copy(self.observer)

    # -- copies --------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        with self.lock.reading:
            most = int(self.ahead.max(initial=0))
            return {
                "machines": copied(self.machines),
                "maps": map_owners(self.machines),
                "observer": copy(self.observer),
                "class_weights": self.class_weights,
                "waiting": self.waiting[:, :most].copy(),
                "ahead": self.ahead.copy(),
            }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.lock = ModelLock()
        kept = np.require(state["waiting"], requirements="W")
        self.waiting = np.zeros((kept.shape[0], BLOCK_ROWS, kept.shape[2]))
        self.waiting[:, : kept.shape[1]] = kept
        self.ahead = np.require(state["ahead"], requirements="W")
        owners = vars(self).pop("maps", None)
        for number, machine in enumerate(self.machines):
            if vars(machine).get("frequencies", vars(machine).get("map", machine)) is None:
                owner = 0 if owners is None else owners[number]  # older files: all have the first
                machine.feature_map = self.machines[owner].feature_map
        self.lessons = grouped(self.machines)


def map_owners(machines: Sequence[Any]) -> list[int]:
    """Of each machine, the first that has the same map: itself, if it has none or one of its own."""
    maps = [getattr(machine, "feature_map", None) for machine in machines]
    return [
        number if found is None else next(n for n, other in enumerate(maps) if other is found)
        for number, found in enumerate(maps)
    ]


def copied(machines: Sequence[Any]) -> list[Any]:
    """Copies of machines; a map that several share is kept by the first of them."""
    copies: list[Any] = []
    for number, (machine, owner) in enumerate(zip(machines, map_owners(machines))):
        if machine is None:
            copies.append(None)
            continue
        made = object.__new__(type(machine))
        made.__setstate__(machine.__getstate__())
        if owner != number:
            made.feature_map = None
        copies.append(made)
    return copies
