"""The walk: score by matrix algebra, learn row by row.

For each block of rows the kernel fills the workspace (one matrix product against the vectors, one
within the block). Then the rows are visited in order: score, loss, step, absorb. A row that
enters the support set writes its kernel column for the rows after it, so the result is that
of learning one instance at a time. At the end of the block the stored vectors follow.

The walk sees numbers only: it is compiled once for a combination of task, loss, rule and budget,
whatever the kernel and the kind of rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inlined, jit
from onkel.model.instance import Instance
from onkel.model.intercept import (
    add_intercept,
    add_output_intercept,
    directional_intercept,
    move_intercept,
)
from onkel.model.questions import absorb, evaluate, radius, slope, step, value, view
from onkel.model.scores import COEFFICIENTS, NEXT, is_scored, score, score_average, score_row
from onkel.model.state import (
    LOG_ENTRIES_A_ROW,
    TOO_MANY_CHANGES,
    TOO_MANY_VECTORS,
    Model,
    Workspace,
    accumulate,
    multiply,
)
from onkel.model.tile import Tile


class Composition(NamedTuple):
    """What a learner is made of, but for its kernel."""

    task: Any
    loss: Any
    rule: Any
    budget: Any
    ball: Any
    average: float  # share of the last iterates that the output averages: 0 none, 1 all
    seed: int
    noise: float  # a loss of this relative size is rounding
    decay: float = (
        1.0  # what an old term is multiplied with before each update: 1, or less to forget
    )


class Block(NamedTuple):
    """Rows ``first .. first + rows`` of a chunk."""

    first: int
    rows: int


@jit
def fill(kernel: Any, store: Any, rows: Any, tile: Tile, workspace: Workspace) -> None:
    """The kernel values of a block of rows, or of some vectors for it."""
    evaluate(kernel, store, rows, tile, workspace)


@jit
def walk(
    parts: Any,
    model: Model,
    workspace: Workspace,
    targets: Array,
    weights: Array,
    trace: Array,
    block: Any,
    pause_at: Any,
) -> Any:
    """Visit the rows of a block in order; return how many were visited.

    It ends early when there are ``pause_at`` vectors, or no room for another one, when the scores of the block
    are of no use any more, or when a budget does what it must not: then ``workspace.log_state[2]`` says so.
    ``trace`` (rows x C) gets the scores of the output model before each update, unless it is empty;
    with 2 C columns also those of the last iterate.
    """
    for r in range(block.rows):
        n = model.now[0].n
        if n >= pause_at or n >= model.coef.shape[1]:
            return r
        row, changes = block.first + r, workspace.log_state[0]
        visit(parts, model, workspace, trace, r, row, block.rows, targets[row], weights[row])
        if workspace.log_state[0] - changes > LOG_ENTRIES_A_ROW:
            workspace.log_state[2] = TOO_MANY_CHANGES
        if model.now[0].n > n + 1:
            workspace.log_state[2] = TOO_MANY_VECTORS
        if workspace.log_state[2] != 0:
            return r
        if workspace.block_scores.size > 0 and not is_scored(model, workspace):
            return r + 1
    return block.rows


@inlined
def visit(
    parts: Any,
    model: Model,
    workspace: Workspace,
    trace: Array,
    r: int,
    row: int,
    count: int,
    target: float,
    weight: float,
) -> None:
    """One instance: score, record, step, absorb."""
    now = model.now[0]
    count_before = now.count
    now.t += 1
    now.count = parts.decay * count_before + 1.0
    now.largest_target = max(now.largest_target, abs(target))
    workspace.block_state[NEXT] = r + 1
    score_row(model, workspace, r, COEFFICIENTS, model.coef, now.scale, workspace.scores)
    accumulate(model, parts.average, parts.decay)
    score_output(model, workspace, r)
    add_intercept(model, workspace.scores)
    outcome = view(parts.task, workspace.scores, target)
    loss, gradient = value(parts.loss, outcome.m), slope(parts.loss, outcome.m)
    record(parts, model, workspace, target, outcome.m, loss)
    if trace.size > 0:
        outputs = workspace.scores.size
        for c in range(outputs):
            trace[row, c] = workspace.output_scores[c]
        for c in range(outputs, trace.shape[1]):
            trace[row, c] = workspace.scores[c - outputs]
    if loss <= parts.noise * (1.0 + abs(outcome.m)) * abs(gradient):
        loss, gradient = 0.0, 0.0
    instance = Instance(
        r, row, count, outcome.m, outcome.sign, outcome.up, outcome.down, outcome.moved_outputs,
        loss, gradient, weight, float(workspace.diagonal[r]),
        now.t, parts.seed, now.count, now.count - count_before,
    )  # fmt: skip
    change = step(parts.rule, instance, model.rule_memory)
    now.directional_score = outcome.directional_score - directional_intercept(model, outcome)
    multiply(model, change.shrink * parts.decay)
    absorb(parts.budget, model, workspace, instance, change)
    limit = radius(parts.ball, now.largest_target)
    if limit > 0.0 and now.squared_norm > limit * limit:
        multiply(model, limit / now.squared_norm**0.5)
    move_intercept(model, instance)


@inlined
def score_output(model: Model, workspace: Workspace, r: int) -> None:
    """The scores of the output model, which may be an average, given those of the last one's vectors."""
    for c in range(workspace.scores.size):
        workspace.output_scores[c] = workspace.scores[c]
    score_average(model, workspace, r)
    add_output_intercept(model, workspace.output_scores)


@inlined
def record(
    parts: Any, model: Model, workspace: Workspace, target: float, m: float, loss: float
) -> None:
    """Progress: what the output model makes of the instance before the update."""
    now = model.now[0]
    if model.sums.size > 0:
        m = view(parts.task, workspace.output_scores, target).m
        loss = value(parts.loss, m)
    now.loss += loss
    now.squared_error += m * m
    if m <= 0.0:
        now.mistakes += 1


@jit
def output_scores(
    kernel: Any, store: Any, rows: Any, n: int, coef: Array, workspace: Workspace, out: Array
) -> None:
    """Scores of all rows under given coefficients (C x n)."""
    position = 0
    while position < out.shape[0]:
        count = min(workspace.diagonal.size, out.shape[0] - position)
        evaluate(kernel, store, rows, Tile(position, count, 0, n, False), workspace)
        for r in range(count):
            score(workspace.values[r], n, coef, 1.0, out[position + r])
        position += count
