"""Where outputs are many: the scores of a block of rows by one matrix product, before the walk.

Of support vectors most coefficients are 0, since a row moves two outputs; then only the others are added up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from onkel.compiled.decorators import jit
from onkel.engine.workspace import MOST_OWNERS
from onkel.model.owners import TOO_MANY, list_owners
from onkel.model.scores import COEFFICIENTS, CORRECTIONS, LISTED, REWRITES, ROWS, SQUARED
from onkel.model.state import Model, Workspace
from onkel.model.tile import Tile

#: Adding up terms takes so many times as long as multiplying matrices, each term.
SLOWNESS = 8
#: A row or two are multiplied with whatever there is.
FEW_ROWS = 8
NO_AVERAGES = np.zeros((0, 0, 0))


def score_block(model: Model, workspace: Workspace, rows: int) -> None:
    """The scores of the first rows of the workspace by coefficients and averages as they are."""
    now, state, owners = model.now[0], workspace.block_state, workspace.owners
    values = workspace.values[:rows, : now["n"]]
    matrices = {COEFFICIENTS: model.coef}
    if model.sums.size:
        matrices[CORRECTIONS] = model.corrections[now["output_average"]]
    if owners.size and not state[LISTED]:
        list_owners(model.coef, model.corrections, owners)
        state[LISTED] = 1
    for by, matrix in matrices.items():
        scores = product(matrix[:, : now["n"]], values, owners[: now["n"]])
        workspace.block_scores[by, :, :rows] = scores
    state[ROWS], state[REWRITES], state[SQUARED] = rows, now["rewrites"], 0


def scores_by_products(
    fill: Any, kernel: Any, store: Any, rows: Any, n: int, coef: Any, workspace: Any, out: Any
) -> None:
    """Scores of all rows under given coefficients (C x n)."""
    values, owners = workspace.arrays.values, np.zeros((n, 1 + MOST_OWNERS), np.int64)
    list_owners(coef, NO_AVERAGES, owners)
    for first in range(0, len(out), len(values)):
        count = min(len(values), len(out) - first)
        fill(kernel, store, rows, Tile(first, count, 0, n, False), workspace)
        out[first : first + count] = product(coef, values[:count, :n], owners).T


def product(coef: np.ndarray, values: np.ndarray, owners: np.ndarray) -> np.ndarray:
    """coef @ values.T, where the owners of each vector may be listed."""
    values = values.astype(coef.dtype, copy=False)
    if len(values) < FEW_ROWS or not are_few(owners, coef.size // SLOWNESS):
        return np.dot(coef, values.T)
    sums = np.zeros((len(coef), len(values)))
    add_terms(coef, np.ascontiguousarray(values.T), owners, sums)
    return sums


def are_few(owners: np.ndarray, most: int) -> bool:
    """Whether all lists of owners are there and have no more entries than so many."""
    if not owners.size:
        return False
    lengths = owners[:, 0]
    return bool((lengths != TOO_MANY).all() and lengths.sum() <= most)


@jit
def add_terms(coef: Any, columns: Any, owners: Any, sums: Any) -> None:
    """sums += coef @ columns, where most coefficients are 0."""
    for i in range(owners.shape[0]):
        column = columns[i]
        for k in range(1, owners[i, 0] + 1):
            c = owners[i, k]
            amount, total = coef[c, i], sums[c]
            if amount != 0.0:
                for r in range(total.size):
                    total[r] += amount * column[r]
