"""What is known of the columns so far, and how it scales them.

unit_interval: (x − low) / (high − low), and what lies outside goes to 0 or 1.
unit_variance: (x − mean) / deviation.

Both shift zeros, which would fill a sparse matrix. So sparse rows of at most 1024 features become
dense, and wider ones are not shifted: x / max|x| (which is the same where a column has zeros and
nothing negative; otherwise it goes to [−1, 1]), and x / deviation. Zeros stay zeros.

A column that has been constant so far carries no information and becomes 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from onkel.stream.base import check_choice

KINDS = ("unit_interval", "unit_variance")
WIDEST_DENSE = 1024
_CONSTANT = 1e-12  # a deviation of so much of the mean is rounding, not variety

Floats = NDArray[np.float64]


class Scaler:
    """Learns columns' ranges or variances block by block, and scales rows by them.

    >>> scaler = Scaler("unit_interval")
    >>> scaler.learn(np.array([[0.0, 5.0], [4.0, 5.0]]))
    >>> scaler.transform(np.array([[1.0, 5.0], [8.0, 5.0]])).tolist()
    [[0.25, 0.0], [1.0, 0.0]]
    """

    def __init__(self, to: str = "unit_interval", shift: bool | str = "auto") -> None:
        check_choice("to", to, KINDS)
        check_choice("shift", shift, (True, False, "auto"))
        self.to, self.shift = to, shift
        self.count = 0
        # Of the unit interval the first two are in use, of unit variance the others: the sum of
        # squares is that of the distances from the mean.
        self.low = self.high = self.mean = self.squares = np.empty(0)
        self._factors: tuple[Floats, Floats] | None = None

    def prepared(self, X: Any) -> Any:
        """`X` as it will be scaled: dense, or CSR if it shall not be shifted."""
        if self.shift == "auto":  # the first rows settle it
            self.shift = not sparse.issparse(X) or X.shape[1] <= WIDEST_DENSE
        return X.toarray() if self.shift and sparse.issparse(X) else X

    @property
    def n_features(self) -> int | None:
        """How many columns it has learned; None before the first."""
        return max(len(self.low), len(self.mean)) if self.count else None

    def _fitting(self, X: Any) -> Any:
        if self.count and X.shape[1] != self.n_features:
            raise ValueError(f"the scaler knows {self.n_features} features, X has {X.shape[1]}")
        return self.prepared(X)

    def learn(self, X: Any) -> None:
        """Take rows in; all of them, or none if they do not fit."""
        X = self._fitting(X)
        if not X.shape[0]:
            return
        if self.to == "unit_interval":
            low, high = _range(X)
            if self.count:
                low, high = np.minimum(low, self.low), np.maximum(high, self.high)
            self.low, self.high = low, high
        else:
            mean, squares = _moments(X)
            if self.count:
                share = X.shape[0] / (self.count + X.shape[0])
                apart = mean - self.mean
                squares += self.squares + apart**2 * (self.count * share)
                mean = self.mean + apart * share
            self.mean, self.squares = mean, squares
        self.count += X.shape[0]
        self._factors = None

    def transform(self, X: Any) -> Any:
        """Scaled rows; `X` itself stays as it is."""
        if not self.count:
            raise ValueError("the scaler has not learned any row yet")
        X = self._fitting(X)
        if self._factors is None:
            self._factors = self._offsets_and_factors()
        offset, factor = self._factors
        bounded = self.to == "unit_interval"
        if sparse.issparse(X):
            values = X.data * factor[X.indices]
            if bounded:
                np.clip(values, -1, 1, out=values)
            return sparse.csr_matrix((values, X.indices, X.indptr), shape=X.shape)
        scaled = np.subtract(X, offset) if self.shift else np.multiply(X, factor)
        if self.shift:
            scaled *= factor
        if bounded:
            np.clip(scaled, 0 if self.shift else -1, 1, out=scaled)
        return scaled

    def _offsets_and_factors(self) -> tuple[Floats, Floats]:
        if self.to == "unit_variance":
            spread = np.sqrt(self.squares / self.count)
            spread[spread <= _CONSTANT * np.abs(self.mean)] = 0
            offset = self.mean
        elif not self.shift:
            spread = np.maximum(np.abs(self.low), np.abs(self.high))
            offset = np.zeros_like(spread)
        else:
            spread, offset = self.high - self.low, self.low
        # A subnormal spread has no finite inverse.
        usable = spread > 1 / np.finfo(np.float64).max
        return offset, np.divide(1.0, spread, out=np.zeros_like(spread), where=usable)

    def state(self) -> dict[str, Any]:
        """All that the scaler knows, as plain values and arrays; `from_state` takes it back."""
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        return {"to": self.to, "shift": self.shift, "count": self.count, **arrays}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Scaler:
        """The scaler whose `state()` this is; arrays may come as lists, as from JSON.

        >>> scaler = Scaler("unit_variance")
        >>> scaler.learn(np.array([[1.0], [3.0]]))
        >>> Scaler.from_state(scaler.state()).transform(np.array([[5.0]])).tolist()
        [[3.0]]
        """
        scaler = cls(state["to"], state["shift"])
        scaler.count = int(state["count"])
        for name in _ARRAYS:
            setattr(scaler, name, np.array(state[name], np.float64))
        return scaler


_ARRAYS = ("low", "high", "mean", "squares")


def _range(X: Any) -> tuple[Floats, Floats]:
    """The least and the largest number of each column; what CSR does not store is zero."""
    if not sparse.issparse(X):
        return X.min(axis=0), X.max(axis=0)
    stored = np.bincount(X.indices, minlength=X.shape[1])
    low = np.where(stored < X.shape[0], 0.0, np.inf)
    high = np.where(stored < X.shape[0], 0.0, -np.inf)
    np.minimum.at(low, X.indices, X.data)
    np.maximum.at(high, X.indices, X.data)
    return low, high


def _moments(X: Any) -> tuple[Floats, Floats]:
    """Each column's mean, and its sum of squared distances from it."""
    if not sparse.issparse(X):
        mean = X.mean(axis=0)
        away = X - mean
        return mean, np.einsum("ij,ij->j", away, away)
    rows, width = X.shape
    mean = np.bincount(X.indices, X.data, minlength=width) / rows
    away = X.data - mean[X.indices]
    absent = rows - np.bincount(X.indices, minlength=width)
    return mean, np.bincount(X.indices, away**2, minlength=width) + absent * mean**2
