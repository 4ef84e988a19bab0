"""Streams that are longer than the first look, and learners as they come, with every default."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

import onkel
from onkel.estimators.look import LOOK_ROWS
from tests.estimators.cases import data_for, learn_on

LOOK = LOOK_ROWS
ROWS = LOOK + 150
SPARSE_FEATURES = 40
#: Where chunks end, but for the last.
CHUNKINGS: dict[str, list[int]] = {
    "all": [],
    "ones": list(range(1, ROWS)),
    "sevens": list(range(7, ROWS, 7)),
    "hundreds": list(range(100, ROWS, 100)),
    "mixed": [1, 3, 64, 65, LOOK - 1, LOOK, LOOK + 1, LOOK + 60],
    "just the look": [LOOK],
}


def default(name: str) -> Any:
    """The learner as it comes, but for its seed, and small where row by row it would take long."""
    few = {"n_components": 100} if "Ridge" in name else {}
    return getattr(onkel, name)(random_state=0, **few)


def stream(name: str, thin: bool = False, rows: int = ROWS) -> tuple[Any, Any]:
    """Rows that are not standardised, so that what is chosen matters; thin ones as CSR."""
    X, y = data_for(name, rows, n_features=SPARSE_FEATURES if thin else 3)
    X = 1.0 + 2.0 * X
    return (sparse.csr_matrix(np.where(X > 2.5, X, 0.0)) if thin else X), y


def pieces(X: Any, y: Any, cuts: list[int]) -> Iterator[tuple[Any, Any]]:
    for start, stop in itertools.pairwise([0, *cuts, X.shape[0]]):
        yield X[start:stop], None if y is None else y[start:stop]


def learned_in_pieces(
    model: Any, X: Any, y: Any, cuts: list[int], between: Callable[[Any], Any] = lambda model: model
) -> Any:
    """Learn chunk by chunk, going on with what ``between`` makes of the model after each."""
    for rows, targets in pieces(X, y, cuts):
        model = between(learn_on(model, rows, targets))
    return model
