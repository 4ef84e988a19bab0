"""Maps as the walk meets them: a block of rows in, a block of explicit features out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner
from onkel.compiled.simd import fast_sincos
from onkel.compiled.views import as_matrix, rows_between
from onkel.model.questions import evaluate, products
from onkel.model.state import Workspace
from onkel.model.tile import TILE, Tile


class FourierFeatures(NamedTuple):
    r""":math:`z(x) = (\sin Ux, \cos Ux)/\sqrt D`; the frequencies U are a store of vectors."""

    frequencies: Any

    def evaluate(self, store: Any, rows: Any, tile: Tile, workspace: Workspace) -> None:
        half, flat = tile.end // 2, workspace.buffer
        for begin in range(0, half, TILE):
            end = min(begin + TILE, half)
            raw = products(self.frequencies, rows, tile.first, tile.rows, begin, end, flat)
            sines_and_cosines(raw, begin, half, workspace.values)
        for r in range(tile.rows):
            workspace.diagonal[r] = 1.0


class NystromFeatures(NamedTuple):
    r""":math:`z(x) = M' k_B(x)`: kernel values of the landmarks, times a matrix."""

    kernel: Any
    landmarks: Any
    transform: np.ndarray
    workspace: Any  # a workspace as wide as there are landmarks

    def evaluate(self, store: Any, rows: Any, tile: Tile, workspace: Workspace) -> None:
        count, n = tile.rows, tile.end
        with_landmarks = Tile(tile.first, count, 0, self.transform.shape[0], False)
        evaluate(self.kernel, self.landmarks, rows, with_landmarks, self.workspace)
        features = as_matrix(workspace.buffer, count, n)
        np.dot(rows_between(self.workspace.values, 0, count), self.transform, features)
        for r in range(count):
            found, kept, length = features[r], workspace.values[r], 0.0
            for j in range(n):
                kept[j] = found[j]
                length += found[j] * found[j]
            workspace.diagonal[r] = length


@inner
def sines_and_cosines(raw: Array, begin: int, half: int, out: Array) -> None:
    """Columns of Ux from ``begin`` on, of half as many as features, to those of (sin Ux, cos Ux) / sqrt(D)."""
    count, n = raw.shape
    scale = raw.dtype.type(1.0 / np.sqrt(half))
    for r in range(count):
        turns = raw[r]
        sines = rows_between(out[r], begin, n)
        cosines = rows_between(out[r], half + begin, n)
        for j in range(n):
            sine, cosine = fast_sincos(turns[j])
            sines[j] = sine * scale
            cosines[j] = cosine * scale
