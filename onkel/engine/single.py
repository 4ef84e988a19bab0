"""One row at a time: what learning a chunk prepares is prepared once, and serves for every row.

Of a chunk of one row, nearly all time goes to what stands around the learning: rows, kernels and sizes are put into
the form that compiled code takes. A lane keeps all of it, with room for one row: who writes the row there can have
it learned or scored, by the same compiled walk. It belongs to one machine and one thread; other threads
may read the machine meanwhile, in the usual ways.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import direct, jit
from onkel.engine.layout import as_layout
from onkel.engine.machine import Machine
from onkel.engine.walk import Block, fill, walk
from onkel.engine.workspace import are_many
from onkel.model.questions import compiled_for
from onkel.model.state import Model, Workspace
from onkel.model.tile import Tile
from onkel.model.vectors import DenseRows, apply_log

ONE_ROW = Block(0, 1)
NEVER = -1


def lane_for(machine: Any) -> Lane:
    """The quickest way to give this machine rows one by one."""
    return Prepared(machine) if is_simple(machine) else Lane(machine)


def is_simple(machine: Any) -> bool:
    """Whether nothing but the row changes from call to call."""
    return (
        isinstance(machine, Machine)
        and machine.shape.layout == "dense"
        and machine._kernel_part is not None
        and machine.class_weights is None
        and not are_many(machine.shape.n_outputs)
    )


class Lane:
    """Rows one by one for any machine, as chunks of one row."""

    def __init__(self, machine: Any) -> None:
        self.machine = machine
        #: The row that is learned or scored next, to be written to.
        self.row = np.zeros((1, machine.shape.n_features))
        self._targets, self._weights = np.zeros(1), np.ones(1)

    def take(self) -> float:
        """Take the row as it is written now; returns the sum of its squares, of which the caller judges it."""
        return float(np.vdot(self.row, self.row))

    def learn(self, target: float, weight: float) -> None:
        """Learn the row that was taken; the machine must not have paused."""
        self._targets[0], self._weights[0] = target, weight
        self.machine.learn(self._chunk(), self._targets, self._weights)

    def scores(self) -> list[float]:
        """The scores (C) of the row that was taken by the output model."""
        return self.machine.scores(self._chunk())[0].tolist()

    def _chunk(self) -> Any:
        shape = self.machine.shape
        return as_layout(self.row, shape.layout, shape.dtype)


class Prepared(Lane):
    """Dense rows for a machine with a kernel or an explicit map of ours.

    Who asks for the scores of a row before it is learned, as is usual, has it evaluated once.
    """

    _handles: Any = None
    _first_time = True
    _evaluated_at: Any = NEVER

    def take(self) -> float:
        machine = self.machine
        if machine.n >= machine.capacity:
            with machine.lock.writing:
                machine._grow()
                machine._lay_out()
        if machine._handles is None or machine._handles is not self._handles:
            self._prepare()
        squares, same = self._place(*self._placing)
        if not same:
            self._evaluated_at = NEVER
        return squares

    def learn(self, target: float, weight: float) -> None:
        machine = self.machine
        self._evaluate()
        self._targets[0], self._weights[0] = target, weight
        t = self._t[0]
        with machine.lock.writing:
            try:
                machine._walk(*self._walking)
            finally:  # an interrupt arrives when compiled code returns: the rest still follows
                if self._log_state[0]:
                    self._apply_log(*self._applying)
                if machine.observer is not None and self._t[0] > t:
                    machine.observer.observe(self._trace, self._targets, self._weights)
        if self._first_time:  # the types stay the same from now on
            self._first_time = False
            machine._walk = direct(machine._walk, *self._walking)
        if self._log_state[2]:
            machine._refuse_budget(int(self._log_state[2]))

    def scores(self) -> list[float]:
        self._evaluate()
        self._score(*self._scoring)
        slope, more = self.machine._line
        return [slope * score + more for score in self._out.tolist()]

    def _evaluate(self) -> None:
        """The kernel values, or the features, of the row that was taken."""
        t = self._t[0]
        if self._evaluated_at != t:
            self._fill(*self._of_all_vectors())
            self._evaluated_at = t

    def _of_all_vectors(self) -> tuple[Any, ...]:
        """What compiled code fills the workspace with: the values of the row with the vectors that there are now."""
        kernel, store, rows, workspace = self._filling
        return kernel, store, rows, Tile(0, 1, 0, int(self._n[0]), True), workspace

    def _prepare(self) -> None:
        """Put together what compiled code is given, whatever the row; anew when the model got more room."""
        machine, shape = self.machine, self.machine.shape
        if machine._handles is None:
            with machine.lock.writing:
                machine._lay_out()
        if machine._walk is None:
            machine._walk = walk if machine._own else compiled_for(walk, *machine.parts[:5])
        self._handles = parts, model, workspace = machine._handles
        now, self._log_state = machine.model.now, machine._workspace.log_state
        self._n, self._t = now["n"], now["t"]
        x, norms = np.zeros((1, shape.n_features), shape.dtype), np.zeros(1, shape.dtype)
        offset = np.zeros(shape.n_features, shape.dtype)
        if machine.offset is not None:
            offset[:] = machine.offset
        self._trace, self._out = np.zeros((1, shape.n_outputs)), np.zeros(shape.n_outputs)
        kernel, rows = machine._kernel_for(x, machine.store, machine.n), DenseRows(x, norms)
        self._placing = self.row, offset, machine._city_block, x, norms
        self._filling = kernel, machine.store, rows, workspace
        self._applying = machine.store, rows, workspace
        self._scoring = model, workspace, self._out
        lesson = self._targets, self._weights, self._trace, ONE_ROW, machine.recipe.pause_at
        self._walking = parts, model, workspace, *lesson
        self._compile(compiled_for(fill, kernel))
        self._first_time, self._evaluated_at = True, NEVER

    def _compile(self, filling: Any) -> None:
        """Call what changes nothing once: a direct call does not look the types up again."""
        arguments = self._of_all_vectors()
        filling(*arguments)
        self._fill = direct(filling, *arguments)
        place(*self._placing)
        self._place = direct(place, *self._placing)
        score_evaluated(*self._scoring)
        self._score = direct(score_evaluated, *self._scoring)
        apply_log(*self._applying)  # of an empty log
        self._apply_log = direct(apply_log, *self._applying)


@jit
def place(
    row: Array, offset: Array, city_block: bool, x: Array, norms: Array
) -> tuple[float, bool]:
    """The row next to the origin, and its sum of squares or of absolute values.

    Returns the sum of squares where it is, and whether it was there already.
    """
    squares, norm, same = 0.0, x[0, 0] * 0, True
    for j in range(row.shape[1]):
        squares += row[0, j] * row[0, j]
        moved = x.dtype.type(row[0, j]) - offset[j]
        same = same and x[0, j] == moved
        x[0, j] = moved
        norm += abs(moved) if city_block else moved * moved
    norms[0] = norm
    return squares, same


@jit
def score_evaluated(model: Model, workspace: Workspace, out: Array) -> None:
    """The scores by the output model of the first row of a workspace."""
    now, values = model.now[0], workspace.values[0]
    averages = model.sums.size > 0
    a = now.output_average
    for c in range(out.size):
        coef, total = model.coef[c], 0.0
        if averages:
            corrections, summed = model.corrections[a, c], model.sums[a]
            for i in range(now.n):
                total += (coef[i] * summed - corrections[i]) * values[i]
            if model.intercept.size > 0:
                total += model.intercept_sums[a, c]
            out[c] = total / max(1.0, model.counts[a])
        else:
            for i in range(now.n):
                total += coef[i] * values[i]
            out[c] = total * now.scale
            if model.intercept.size > 0:
                out[c] += model.intercept[c]
