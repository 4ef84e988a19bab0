"""Maps as the walk meets them: a block of rows in, a block of explicit features out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from onkel.arrays import Array
from onkel.compile import inner
from onkel.kernels.simd import fast_sincos
from onkel.models.state import Work
from onkel.parts import evaluate, products
from onkel.views import as_matrix, rows_between


class FourierFeatures(NamedTuple):
    r""":math:`z(x) = (\sin Ux, \cos Ux)/\sqrt D`; the frequencies U are a store of vectors."""

    frequencies: Any

    def evaluate(self, store: Any, rows: Any, first: int, count: int, n: int, work: Work) -> None:
        raw = products(self.frequencies, rows, first, count, n // 2, work.flat)
        fold_turns(raw, work.kernel)
        for r in range(count):
            work.diagonal[r] = 1.0


class NystromFeatures(NamedTuple):
    r""":math:`z(x) = M' k_B(x)`: kernel values of the landmarks, times a matrix."""

    kernel: Any
    landmarks: Any
    transform: np.ndarray
    sheet: Any  # a work sheet as wide as there are landmarks

    def evaluate(self, store: Any, rows: Any, first: int, count: int, n: int, work: Work) -> None:
        size = self.transform.shape[0]
        evaluate(self.kernel, self.landmarks, rows, first, count, size, self.sheet)
        features = as_matrix(work.flat, count, n)
        np.dot(rows_between(self.sheet.kernel, 0, count), self.transform, features)
        for r in range(count):
            length = 0.0
            for j in range(n):
                work.kernel[r, j] = features[r, j]
                length += features[r, j] * features[r, j]
            work.diagonal[r] = length


@inner
def fold_turns(raw: Array, out: Array) -> None:
    """Rows Ux to rows (sin Ux, cos Ux) / sqrt(D)."""
    count, half = raw.shape
    scale = raw.dtype.type(1.0 / np.sqrt(half))
    for r in range(count):
        turns, sines, cosines = raw[r], out[r, :half], out[r, half : 2 * half]
        for j in range(half):
            sine, cosine = fast_sincos(turns[j])
            sines[j] = sine * scale
            cosines[j] = cosine * scale
