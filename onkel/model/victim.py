"""Which vector goes: the one that costs least, and the oldest where several tie."""

from __future__ import annotations

from typing import Any

import numpy as np

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner
from onkel.compiled.simd import from_bits, to_bits
from onkel.model.scores import sum_squares
from onkel.model.state import Model, Workspace

#: Costs within this relative slack tie, and then the oldest goes.
TIE_SLACK = 1e-9
NEVER = np.iinfo(np.int64).max
#: More slots than there will ever be: births and slots share a number.
SLOTS = 1 << 24
NO_NEWCOMER = np.inf


@inner
def smallest(model: Model, workspace: Workspace, newcomer: float) -> Any:
    """The slot of least |c|^2 k(v, v), or -1 for the newcomer, whose value is given.

    The workspace gets that of every slot, as ``sizes``.
    """
    # Arrays are looked up outside of the loop, or it does not vectorise.
    sizes, diagonal = workspace.sizes, model.diagonal
    sum_squares(model, workspace, sizes)
    for i in range(model.now[0].n):
        sizes[i] *= diagonal[i]
    return oldest_of_least(model, newcomer, sizes)


@inner
def oldest_of_least(model: Model, newcomer: float, costs: Array) -> Any:
    """The slot of least cost, the oldest of those within a slack; -1 if the newcomer's is less.

    The newcomer is younger than every slot; give NO_NEWCOMER where it is no candidate.
    """
    n, born = model.now[0].n, model.born
    limit = least_of(costs, n, newcomer) * (1.0 + TIE_SLACK)
    first = first_within(costs, limit, born, n)
    slot = first % SLOTS
    return slot if slot < n else -1  # NEVER's is beyond n; asking for NEVER undoes the vectors


@inner
def first_within(costs: Array, limit: float, born: Array, n: int) -> Any:
    """Birth and slot, in one number, of the oldest with a cost within the limit; NEVER if none."""
    first = NEVER
    for i in range(n):
        first = min(first, born[i] * SLOTS + i if costs[i] <= limit else NEVER)
    return first


@inner
def least_of(values: Array, n: int, least: Any) -> Any:
    """The least of the first n values and ``least``, none negative: as integers, which vectorise."""
    bits = to_bits(least)
    for i in range(n):
        bits = min(bits, to_bits(values[i]))
    return from_bits(bits, least)


@inner
def index_of(values: Array, n: int, value: Any) -> Any:
    for i in range(n):
        if values[i] == value:
            return i
    return -1


@inner
def oldest(model: Model) -> Any:
    """The slot that was filled first."""
    n = model.now[0].n
    first = NEVER
    for i in range(n):
        first = min(first, model.born[i])
    return index_of(model.born, n, first)
