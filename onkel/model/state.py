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

#: Numbers that change from instance to instance.
NOW = np.dtype(
    [
        ("t", np.int64),  # instances seen
        ("count", np.float64),  # those that count by now, an older one less if the learner forgets
        ("n", np.int64),  # slots in use
        ("scale", np.float64),
        ("squared_norm", np.float64),  # of the weights, where a ball needs it
        ("directional_score", np.float64),  # of the instance, under the weights as they are
        ("follows_norm", np.bool_),
        ("largest_target", np.float64),
        ("output_average", np.int64),  # which average is the output
        ("restarts", np.int64),
        ("next_restart", np.int64),  # of the averages, as an instance count
        ("average_unit", np.float64),  # what the newest iterate counts in the averages
        ("mistakes", np.int64),
        ("loss", np.float64),
        ("squared_error", np.float64),
        ("rewrites", np.int64),  # how often all coefficients or sums were written anew
    ],
    align=True,
)
#: The scale is folded into the coefficients when it leaves this range: averages lose no digits.
SAFE_SCALE = (1e-4, 1e4)
#: What the newest iterate counts in an average goes up to this, and then starts anew.
LARGEST_UNIT = 1e8
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
    counts: Array  # (averages,): how many iterates are in it, as much as each counts
    corrections: Array  # (averages, C, capacity)
    born: Array  # (capacity,): the instance count at which a slot was filled
    diagonal: Array  # (capacity,): k(v, v)
    gram: Array  # (capacity, capacity), where a part needs it; (0, 0) elsewhere
    distances: Array  # (capacity, capacity): squared distances, where a part needs them
    factor: Array  # (capacity, capacity): of the Gram matrix, where a part needs it
    slot_memory: Array  # (capacity,): a number of the budget's for each slot, 0 at first
    rule_memory: Array
    budget_memory: Array
    intercept: Array = np.zeros(0)  # (C,), or (0,) where there is none
    intercept_sums: Array = np.zeros((0, 0))  # (averages, C): of the iterates in each average


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
    coefficients: Array  # (C,): of a term that is being put together
    coefficient_changes: Array  # (C,): by how much those of one slot change, scaled
    sizes: Array  # (capacity,): what dropping each vector would cost
    costs: Array  # (capacity,): what choosing each vector would cost
    products: Array  # (capacity,): of the coefficients of one vector with those of each
    shares: Array  # (capacity,): how much each vector takes over of one that goes
    kernel_row: Array  # (capacity,): kernel values of one vector with each, in full precision
    places: Array  # (capacity,): where the factor has each vector
    log: Array  # (entries, 3): what happens to the stored vectors: kind, slot, source
    log_shares: Array  # (entries,)
    log_state: Array  # (3,): entries written, entries applied, what a budget did wrong
    # Where outputs are many; empty elsewhere. See onkel.model.scores.
    block_scores: Array = np.zeros((0, 0, 0))  # (2, C, rows): by coefficients, by corrections
    column: Array = np.zeros(0)  # (rows,): values of a vector, or of a mixture of vectors
    squares: Array = np.zeros(0)  # (capacity,): squared coefficients of each vector
    owners: Array = np.zeros((0, 0), np.int64)  # (capacity, 1 + most): see onkel.model.owners
    block_state: Array = np.zeros(5, np.int64)


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
def add(model: Model, c: int, slot: int, amount: float) -> None:
    """Change one unscaled coefficient."""
    model.coef[c, slot] += amount
    for a in range(model.sums.size):
        model.corrections[a, c, slot] += amount * model.sums[a]


@inner
def add_row(model: Model, c: int, amount: float, proportions: Array) -> None:
    """Change a whole row of unscaled coefficients, in these proportions."""
    n = model.now[0].n
    row = model.coef[c]
    for j in range(n):
        row[j] += amount * proportions[j]
    for a in range(model.sums.size):
        corrections, share = model.corrections[a, c], amount * model.sums[a]
        for j in range(n):
            corrections[j] += share * proportions[j]


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
    now.directional_score *= factor
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
    now.rewrites += 1


@inner
def clear_intercept_sum(model: Model, average: int) -> None:
    for c in range(model.intercept.size):
        model.intercept_sums[average, c] = 0.0


@inner
def add_intercept_to_sum(model: Model, average: int) -> None:
    for c in range(model.intercept.size):
        model.intercept_sums[average, c] += model.intercept[c] * model.now[0].average_unit


@where("averages")
def divide_averages(model: Model, unit: float) -> None:
    """Count all iterates in another unit."""
    model.now[0].rewrites += 1
    for a in range(model.sums.size):
        if model.counts[a] < 0.0:
            continue
        model.sums[a] /= unit
        model.counts[a] /= unit
        for c in range(model.coef.shape[0]):
            for i in range(model.now[0].n):
                model.corrections[a, c, i] /= unit
        for c in range(model.intercept.size):
            model.intercept_sums[a, c] /= unit


@where("averages")
def accumulate(model: Model, share: float, decay: float) -> None:
    """Put the present model into the running averages; if only a share counts, restart them in turn.

    Where older iterates count less, the new ones count ever more, until that is taken out of all sums.
    """
    now = model.now[0]
    if decay < 1.0:
        now.average_unit /= decay
        if now.average_unit > LARGEST_UNIT:
            divide_averages(model, now.average_unit)
            now.average_unit = 1.0
    if share < 1.0 and now.t == now.next_restart:
        fresh = now.restarts % 2
        other = 1 - fresh
        model.sums[fresh] = 0.0
        model.counts[fresh] = 0.0
        for c in range(model.coef.shape[0]):
            for i in range(now.n):
                model.corrections[fresh, c, i] = 0.0
        clear_intercept_sum(model, fresh)
        now.output_average = other if model.counts[other] > 0 else fresh
        now.restarts += 1
        now.rewrites += 1
        now.next_restart = max(now.t + 1, int(np.ceil(now.t / (1.0 - share))))
    for a in range(model.sums.size):
        if model.counts[a] >= 0:  # -1: not started yet
            model.sums[a] += now.scale * now.average_unit
            model.counts[a] += now.average_unit
            add_intercept_to_sum(model, a)
