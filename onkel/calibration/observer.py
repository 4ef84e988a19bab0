"""What observers share: their arrays, which are copied and saved with the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np


class Observer:
    """Who is shown scores (rows x outputs), targets and weights in order, and keeps arrays of numbers."""

    decay: (
        np.ndarray
    )  # (1,): what older rows are multiplied with at each row, 1 if none is forgotten
    #: What the model says is so much of its scores, and so much more.
    line: Any = (1.0, 0.0)

    @property
    def squared_error(self) -> float | None:
        """The sum of the squared residuals of what was said; None where that is the scores."""
        return None

    def __init__(self, decay: float, **arrays: np.ndarray) -> None:
        self.__dict__.update(arrays, decay=np.array([decay]))

    def observe(self, scores: np.ndarray, targets: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Take in the scores that rows had before they were learned; returns what the model said of them."""
        raise NotImplementedError

    def joined(
        self, others: Sequence[Self], factors: Sequence[float], common: Self | None = None
    ) -> Self:
        """What all know, of targets of which one unit of another's is ``factor`` units of this one's.

        What they knew before they parted, as the common one does, counts once.
        """
        raise NotImplementedError

    def __copy__(self) -> Self:
        made = object.__new__(type(self))
        made.__dict__.update({name: array.copy() for name, array in vars(self).items()})
        return made

    def __getstate__(self) -> dict[str, Any]:
        return dict(vars(self))

    def __setstate__(self, state: dict[str, Any]) -> None:
        # what a memory map or a buffer lends cannot be written to
        arrays = {name: np.require(array, requirements="W") for name, array in state.items()}
        self.__dict__.update(arrays)


def shares_of(weights: Sequence[float], common: float = 0.0) -> tuple[np.ndarray, float]:
    """The share that each has in what was learned since a common beginning, and the weight of all that was."""
    since = np.asarray(weights, float) - common
    total = float(since.sum())
    shares = since / total if total > 0.0 else np.full(len(since), 1.0 / len(since))
    return shares, common + max(total, 0.0)


def together(
    sums: Sequence[np.ndarray], weights: Sequence[float], shares: np.ndarray, weight: float
) -> np.ndarray:
    """Sums that go with a weight, of all: their means by shares, times the weight of all."""
    means = [share * each / own for share, each, own in zip(shares, sums, weights) if own > 0.0]
    return weight * np.sum(means, axis=0) if means else np.zeros_like(sums[0])
