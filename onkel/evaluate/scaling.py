"""Columns scaled to an interval or to unit variance, dense or CSR."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis, min_max_axis

SCALINGS = ("given", "unit_interval", "minus_one_one", "unit_variance")


class Scaling(NamedTuple):
    """x → factor · x + offset, and the factor to use where nothing may be shifted."""

    factor: Any = None
    offset: Any = None
    factor_alone: Any = None

    @property
    def shifts(self) -> bool:
        """Whether zeros become something else."""
        return self.offset is not None and bool(np.any(self.offset))

    def __call__(self, X: Any) -> Any:
        return X if self.factor is None else X * self.factor + self.offset

    def divide(self, X: Any) -> Any:
        """Multiply the columns alone, so that zeros stay zeros."""
        if self.factor is None:
            return X
        factor = self.factor_alone if self.shifts else self.factor
        return sparse.csr_matrix(X) @ sparse.diags(factor)


def learn_scaling(X: Any, to: str) -> Scaling:
    """The scaling of each column. Constant columns go to the lower end, or to 0.

    >>> X = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]])
    >>> learn_scaling(X, "minus_one_one")(X).tolist()
    [[-1.0, -1.0], [0.0, -1.0], [1.0, -1.0]]
    """
    if to == "given":
        return Scaling()
    if to == "unit_variance":
        mean, variance = mean_variance(X)
        factor = _inverse(np.sqrt(variance))
        return Scaling(factor, -mean * factor, factor)
    low, high = _min_max(X)
    bottom, top = (-1.0, 1.0) if to == "minus_one_one" else (0.0, 1.0)
    factor = (top - bottom) * _inverse(high - low)
    offset = bottom - low * factor
    return Scaling(factor, offset, _inverse(np.maximum(abs(low), abs(high))))


def learn_target_scaling(y: Any, to: str) -> Callable[[Any], Any]:
    """The scaling of a target; labels that aren't numbers can't be scaled."""
    if to == "given":
        return lambda values: values
    if y.dtype.kind not in "iuf":
        raise ValueError(f"target={to!r} is for regression: these targets are labels")
    scaling = learn_scaling(y[:, None], to)
    return lambda values: scaling(values[:, None])[:, 0]


def _inverse(values: Any) -> Any:
    return np.divide(1.0, values, out=np.zeros_like(values, dtype=float), where=values > 0)


def _min_max(X: Any) -> tuple[Any, Any]:
    if sparse.issparse(X):
        low, high = min_max_axis(X, axis=0)
        return low, high
    return X.min(axis=0), X.max(axis=0)


def mean_variance(X: Any) -> tuple[Any, Any]:
    """Mean and variance of each column."""
    if sparse.issparse(X):
        mean, variance = mean_variance_axis(X, axis=0)
        return mean, variance
    return X.mean(axis=0), X.var(axis=0)
