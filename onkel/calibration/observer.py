"""What observers share: their arrays, which are copied and saved with the model."""

from __future__ import annotations

from typing import Any, Self

import numpy as np


class Observer:
    """Who is shown scores (rows x outputs), targets and weights in order, and keeps arrays of numbers."""

    decay: (
        np.ndarray
    )  # (1,): what older rows are multiplied with at each row, 1 if none is forgotten

    def __init__(self, decay: float, **arrays: np.ndarray) -> None:
        self.__dict__.update(arrays, decay=np.array([decay]))

    def observe(self, scores: np.ndarray, targets: np.ndarray, weights: np.ndarray) -> None:
        """Take in the scores that rows had before they were learned."""
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
