"""The paper's heuristic for the diameter of AVM's cells, kept within a stated number of cells."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

#: The sample from which distances are taken, and the share of it that may become core points.
SAMPLE = 1000
FEWEST, MOST = 100, 300


def auto_diameter(X: Any, seed: int) -> float:
    """Twice the mean distance of a sample, adjusted until a sample has a stated number of cells.

    A sample of at most 1000 rows gives the starting radius (the mean distance of two rows); it
    is multiplied or divided by 1.1 until covering the sample takes between 100 and 300 cells (a tenth
    and a third of a smaller sample). The full data then opens a small multiple of that.
    """
    rows = X
    if X.shape[0] > SAMPLE:
        chosen = np.random.default_rng(seed).choice(X.shape[0], SAMPLE, replace=False)
        rows = X[np.sort(chosen)]
    rows = rows.toarray() if sparse.issparse(rows) else np.asarray(rows, float)
    n = len(rows)
    centred = rows - rows.mean(axis=0)
    squares = np.einsum("ij,ij->i", centred, centred)
    gaps = np.sqrt(np.maximum(squares[:, None] + squares - 2 * centred @ centred.T, 0))
    mean = float(gaps.sum() / max(1, n * (n - 1)))
    if mean == 0.0:
        return 1.0
    fewest, most = FEWEST * n // SAMPLE, MOST * n // SAMPLE + 1
    low, high = 0.0, 4.0 * mean
    radius = mean
    for _ in range(30):
        cells = count_cells(gaps, radius)
        if fewest <= cells <= most:
            break
        low, high = (radius, high) if cells > most else (low, radius)
        radius = 0.5 * (low + high)
    return 2.0 * radius


def count_cells(gaps: np.ndarray, radius: float) -> int:
    """How many balls of this radius a one-pass cover opens, in the order of the rows."""
    covered = np.zeros(len(gaps), bool)
    cells = 0
    for i in range(len(gaps)):
        if not covered[i]:
            cells += 1
            covered |= gaps[i] < radius
    return cells
