"""Room for one block of rows, and for what is worked out on the way."""

from __future__ import annotations

from typing import Any

import numpy as np

from onkel.model.state import LOG_ENTRIES_A_ROW, Workspace

#: From so many outputs on, the scores of a block come from one matrix product.
MANY_OUTPUTS = 64
#: Outputs that a vector has a list of, and numbers between the scores of two outputs: at distances of a power of
#: two they would push each other out of the cache.
MOST_OWNERS, APART = 255, 8


def are_many(outputs: int) -> bool:
    return outputs >= MANY_OUTPUTS


def new_workspace(
    block: int,
    capacity: int,
    dtype: Any,
    outputs: int = 0,
    inside: int = 0,
    near: bool = False,
    marked: bool = False,
) -> Workspace:
    """Room for blocks of rows against ``capacity`` vectors, and so many rows against each other.

    Without outputs it is for kernel values alone: there is no room to learn. ``marked`` says that every change of
    coefficients is: then there is room for the scores of a block where outputs are many.
    """
    many = outputs if marked and are_many(outputs) else 0
    entries, per_slot = LOG_ENTRIES_A_ROW * block, capacity
    if outputs == 0:
        entries, per_slot = 0, 0
    each_output, each_slot = np.zeros((4, outputs)), np.zeros((5, per_slot))
    return Workspace(
        values=np.zeros((block, capacity), dtype),
        distances=np.zeros((block, capacity) if near else (0, 0), dtype),
        block_values=np.zeros((inside, inside), dtype),
        block_distances=np.zeros((inside, inside) if near else (0, 0), dtype),
        diagonal=np.zeros(block, dtype),
        buffer=np.zeros(block * max(capacity, block), dtype),
        scores=each_output[0],
        output_scores=each_output[1],
        coefficients=each_output[2],
        coefficient_changes=each_output[3],
        sizes=each_slot[0],
        costs=each_slot[1],
        products=each_slot[2],
        shares=each_slot[3],
        kernel_row=each_slot[4],
        places=np.zeros(per_slot, np.int64),
        log=np.zeros((entries, 3), np.int64),
        log_shares=np.zeros(entries),
        log_state=np.zeros(3, np.int64),
        block_scores=np.zeros((2, many, block + APART if many else 0)),
        column=np.zeros(block if many else 0),
        squares=np.zeros(capacity if many and inside else 0),
        owners=np.zeros((capacity if many and inside else 0, 1 + MOST_OWNERS), np.int64),
        block_state=np.zeros(5, np.int64),
    )
