"""Machines whose terms are charged to core points of the same cells: one block of distances serves all of them.

Which cells there are depends on the rows alone, not on the kernel's width, the regularization or the loss. So the
first of the machines finds the distances of a block, and its vectors are those of all; the others make their kernel
values of these distances.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from onkel.budgets import Spheres
from onkel.compiled.arrays import Array
from onkel.compiled.decorators import direct, jit
from onkel.engine.block_scores import score_block
from onkel.engine.lessons import Lesson, learn_from_scores
from onkel.engine.machine import FOREVER, Machine
from onkel.engine.walk import Block, fill, walk
from onkel.kernels.geometry import SQUARED_DISTANCES, fill_constant, geometry_of, in_precision
from onkel.model.questions import compiled_for, is_own, value
from onkel.model.state import Workspace
from onkel.model.tile import Tile


class OnCells(Lesson):
    """Machines with the same spheres, all of which have learned the same rows."""

    @staticmethod
    def may_take(machine: Any) -> bool:
        """Whether its core points depend on the rows alone."""
        if type(machine) is not Machine or machine.recipe.pause_at != FOREVER:
            return False
        budget, kernel = machine.recipe.budget, machine.kernel
        cells = type(budget) is Spheres and budget.exact_rate == 0.0
        return cells and geometry_of(kernel) == SQUARED_DISTANCES and is_own(kernel)

    def takes(self, machine: Any) -> bool:
        first = self.machines[0]
        if machine.shape != first.shape or machine.recipe.budget != first.recipe.budget:
            return False
        same_rows = (machine.t, machine.n, machine.capacity) == (first.t, first.n, first.capacity)
        offsets = [m.offset for m in (machine, first)]
        return same_rows and (
            (offsets[0] is None and offsets[1] is None) or np.array_equal(*offsets)
        )

    def evaluate(self, start: int, stop: int) -> None:
        first, count = self.machines[0], stop - start
        for machine in self.machines:
            if machine.n >= machine.capacity:
                machine._grow()
            if machine._handles is None:
                machine._lay_out()
        self.rows = first._rows(self.X[start:stop], first.block_rows)
        if first._fill is None:
            first._fill = compiled_for(fill, first._kernel_part)
        tile = Tile(0, count, 0, first.n, True)
        filling = first._kernel_part, first.store, self.rows, tile, first._handles[2]
        first._fill(*filling)
        first._fill = direct(first._fill, *filling)
        found = first._workspace
        for machine in self.machines[1:]:
            machine.store = first.store
            kernel = in_precision(machine.kernel, machine.shape.dtype)
            gaps = found.distances, found.block_distances
            derive(kernel, *gaps, count, first.n, machine._handles[2])

    def walk(self, place: int, start: int, stop: int, trace: np.ndarray) -> None:
        machine, rows = self.machines[place], slice(start, stop)
        targets, weights = self.targets[rows], self.weights[rows]
        block, t = Block(0, len(targets)), machine.t
        if machine._walk is None:
            machine._walk = walk if machine._own else compiled_for(walk, *machine.parts[:5])
        if machine._workspace.block_scores.size:
            score_block(machine.model, machine._workspace, block.rows)
        lesson = targets, weights, trace, block, FOREVER
        try:
            machine._walk(*machine._handles, *lesson)
        finally:  # whatever happened, the rest follows
            self._follow_log(machine)
            learn_from_scores(machine, trace, targets, weights, machine.t - t)
        machine._walk = direct(machine._walk, *machine._handles, *lesson)

    def _follow_log(self, machine: Machine) -> None:
        """Let the stored vectors follow the first machine: the others wrote the same rows into the same slots."""
        if machine is self.machines[0]:
            machine._apply_log(self.rows)
        else:
            machine._workspace.log_state[:2] = 0
            machine.store = self.machines[0].store


@jit
def derive(
    kernel: Any, gaps: Array, inside: Array, count: int, n: int, workspace: Workspace
) -> None:
    """Kernel values of rows from their squared distances to the vectors, and to each other."""
    fill_constant(kernel, count, workspace.diagonal)
    for r in range(count):
        given, kept, values = gaps[r], workspace.distances[r], workspace.values[r]
        for i in range(n):
            kept[i] = given[i]
        for i in range(n):
            values[i] = value(kernel, given[i])
        given, kept, values = inside[r], workspace.block_distances[r], workspace.block_values[r]
        for i in range(count):
            kept[i] = given[i]
        for i in range(count):
            values[i] = value(kernel, given[i])
