"""Rows that several machines learn side by side: what they look at alike is evaluated once, and each walks it.

Machines are put into groups by what they have in common; a group is a :class:`Lesson`. What is shared never changes
what is learned: every machine learns as it would alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from onkel.compiled.decorators import direct
from onkel.engine.block_scores import score_block
from onkel.engine.layout import as_layout
from onkel.engine.machine import BLOCK_ROWS, FOREVER, Machine
from onkel.engine.walk import Block, walk
from onkel.maps.fourier import Frequencies, sines_and_cosines_of
from onkel.model.questions import compiled_for

#: Machines of a group that walk the same features and learn apart from the others: so many of them together.
WALK_TOGETHER = 6


class Part(NamedTuple):
    """Some machines of a group, by their places, that may learn apart from the others."""

    places: list[int]
    lender: int | None = None  # the place of one whose map they need


class Lesson:
    """Machines that learn the same rows, and share nothing else: each evaluates for itself."""

    def __init__(self, machine: Any, number: int) -> None:
        self.machines, self.numbers = [machine], [number]

    def takes(self, machine: Any) -> bool:
        """Whether a machine, which may be in groups of this kind, may join this one."""
        return False

    def join(self, machine: Any, number: int) -> None:
        self.machines.append(machine)
        self.numbers.append(number)

    def parts(self) -> list[Part]:
        """How the group can be split so that everybody learns the same, to the last bit."""
        return [Part(list(range(len(self.machines))))]

    def is_same_without(self, gone: set[int]) -> bool:
        """Whether the others learn the same, to the last bit, when those at these places have left."""
        return 0 not in gone or len(gone) == len(self.machines)

    def begin(self, X: Any, targets: np.ndarray, weights: np.ndarray) -> None:
        """Get ready for these rows, which come in pieces."""
        shape = self.machines[0].shape
        self.X = as_layout(X, shape.layout, shape.dtype)
        self.targets, self.weights = targets, weights

    def evaluate(self, start: int, stop: int) -> None:
        """Prepare some of the rows for all who walk them next."""

    def walk(self, place: int, start: int, stop: int, trace: np.ndarray) -> None:
        """Let the machine at this place learn some of the rows, at least.

        Its scores before each update go into ``trace``.
        """
        rows = slice(start, stop)
        lesson = self.X[rows], self.targets[rows], self.weights[rows], trace[: stop - start]
        self.machines[place].learn(*lesson)


class OnFourierFeatures(Lesson):
    """Machines on Fourier features of the same directions: one product with the rows serves all widths.

    Features of one width are made of it once, whoever learns on them: online gradient descent walks them,
    ridge regression takes them as a matrix.
    """

    def __init__(self, machine: Any, number: int) -> None:
        super().__init__(machine, number)
        self.maps = [machine.feature_map]
        self.factors = [1.0]
        self.places = [0]  # of every machine, the place of its map
        self.room: list[Any] = [None]  # of every map, where its features are

    @staticmethod
    def may_take(machine: Any) -> bool:
        """Whether it learns on Fourier features."""
        return isinstance(getattr(machine, "feature_map", None), Frequencies)

    def takes(self, machine: Any) -> bool:
        first = self.machines[0]
        alike = machine.shape == first.shape
        return alike and machine.feature_map.multiple_of(self.maps[0]) is not None

    def join(self, machine: Any, number: int) -> None:
        super().join(machine, number)
        for place, known in enumerate(self.maps):
            if machine.feature_map is known or machine.feature_map.is_same(known):
                machine.feature_map = known  # once is enough
                self.places.append(place)
                return
        self.places.append(len(self.maps))
        self.maps.append(machine.feature_map)
        self.factors.append(machine.feature_map.multiple_of(self.maps[0]))
        self.room.append(None)

    def parts(self) -> list[Part]:
        """Those of one map together, as far as they are not too many; the dear ones each for itself."""
        places = sorted(range(len(self.machines)), key=self.places.__getitem__)
        walking = [place for place in places if isinstance(self.machines[place], Machine)]
        teams = [[place] for place in places if place not in walking]
        if walking:
            pieces = np.array_split(walking, -(-len(walking) // WALK_TOGETHER))
            teams += [piece.tolist() for piece in pieces]
        return [Part(team, None if 0 in team else 0) for team in teams]

    def is_same_without(self, gone: set[int]) -> bool:
        """All turns are multiples of the first map's."""
        left = [map_place for place, map_place in enumerate(self.places) if place not in gone]
        return not left or left[0] == 0

    def begin(self, X: Any, targets: np.ndarray, weights: np.ndarray) -> None:
        super().begin(X, targets, weights)
        base = self.maps[0]
        self.matrix = base.dense_matrix(self.X)
        self.turns = np.empty((2, BLOCK_ROWS, base.pool.shape[1]), base.pool.dtype)
        for place in range(len(self.maps)):
            self.room[place] = None
        for machine, place in zip(self.machines, self.places):
            if isinstance(machine, Machine):
                machine.lay_out_beside(self.room[place] or machine)
                self.room[place] = self.room[place] or machine
        self.features = [self._room_for_features(first) for first in self.room]

    def _room_for_features(self, first: Machine | None) -> np.ndarray:
        """Where the features of a map go: to who walks them, or into a matrix of their own."""
        if first is None:
            return np.empty((BLOCK_ROWS, self.maps[0].n_map_features), self.turns.dtype)
        first._workspace.diagonal[:] = 1.0
        return first._workspace.values

    def evaluate(self, start: int, stop: int) -> None:
        count = stop - start
        turns, scaled = self.turns[0, :count], self.turns[1, :count]
        self.maps[0].turns(self.X[start:stop], self.matrix, turns)
        for factor, features in zip(self.factors, self.features):
            if factor == 1.0:
                sines_and_cosines_of(turns, features)
            else:
                np.multiply(turns, turns.dtype.type(factor), out=scaled)
                sines_and_cosines_of(scaled, features)

    def walk(self, place: int, start: int, stop: int, trace: np.ndarray) -> None:
        machine, rows = self.machines[place], slice(start, stop)
        targets, weights = self.targets[rows], self.weights[rows]
        if isinstance(machine, Machine):
            walk_explicit(machine, targets, weights, trace)
            return
        map_place = self.places[place]
        size = self.maps[map_place].n_map_features
        features = self.features[map_place][: stop - start, :size]
        machine.learn_features(features, targets, weights, trace[: stop - start])


def walk_explicit(
    machine: Machine, targets: np.ndarray, weights: np.ndarray, trace: np.ndarray
) -> None:
    """Let a machine learn rows whose features are in its workspace."""
    block = Block(0, len(targets))
    lesson = targets, weights, trace, block, FOREVER
    if machine._walk is None:
        machine._walk = walk if machine._own else compiled_for(walk, *machine.parts[:5])
    if machine._workspace.block_scores.size:
        score_block(machine.model, machine._workspace, block.rows)
    t = machine.t
    try:
        machine._walk(*machine._handles, *lesson)
    finally:  # whatever happened, the rest follows
        learn_from_scores(machine, trace, targets, weights, machine.t - t)
    machine._walk = direct(machine._walk, *machine._handles, *lesson)


def learn_from_scores(
    machine: Machine, trace: np.ndarray, targets: np.ndarray, weights: np.ndarray, rows: int
) -> None:
    """Show the observer of a machine what its first rows scored."""
    if machine.observer is not None:
        outputs = machine.shape.n_outputs
        machine.observer.observe(trace[:rows, :outputs], targets[:rows], weights[:rows])
