"""Products with triangular matrices, cut into panels that threads share: half of a matrix is not multiplied."""

from __future__ import annotations

import numpy as np

from onkel.parallel.crew import share

#: Columns of a panel. Narrower ones skip more zeros, and are slower.
PANEL = 256


def times_triangle(
    rows: np.ndarray, triangle: np.ndarray, out: np.ndarray | None = None
) -> np.ndarray:
    """``rows @ triangle``, of an upper triangular matrix; into ``out``, if it is given."""
    size, count = len(triangle), len(rows)
    out = np.empty((count, size), np.result_type(rows, triangle)) if out is None else out

    def work(begin: int) -> None:
        end = min(begin + PANEL, size)
        np.matmul(rows[:, :end], triangle[:end, begin:end], out=out[:, begin:end])

    share(work, range(0, size, PANEL), size * size / 2 * count)
    return out
