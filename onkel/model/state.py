"""The state of a learner while it walks: counters, coefficients, averages, and the workspace of a block.

The model is ``f(x) = s * sum_i A[:, i] k(v_i, x)`` (or ``s * A z(x)``). Shrinking everything is one
multiplication of ``s``; averages are kept lazily: with ``S = sum of s_t``, a change of an
unscaled coefficient by ``a`` adds ``a S`` to a correction, and the summed coefficients are ``A S - correction``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner
from onkel.compiled.pointers import Pointer, where
from onkel.model.instance import Instance

#: Numbers that change from instance to instance.
NOW = np.dtype(
    [
        ("t", np.int64),  # instances seen
        ("n", np.int64),  # slots in use
        ("scale", np.float64),
        ("squared_norm", np.float64),  # of the weights, where a ball needs it
        ("directional_score", np.float64),  # of the instance, after shrinking
        ("follows_norm", np.bool_),
        ("largest_target", np.float64),
        ("output_average", np.int64),  # which average is the output
        ("restarts", np.int64),
        ("next_restart", np.int64),  # of the averages, as an instance count
        ("mistakes", np.int64),
        ("loss", np.float64),
        ("squared_error", np.float64),
    ],
    align=True,
)
#: The scale is folded into the coefficients when it leaves this range: averages lose no digits.
SAFE_SCALE = (1e-4, 1e4)
#: Kinds of log entries: a row into a slot, a slot into a slot, a mixture of two slots into the first.
PUT, COPY, BLEND = 0, 1, 2
LOG_ENTRIES_A_ROW = 4
#: What a budget can do wrong, and what is said then.
TOO_MANY_CHANGES, TOO_MANY_VECTORS = 1, 2
WRONGS = {
    TOO_MANY_CHANGES: f"changed more than {LOG_ENTRIES_A_ROW} stored vectors",
    TOO_MANY_VECTORS: "appended more than one vector",
}


class Model(NamedTuple):
    now: Array  # (1,) of NOW
    coef: Array  # (C, capacity), unscaled
    sums: Array  # (averages,): S of each running average
    counts: Array  # (averages,): how many iterates are in it
    corrections: Array  # (averages, C, capacity)
    born: Array  # (capacity,): the instance count at which a slot was filled
    diagonal: Array  # (capacity,): k(v, v)
    gram: Array  # (capacity, capacity), where a part needs it; (0, 0) elsewhere
    distances: Array  # (capacity, capacity): squared distances, where a part needs them
    factor: Array  # (capacity, capacity): of the Gram matrix, where a part needs it
    marks: Array  # (capacity,): one number a slot, for the budget's own use
    rule_memory: Array
    budget_memory: Array


class Workspace(NamedTuple):
    """Room for one block of rows, and for what is worked out on the way."""

    values: Array  # (rows, capacity): k(row, vector), kept current; of an explicit map its features
    distances: Array  # the same for squared distances, or (0, 0)
    block_values: Array  # (rows, rows): kernel values of the rows among each other
    block_distances: Array
    diagonal: Array  # (rows,): k(row, row)
    buffer: Array  # room for raw products
    scores: Array  # (C,)
    output_scores: Array  # (C,): of the output model
    vector: Array  # (capacity,)
    other: Array  # (capacity,)
    coefficients: Array  # (C,)
    log: Array  # (entries, 3): what happens to the stored vectors: kind, slot, source
    log_shares: Array  # (entries,)
    log_state: Array  # (3,): entries written, entries applied, what a budget did wrong


def model_pointer(*fields: Array) -> Pointer:
    model = Model(*fields)
    return Pointer(
        model,
        follows_norm=bool(model.now[0]["follows_norm"]),
        averages=model.sums.size > 0,
        has_many_outputs=model.coef.shape[0] > 1,
    )


def workspace_pointer(*fields: Array) -> Pointer:
    return Pointer(Workspace(*fields))


@inner
def log_change(workspace: Workspace, kind: int, slot: int, source: int, share: float) -> None:
    """Write down what is to happen to the stored vectors when the block is over."""
    entry = workspace.log_state[0]
    if entry >= workspace.log_shares.size:
        workspace.log_state[2] = TOO_MANY_CHANGES
        return
    workspace.log[entry, 0], workspace.log[entry, 1], workspace.log[entry, 2] = kind, slot, source
    workspace.log_shares[entry] = share
    workspace.log_state[0] = entry + 1


@inner
def add(model: Model, c: int, slot: int, amount: float) -> None:
    """Change one unscaled coefficient."""
    model.coef[c, slot] += amount
    for a in range(model.sums.size):
        model.corrections[a, c, slot] += amount * model.sums[a]


@inner
def add_row(model: Model, c: int, amount: float, features: Array) -> None:
    """Change a whole row of unscaled coefficients."""
    n = model.now[0].n
    row = model.coef[c]
    for j in range(n):
        row[j] += amount * features[j]
    for a in range(model.sums.size):
        corrections, share = model.corrections[a, c], amount * model.sums[a]
        for j in range(n):
            corrections[j] += share * features[j]


@inner
def clear_slot(model: Model, slot: int) -> None:
    for c in range(model.coef.shape[0]):
        model.coef[c, slot] = 0.0
        for a in range(model.sums.size):
            model.corrections[a, c, slot] = 0.0


@inner
def charge(model: Model, slot: int, amount: float, instance: Instance) -> None:
    """Add a step of this (scaled) size, in the direction of the instance, to the slot's term."""
    unscaled = amount * instance.sign / model.now[0].scale
    add(model, instance.up, slot, unscaled)
    if instance.down >= 0:
        add(model, instance.down, slot, -unscaled)


