"""A map by landmarks: their kernel values, turned into Nyström features."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from scipy import sparse

from onkel.engine.matrix import KernelMatrix
from onkel.maps.nystrom import triangular_transform

#: Landmarks that are relatively nearer to what others span are left out: they would add rounding of kernel values.
CUTOFF = {np.dtype(np.float64): 1e-10, np.dtype(np.float32): 1e-6}


class LandmarkMap:
    """From rows to the directions that landmarks span in the space of a kernel."""

    def __init__(self, kernel: Any, landmarks: Any) -> None:
        self.kernel, self.landmarks = kernel, landmarks
        gram = KernelMatrix(kernel, landmarks.astype(np.float64)).gram()
        transform = triangular_transform(gram, CUTOFF[landmarks.dtype])
        self.transform = transform.astype(landmarks.dtype)

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
        return int(self.transform.shape[1])

    def widened(self, n_features: int) -> LandmarkMap:
        """The same landmarks, 0 in more features."""
        wider = copy(self)
        if sparse.issparse(self.landmarks):
            wider.landmarks = self.landmarks.copy()
            wider.landmarks.resize(len(self.transform), n_features)
        else:
            more = n_features - self.landmarks.shape[1]
            wider.landmarks = np.pad(self.landmarks, ((0, 0), (0, more)))
        return wider

    def features(self, X: Any) -> np.ndarray:
        """z(x) of the rows of a dense or CSR matrix: (n, n_map_features)."""
        return KernelMatrix(self.kernel, self.landmarks)(X) @ self.transform

    def __getstate__(self) -> dict[str, Any]:
        return dict(vars(self))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
