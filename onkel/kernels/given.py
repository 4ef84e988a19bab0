"""Kernel values computed outside: how a user's own function of two sets of rows joins in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from onkel.model.state import Workspace
from onkel.model.tile import Tile


class Given(NamedTuple):
    """The values for one block of rows.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_vectors)
        Kernel values of the rows with the vectors.
    inner : ndarray of shape (n_rows, n_rows)
        Kernel values of the rows with each other.
    diagonal : ndarray of shape (n_rows,)
        Kernel values of the rows with themselves.
    """

    values: np.ndarray
    inner: np.ndarray
    diagonal: np.ndarray

    def evaluate(self, store: Any, rows: Any, tile: Tile, workspace: Workspace) -> None:
        count, n = tile.rows, tile.end
        workspace.values[:count, :n] = self.values[:, :n]
        if workspace.block_values.size > 0:
            workspace.block_values[:count, :count] = self.inner
        workspace.diagonal[:count] = self.diagonal


def given_values(kernel: Callable[..., Any], X: Any, vectors: Any, dtype: np.dtype) -> Given:
    """All that a block needs of a user's kernel."""
    inner = answered(kernel, X, X, dtype)
    values = answered(kernel, X, vectors, dtype)
    return Given(values, inner, np.ascontiguousarray(inner.diagonal()))


def answered(kernel: Callable[..., Any], a: Any, b: Any, dtype: np.dtype) -> np.ndarray:
    """Ask a user's kernel for the values of two sets of rows, and check what it answers."""
    values = np.zeros((a.shape[0], 0)) if b.shape[0] == 0 else np.asarray(kernel(a, b))
    if values.shape != (a.shape[0], b.shape[0]) or not np.isfinite(values).all():
        raise ValueError(
            f"kernel={kernel!r} must return a finite array of shape {(a.shape[0], b.shape[0])} "
            f"for two sets of rows, got shape {values.shape}."
        )
    return np.ascontiguousarray(values, dtype)