@where("averages")
def settle_averages(model: Model) -> None:
    """Turn the corrections into negative sums, so that the S start anew at 0."""
    n = model.now[0].n
    for a in range(model.sums.size):
        for c in range(model.coef.shape[0]):
            for i in range(n):
                model.corrections[a, c, i] -= model.coef[c, i] * model.sums[a]
        model.sums[a] = 0.0


@inner
def multiply(model: Model, factor: float) -> None:
    """Shrink or grow every coefficient; 0 clears them."""
    now = model.now[0]
    if factor == 1.0:
        return
    now.squared_norm *= factor * factor
    if factor != 0.0:
        now.scale *= factor
        if SAFE_SCALE[0] < now.scale < SAFE_SCALE[1]:
            return
    settle_averages(model)
    fold = 0.0 if factor == 0.0 else now.scale
    for c in range(model.coef.shape[0]):
        for i in range(now.n):
            model.coef[c, i] *= fold
    now.scale = 1.0


@inner
def score(values: Array, n: int, coef: Array, factor: float, out: Array) -> None:
    """out[c] = factor * sum_i coef[c, i] values[i]."""
    for c in range(coef.shape[0]):
        row = coef[c]
        total = 0.0
        for i in range(n):
            total += row[i] * values[i]
        out[c] = factor * total


@where("averages")
def accumulate(model: Model, share: float) -> None:
    """Put the present model into the running averages; if only a share counts, restart them in turn."""
    now = model.now[0]
    if share < 1.0 and now.t == now.next_restart:
        fresh = now.restarts % 2
        other = 1 - fresh
        model.sums[fresh] = 0.0
        model.counts[fresh] = 0
        for c in range(model.coef.shape[0]):
            for i in range(now.n):
                model.corrections[fresh, c, i] = 0.0
        now.output_average = other if model.counts[other] > 0 else fresh
        now.restarts += 1
        now.next_restart = max(now.t + 1, int(np.ceil(now.t / (1.0 - share))))
    for a in range(model.sums.size):
        if model.counts[a] >= 0:  # -1: not started yet
            model.sums[a] += now.scale
            model.counts[a] += 1


@where("averages")
def score_average(model: Model, values: Array, scores: Array, out: Array) -> None:
    """The scores of the average that is the output, given the unaveraged scores."""
    now = model.now[0]
    a = now.output_average
    score(values, now.n, model.corrections[a], -1.0, out)
    for c in range(out.size):
        out[c] = (out[c] + scores[c] / now.scale * model.sums[a]) / model.counts[a]


@where("follows_norm")
def add_to_norm(model: Model, slot: int, changes: Array, n: int) -> None:
    """Follow the squared norm of the weights as the slot's coefficients get these (scaled) changes."""
    now = model.now[0]
    row = model.gram[slot]
    for c in range(model.coef.shape[0]):
        at_slot = 0.0
        for i in range(n):
            at_slot += row[i] * model.coef[c, i]
        now.squared_norm += changes[c] * (2.0 * now.scale * at_slot + changes[c] * row[slot])


