"""The report: repetitions of one experiment, put together: mean and standard deviation of figures and curves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np


class Mean(NamedTuple):
    value: float | None
    std: float | None  # None of a single repetition


def mean_of(values: Iterable[float | None]) -> Mean:
    """Mean and (sample) standard deviation of what is known.

    >>> mean_of([1.0, 3.0, None]).value, mean_of([5.0]), mean_of([])
    (2.0, Mean(value=5.0, std=None), Mean(value=None, std=None))
    """
    known = [float(v) for v in values if v is not None and not math.isnan(v)]
    if not known:
        return Mean(None, None)
    std = float(np.std(known, ddof=1)) if len(known) > 1 else None
    return Mean(float(np.mean(known)), std)


class MeanCurve(NamedTuple):
    seen: list[float]
    mean: dict[str, list[float]]
    std: dict[str, list[float] | None]


def mean_curve(curves: Sequence[Mapping[str, Sequence[float]]]) -> MeanCurve | None:
    """Curves over the same stream, averaged at the instances where the shortest of them was measured.

    >>> mean_curve([{"seen": [1, 2], "rate": [0.0, 0.5]}, {"seen": [1, 2], "rate": [1.0, 0.5]}]).mean
    {'rate': [0.5, 0.5]}
    """
    curves = [curve for curve in curves if len(curve.get("seen", ()))]
    if not curves:
        return None
    grid = min((curve["seen"] for curve in curves), key=lambda seen: (seen[-1], len(seen)))
    names = [k for k in curves[0] if k != "seen" and all(len(c.get(k, ())) for c in curves)]
    mean: dict[str, list[float]] = {}
    std: dict[str, list[float] | None] = {}
    for name in names:
        stacked = np.array([_at(grid, c["seen"], c[name]) for c in curves])
        mean[name] = stacked.mean(axis=0).tolist()
        std[name] = stacked.std(axis=0, ddof=1).tolist() if len(curves) > 1 else None
    return MeanCurve([float(seen) for seen in grid], mean, std)


def _at(grid: Sequence[float], seen: Sequence[float], values: Sequence[float]) -> np.ndarray:
    """A curve at other instances, evenly between those where it has a value; nan where it has none."""
    known = np.asarray(values, float)
    there = np.isfinite(known)
    if not there.any():
        return np.full(len(grid), np.nan)
    return np.asarray(np.interp(grid, np.asarray(seen)[there], known[there]))


def told_apart(named: Sequence[tuple[str, Mapping[str, Any]]]) -> list[str]:
    """Names, each followed by its settings where the same name occurs with different ones.

    >>> told_apart([("FOGD", {"D": 100, "eta": 1}), ("FOGD", {"D": 400, "eta": 1}), ("AVM", {})])
    ['FOGD (D=100)', 'FOGD (D=400)', 'AVM']
    """
    variants: dict[str, list[Mapping[str, Any]]] = {}
    for name, settings in named:
        if settings not in variants.setdefault(name, []):
            variants[name].append(settings)

    def display(name: str, settings: Mapping[str, Any]) -> str:
        of_name = variants[name]
        keys = dict.fromkeys(key for each in of_name for key in each)
        differing = [k for k in keys if any(each.get(k) != of_name[0].get(k) for each in of_name)]
        told = ", ".join(f"{key}={settings.get(key)}" for key in differing)
        return f"{name} ({told})" if told else name

    return [display(name, settings) for name, settings in named]
