"""Reproduction: what a paper reads off its figure, asked of our points.

The papers' figures have no printed values. What they say of them is that something rises or falls
with a parameter; Spearman's rank correlation over our points says whether it does here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from onkel.reproduce.study import Claim, Study

#: A correlation of ranks beyond this is a trend.
CLEAR = 0.5


@dataclass
class Trend:
    """A claim on one data set: the correlation of ranks, and whether the claim holds here."""

    dataset: str
    claim: Claim
    correlation: float
    holds: bool


def trends_of(study: Study, points: Sequence[Any]) -> list[Trend]:
    """Every claim of the study on every data set that was run."""
    found = []
    for claim in study.claims:
        for dataset in claim.sets or tuple(study.data):
            ran = [
                p
                for p in points
                if (p.dataset, p.algorithm) == (dataset, claim.algorithm) and p.verdict == "run"
            ]
            if len({p.varied[claim.parameter] for p in ran}) > 1:
                found.append(_trend(dataset, claim, ran))
    return found


def _trend(dataset: str, claim: Claim, points: list[Any]) -> Trend:
    """The mean of the correlations at each value of the other parameter, if there is one."""
    groups: dict[str, list[Any]] = {}
    for point in points:
        others = {name: v for name, v in point.varied.items() if name != claim.parameter}
        groups.setdefault(repr(others), []).append(point)
    found = [
        rank_correlation(
            [point.varied[claim.parameter] for point in group],
            [getattr(point, claim.metric) for point in group],
        )
        for group in groups.values()
    ]
    correlation = round(float(np.mean(found)), 4)
    sign = 1 if claim.trend == "rises" else -1
    return Trend(dataset, claim, correlation, sign * correlation > CLEAR)


def rank_correlation(x: Sequence[float], y: Sequence[float]) -> float:
    """Spearman's correlation, 0 where one of the two does not vary.

    >>> rank_correlation([1, 2, 3], [0.1, 0.4, 0.9])
    1.0
    >>> rank_correlation([1, 2, 3], [5, 5, 5])
    0.0
    """
    if len(set(x)) < 2 or len(set(y)) < 2:
        return 0.0
    return round(float(spearmanr(np.asarray(x), np.asarray(y)).statistic), 4)
