"""Kernel values computed outside: how a user's own function of two sets of rows joins in."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from onkel.model.state import Workspace


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

    def evaluate(
        self, store: Any, rows: Any, first: int, count: int, n: int, workspace: Workspace
    ) -> None:
        workspace.values[:count, :n] = self.values[:, :n]
        if workspace.block_values.size > 0:
            workspace.block_values[:count, :count] = self.inner
        workspace.diagonal[:count] = self.diagonal
