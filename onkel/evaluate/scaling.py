"""Columns and targets scaled to an interval or to unit variance, by what some rows tell.

Rows that come later may leave the interval: they are not clipped, as in the papers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from onkel.tables.scaler import KINDS, Scaler

SCALINGS = ("given", *KINDS)


def learned_scaler(X: Any, to: str) -> Scaler | None:
    """What scales the columns of `X`; None where they stay as they are.

    It leaves zeros where they are, until its `shift` is set.

    >>> X = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]])
    >>> scaler = learned_scaler(X, "minus_one_one")
    >>> scaler.shift = True
    >>> scaler.transform(X).tolist()
    [[-1.0, -1.0], [0.0, -1.0], [1.0, -1.0]]
    """
    if to == "given":
        return None
    scaler = Scaler(to, shift=False, clip=False)
    scaler.learn(X)
    return scaler


def target_scaling(y: Any, to: str) -> Callable[[Any], Any]:
    """The scaling of a target; labels that aren't numbers can't be scaled."""
    if to != "given" and y.dtype.kind not in "iuf":
        raise ValueError(f"target={to!r} is for regression: these targets are labels")
    scaler = learned_scaler(y[:, None], to)
    if scaler is None:
        return lambda values: values
    scaler.shift = True
    return lambda values: scaler.transform(values[:, None])[:, 0]


def mean_variance(X: Any) -> float:
    """The mean of the columns' variances."""
    scaler = Scaler("unit_variance", shift=False)
    scaler.learn(X)
    return float(np.mean(scaler.means_and_spreads()[1] ** 2))
