"""Model files: what must hold of what was read, or an error that says what does not."""

from __future__ import annotations

from typing import Any

import numpy as np

from onkel.drift import Adwin
from onkel.drift.adwin import MOST_ALIKE
from onkel.io.errors import ModelFileError


def require(holds: Any, otherwise: str) -> None:
    """Raise where the parts of a model contradict each other."""
    if not holds:
        raise ModelFileError(f"its parts contradict each other: {otherwise}")


def same_kind(found: Any, expected: np.ndarray, name: str) -> None:
    same = isinstance(found, np.ndarray) and (found.dtype, found.shape) == (
        expected.dtype,
        expected.shape,
    )
    require(same and found.flags.c_contiguous, f"{name} is of another size or type")


def check_adwin(found: Any) -> None:
    fresh = Adwin(found.delta, found.warning_delta)
    require(vars(found).keys() == vars(fresh).keys(), "its detector is incomplete")
    for name in ("_now", "_counts", "_buckets"):
        same_kind(vars(found)[name], vars(fresh)[name], name)
    counts = found._counts
    require(((counts >= 0) & (counts <= MOST_ALIKE)).all(), "its detector has too many buckets")
