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


class FourierFeatures(NamedTuple):
    r""":math:`z(x) = (\sin Ux, \cos Ux)/\sqrt D`; the frequencies U are a store of vectors."""

    frequencies: Any

    def evaluate(
        self, store: Any, rows: Any, first: int, count: int, n: int, workspace: Workspace
    ) -> None:
        raw = products(self.frequencies, rows, first, count, n // 2, workspace.buffer)
        sines_and_cosines(raw, workspace.values)
        for r in range(count):
            workspace.diagonal[r] = 1.0


class NystromFeatures(NamedTuple):
    r""":math:`z(x) = M' k_B(x)`: kernel values of the landmarks, times a matrix."""

    kernel: Any
    landmarks: Any
    transform: np.ndarray
    workspace: Any  # a workspace as wide as there are landmarks

    def evaluate(
        self, store: Any, rows: Any, first: int, count: int, n: int, workspace: Workspace
    ) -> None:
        size = self.transform.shape[0]
        evaluate(self.kernel, self.landmarks, rows, first, count, size, self.workspace)
        features = as_matrix(workspace.buffer, count, n)
        np.dot(rows_between(self.workspace.values, 0, count), self.transform, features)
        for r in range(count):
            length = 0.0
            for j in range(n):
                workspace.values[r, j] = features[r, j]
                length += features[r, j] * features[r, j]
            workspace.diagonal[r] = length


@inner
def sines_and_cosines(raw: Array, out: Array) -> None:
    """Rows Ux to rows (sin Ux, cos Ux) / sqrt(D)."""
    count, half = raw.shape
    scale = raw.dtype.type(1.0 / np.sqrt(half))
    for r in range(count):
        turns, sines, cosines = raw[r], out[r, :half], out[r, half : 2 * half]
        for j in range(half):
            sine, cosine = fast_sincos(turns[j])
            sines[j] = sine * scale
            cosines[j] = cosine * scale
