"""Kernel values computed outside: how a user's own function of two sets of rows joins in."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from onkel.models.state import Work


class Given(NamedTuple):
    """The values for one block of rows: against the vectors, each other and themselves."""

    values: np.ndarray
    inner: np.ndarray
    diagonal: np.ndarray

    def evaluate(self, store: Any, rows: Any, first: int, count: int, n: int, work: Work) -> None:
        work.kernel[:count, :n] = self.values[:, :n]
        if work.inner_kernel.size > 0:
            work.inner_kernel[:count, :count] = self.inner
        work.diagonal[:count] = self.diagonal
