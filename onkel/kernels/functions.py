"""Functions for kernels to be written with: NumPy's in Python, vector instructions in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from onkel.compiled.simd import EXACT, fast_exp


def exp(x: Any) -> Any:
    """The exponential, of a number or an array."""
    return np.exp(x)


def constant(number: float, like: Any) -> Any:
    """A number in the precision of another one: a float64 among float32 would halve the vector width."""
    return number


@overload(exp, jit_options={"forceinline": True, **EXACT}, strict=False)
def _exp(x: Any) -> Any:
    return (lambda x: fast_exp(x)) if isinstance(x, types.Float) else None


@overload(constant, jit_options={"forceinline": True, **EXACT}, strict=False)
def _constant(number: Any, like: Any) -> Any:
    if like == types.float32:
        return lambda number, like: np.float32(number)
    return lambda number, like: np.float64(number)
