"""A map by landmarks: their kernel values, turned into Nyström features."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from scipy import sparse

from onkel.engine.matrix import KernelMatrix
from onkel.maps.nystrom import triangular_factor
from onkel.parallel.triangular import times_triangle

#: Landmarks that are relatively nearer to what others span are left out: they would add rounding of kernel values.
CUTOFF = {np.dtype(np.float64): 1e-10, np.dtype(np.float32): 1e-6}


class LandmarkMap:
    """From rows to the directions that landmarks span in the space of a kernel."""

    def __init__(self, kernel: Any, landmarks: Any) -> None:
        self.kernel, self.landmarks = kernel, landmarks
        gram = KernelMatrix(kernel, landmarks.astype(np.float64)).gram()
        #: The landmarks that count, and what turns their kernel values into features.
        self.order, triangle = triangular_factor(gram, CUTOFF[landmarks.dtype])
        self.triangle = np.ascontiguousarray(triangle, landmarks.dtype)

    def is_same(self, other: Any) -> bool:
        """Whether another map has the same kernel and landmarks."""
        if type(other) is not LandmarkMap or self.kernel != other.kernel:
            return False
        if type(self.kernel) is not type(other.kernel):  # parts are tuples of their parameters
            return False
        return self.has_landmarks_of(other)

    def has_landmarks_of(self, other: LandmarkMap) -> bool:
        """Whether another map has the same landmarks, whatever its kernel."""
        mine, others = self.landmarks, other.landmarks
        if mine is others:
            return True
        if mine.shape != others.shape or mine.dtype != others.dtype:
            return False
        return abs(mine - others).max() == 0.0

    @property
    def n_map_features(self) -> int:
        return len(self.order)

    def widened(self, n_features: int) -> LandmarkMap:
        """The same landmarks, 0 in more features."""
        wider = copy(self)
        if sparse.issparse(self.landmarks):
            wider.landmarks = self.landmarks.copy()
            wider.landmarks.resize(self.landmarks.shape[0], n_features)
        else:
            more = n_features - self.landmarks.shape[1]
            wider.landmarks = np.pad(self.landmarks, ((0, 0), (0, more)))
        return wider

    def features(self, X: Any, out: np.ndarray | None = None) -> np.ndarray:
        """z(x) of the rows of a dense or CSR matrix: (n, n_map_features), in ``out`` if given."""
        return self.turned(self._values(X), out)

    def turned(self, values: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Features, from the kernel values of rows with all landmarks."""
        return times_triangle(values[:, self.order], self.triangle, out)

    def scores(self, X: Any, coef: np.ndarray) -> np.ndarray:
        """``z(x) @ coef``; of many rows for the price of their kernel values."""
        if X.shape[0] < coef.shape[1]:
            return self.features(X) @ coef
        return self._values(X) @ self.dual_coef(coef)

    def dual_coef(self, coef: np.ndarray) -> np.ndarray:
        """What the kernel values are multiplied with where features are with ``coef``."""
        dual = np.zeros((self.landmarks.shape[0], coef.shape[1]))
        dual[self.order] = self.triangle @ coef
        return dual

    def _values(self, X: Any) -> np.ndarray:
        return KernelMatrix(self.kernel, self.landmarks)(X)

    def __getstate__(self) -> dict[str, Any]:
        return dict(vars(self))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
