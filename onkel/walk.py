"""The walk: score by matrix algebra, learn row by row.

For each block of rows the kernel fills the work sheet (one matrix product against the vectors, one
within the block). Then the rows are visited in order: score, loss, step, absorb. A row that
enters the support set writes its kernel column for the rows after it, so the result is that
of learning one instance at a time. At the end of the block the stored vectors follow.

The walk sees numbers only: it is compiled once for a combination of task, loss, rule and budget,
whatever the kernel and the kind of rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from onkel.arrays import Array
from onkel.compile import jit, merged
from onkel.draws import draw
from onkel.models.state import (
    LOG_ENTRIES_A_ROW,
    TOO_MANY_CHANGES,
    TOO_MANY_VECTORS,
    Model,
    Seen,
    Work,
    accumulate,
    multiply,
    score,
    score_average,
)
from onkel.parts import absorb, evaluate, radius, slope, step, value, view


class Parts(NamedTuple):
    """What a learner is made of, but for its kernel."""

    task: Any
    loss: Any
    rule: Any
    budget: Any
    ball: Any
    suffix: float  # share of the iterates in the suffix average; 0: none
    seed: int
    noise: float  # a loss of this relative size is rounding


class Block(NamedTuple):
    """Rows ``first .. first + rows`` of a chunk."""

    first: int
    rows: int


@jit
def fill(kernel: Any, store: Any, rows: Any, block: Any, n: int, work: Work) -> None:
    """The kernel values of a block of rows."""
    evaluate(kernel, store, rows, block.first, block.rows, n, work)


@jit
def walk(
    parts: Any,
    model: Model,
    work: Work,
    targets: Array,
    weights: Array,
    trace: Array,
    block: Any,
    pause_at: Any,
) -> Any:
    """Visit the rows of a block in order; return how many were visited.

    It ends early when there are ``pause_at`` vectors, or no room for another one, or when a budget does
    what it must not: then ``work.logged[2]`` says so. ``trace`` gets the
    first score of the output model before each update, unless it is empty.
    """
    for r in range(block.rows):
        n = model.now[0].n
        if n >= pause_at or n >= model.coef.shape[1]:
            return r
        row, changes = block.first + r, work.logged[0]
        visit(parts, model, work, r, row, block.rows, targets[row], weights[row])
        if trace.size > 0:
            trace[row] = work.shown[0]
        if work.logged[0] - changes > LOG_ENTRIES_A_ROW:
            work.logged[2] = TOO_MANY_CHANGES
        if model.now[0].n > n + 1:
            work.logged[2] = TOO_MANY_VECTORS
        if work.logged[2] != 0:
            return r
    return block.rows


@merged
def visit(
    parts: Any, model: Model, work: Work, r: int, row: int, count: int, target: float, weight: float
) -> None:
    """One instance: score, record, step, absorb."""
    now = model.now[0]
    now.t += 1
    now.largest_target = max(now.largest_target, abs(target))
    score(work.kernel[r], now.n, model.coef, now.scale, work.scores)
    accumulate(model, parts.suffix)
    sight = view(parts.task, work.scores, target)
    loss, gradient = value(parts.loss, sight.m), slope(parts.loss, sight.m)
    record(parts, model, work, r, target, sight.m, loss)
    if loss <= parts.noise * (1.0 + abs(sight.m)) * abs(gradient):
        loss, gradient = 0.0, 0.0
    seen = Seen(
        r, row, count, sight.m, sight.sign, sight.up, sight.down, sight.outputs,
        loss, gradient, weight, float(work.diagonal[r]),
        now.t, draw(parts.seed, now.t, 0), draw(parts.seed, now.t, 1),
    )  # fmt: skip
    taken = step(parts.rule, seen, model.rule_memory)
    multiply(model, taken.shrink)
    now.along = sight.along * taken.shrink
    absorb(parts.budget, model, work, seen, taken)
    limit = radius(parts.ball, now.largest_target)
    if limit > 0.0 and now.squared_norm > limit * limit:
        multiply(model, limit / now.squared_norm**0.5)


@merged
def record(
    parts: Any, model: Model, work: Work, r: int, target: float, m: float, loss: float
) -> None:
    """Progress: what the output model, which may be an average, scores before the update."""
    now = model.now[0]
    work.shown[0] = work.scores[0]
    if model.sums.size > 0:
        score_average(model, work.kernel[r], work.scores, work.shown)
        m = view(parts.task, work.shown, target).m
        loss = value(parts.loss, m)
    now.loss += loss
    now.squared_error += m * m
    if m <= 0.0:
        now.mistakes += 1


@jit
def output_scores(
    kernel: Any, store: Any, rows: Any, n: int, coef: Array, work: Work, out: Array
) -> None:
    """Scores of all rows under given coefficients (C x n)."""
    position = 0
    while position < out.shape[0]:
        count = min(work.diagonal.size, out.shape[0] - position)
        evaluate(kernel, store, rows, position, count, n, work)
        for r in range(count):
            score(work.kernel[r], n, coef, 1.0, out[position + r])
        position += count
