"""Rows, stores and workspaces for tests that call the engine's inner parts directly."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from onkel.engine.layout import WIDE, as_layout, norms_of, rows_of
from onkel.engine.machine import Machine, Recipe, Shape
from onkel.losses import Hinge
from onkel.model.instance import Instance
from onkel.model.state import Workspace
from onkel.rules import ConstantStep
from onkel.tasks import Binary, MultiClass

#: The three pairs of a row type and a store type, and a number of features that chooses each.
LAYOUTS = {"dense": 7, "columns": 40, "pool": WIDE + 500}


def random_rows(layout: str, count: int, dtype: Any, seed: int = 0) -> Any:
    """A matrix of the kind that this layout is for; sparse ones with empty and full rows."""
    rng = np.random.default_rng(seed)
    d = LAYOUTS[layout]
    if layout == "dense":
        return rng.normal(size=(count, d)).astype(dtype)
    # A few features are common, so that rows share some of them even among thousands.
    X = np.zeros((count, d))
    common = rng.permutation(d)[:12]
    X[:, common] = rng.normal(size=(count, 12)) * (rng.random((count, 12)) < 0.5)
    X += rng.normal(size=(count, d)) * (rng.random((count, d)) < 5 / d)
    X[1] = 0.0
    return sparse.csr_matrix(X.astype(dtype))


def dense(X: Any) -> np.ndarray:
    return np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=float)


def as_rows(X: Any, layout: str, block: int, city_block: bool = False) -> Any:
    X = as_layout(X, layout, X.dtype)
    return rows_of(X, layout, norms_of(X, city_block), block)


def machine(
    layout: str = "dense",
    dtype: Any = np.float64,
    budget: Any = None,
    kernel: Any = None,
    outputs: int = 1,
    n_features: int | None = None,
    **recipe: Any,
) -> Machine:
    """A machine whose parts matter little: what is wanted are its model, store and workspaces."""
    parts = {"loss": Hinge(), "rule": ConstantStep(0.5), **recipe}
    if budget is not None:
        parts["budget"] = budget
    task = Binary() if outputs == 1 else MultiClass()
    shape = Shape(n_features or LAYOUTS[layout], outputs, layout, np.dtype(dtype))
    return Machine(kernel, task, Recipe(**parts), shape, seed=1)


def empty_workspace(
    block: int,
    capacity: int,
    dtype: Any = np.float64,
    inner: bool = True,
    distances: bool = False,
    outputs: int = 1,
) -> Workspace:
    """A workspace full of NaN, so that whatever is not filled shows."""
    inside = block if inner else 0
    near, far = (block, capacity), (inside, inside)

    def hollow(*size: int) -> np.ndarray:
        return np.full(size, np.nan, dtype)

    return Workspace(
        values=hollow(*near), distances=hollow(*near) if distances else hollow(0, 0),
        block_values=hollow(*far), block_distances=hollow(*far) if distances else hollow(0, 0),
        diagonal=hollow(block), buffer=hollow(block * max(capacity, block)),
        scores=np.zeros(outputs), output_scores=np.zeros(outputs), coefficients=np.zeros(outputs),
        coefficient_changes=np.zeros(outputs), sizes=np.zeros(capacity), costs=np.zeros(capacity),
        products=np.zeros(capacity), shares=np.zeros(capacity), kernel_row=np.zeros(capacity),
        places=np.zeros(capacity, np.int64), log=np.zeros((4 * block, 3), np.int64),
        log_shares=np.zeros(4 * block), log_state=np.zeros(2, np.int64),
    )  # fmt: skip


def instance_at(
    r: int,
    count: int,
    *,
    row: int = 0,
    t: int = 1,
    sign: float = 1.0,
    up: int = 0,
    down: int = -1,
    diagonal: float = 1.0,
) -> Instance:
    """An instance with a loss of 1 and a slope of -1."""
    outputs = 1.0 if down < 0 else 2.0
    return Instance(
        r, row, count, 0.0, sign, up, down, outputs, 1.0, -1.0, 1.0, diagonal, t, 0, t, 1.0
    )