@where("follows_norm")
def add_newcomer_to_norm(model: Model, instance: Instance, amount: float) -> None:
    """The same for a step on the instance itself, whose score is known."""
    extra = amount * (
        2.0 * model.now[0].directional_score + amount * instance.moved_outputs * instance.diagonal
    )
    model.now[0].squared_norm += extra


@where("follows_norm")
def replace_in_norm(
    model: Model, workspace: Workspace, instance: Instance, amount: float, slot: int
) -> None:
    """The same where that takes the place of a slot's term."""
    now = model.now[0]
    add_newcomer_to_norm(model, instance, amount)
    for c in range(model.coef.shape[0]):
        workspace.coefficients[c] = -now.scale * model.coef[c, slot]
    cross = amount * workspace.values[instance.r, slot]
    lost = instance.sign * workspace.coefficients[instance.up]
    if instance.down >= 0:
        lost -= workspace.coefficients[instance.down]
    now.squared_norm += 2.0 * cross * lost
    add_to_norm(model, slot, workspace.coefficients, now.n)


@inner
def enter(model: Model, workspace: Workspace, instance: Instance, slot: int) -> None:
    """Give the slot to the row: vector, age, Gram row, and its column for the rows that follow.

    The slot is one in use or the first free one. Coefficients are the caller's business.
    """
    r = instance.r
    log_change(workspace, PUT, slot, instance.row, 1.0)
    model.born[slot] = instance.t
    model.diagonal[slot] = instance.diagonal
    copy_column(workspace.block_values, r, workspace.values, slot, r + 1, instance.block_rows)
    copy_column(workspace.block_distances, r, workspace.distances, slot, r + 1, instance.block_rows)
    n = max(model.now[0].n, slot)
    write_border(model.gram, slot, workspace.values, r, n, instance.diagonal)
    write_border(model.distances, slot, workspace.distances, r, n, 0.0)


@inner
def copy_column(source: Array, column: int, target: Array, slot: int, first: int, end: int) -> None:
    """A column into a column for the rows ``first .. end``, where such a matrix is kept."""
    if target.size == 0:
        return
    for row in range(first, end):
        target[row, slot] = source[row, column]


@inner
def write_border(matrix: Array, slot: int, source: Array, row: int, n: int, corner: float) -> None:
    """The slot's row and column, from a row of the source, in a symmetric matrix over the slots."""
    if matrix.size == 0:
        return
    for i in range(n):
        matrix[slot, i] = source[row, i]
        matrix[i, slot] = source[row, i]
    matrix[slot, slot] = corner


@inner
def append(model: Model, workspace: Workspace, instance: Instance, amount: float) -> None:
    """The row becomes the last slot, with a term of this size."""
    now = model.now[0]
    slot = now.n
    if slot >= model.coef.shape[1]:
        workspace.log_state[2] = TOO_MANY_VECTORS
        return
    add_newcomer_to_norm(model, instance, amount)
    enter(model, workspace, instance, slot)
    clear_slot(model, slot)
    now.n = slot + 1
    charge(model, slot, amount, instance)


@inner
def replace(
    model: Model, workspace: Workspace, instance: Instance, amount: float, slot: int
) -> None:
    """The row takes the place of a vector, which is forgotten with its term."""
    replace_in_norm(model, workspace, instance, amount, slot)
    enter(model, workspace, instance, slot)
    clear_slot(model, slot)
    charge(model, slot, amount, instance)


@inner
def move_last(model: Model, workspace: Workspace, instance: Instance, slot: int) -> None:
    """The last slot moves into this one, which was given up."""
    now = model.now[0]
    last = now.n - 1
    now.n = last
    if slot == last:
        return
    for c in range(model.coef.shape[0]):
        model.coef[c, slot] = model.coef[c, last]
        for a in range(model.sums.size):
            model.corrections[a, c, slot] = model.corrections[a, c, last]
    model.born[slot] = model.born[last]
    model.diagonal[slot] = model.diagonal[last]
    log_change(workspace, COPY, slot, last, 1.0)
    copy_column(workspace.values, last, workspace.values, slot, instance.r + 1, instance.block_rows)
    copy_column(
        workspace.distances, last, workspace.distances, slot, instance.r + 1, instance.block_rows
    )
    write_border(model.gram, slot, model.gram, last, last, model.diagonal[slot])
    write_border(model.distances, slot, model.distances, last, last, 0.0)
