"""Products with symmetric matrices of which the upper triangle is kept, cut into panels that threads share.

The panels of a matrix are always the same, whatever the threads, so that no digit depends on these. SciPy's own
functions of BLAS hold Python's lock, so BLAS is called where SciPy offers it to compiled code.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba.extending import get_cython_function_address

from onkel.parallel.crew import share

#: Rows of a panel.
PANEL = 512
#: What is LAPACK's, not BLAS's.
OF_LAPACK = ("dpotrf",)


@cache
def blas(name: str, n_arguments: int) -> Callable[..., None]:
    """A function of BLAS, all of whose arguments are addresses; it runs without Python's lock."""
    library = "cython_lapack" if name in OF_LAPACK else "cython_blas"
    address = get_cython_function_address(f"scipy.linalg.{library}", name)
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * n_arguments)
    return kind(address)


def call(name: str, *arguments: Any) -> None:
    """Call BLAS: letters and numbers by their addresses, a matrix as two. It sees C-ordered ones transposed."""
    kept: list[Any] = []
    for given in arguments:
        if isinstance(given, np.ndarray):
            apart = max(
                given.strides[0] // given.itemsize, given.shape[1]
            )  # of one row it is not told
            kept += [given.ctypes, ctypes.c_int(apart)]
        elif isinstance(given, str):
            kept.append(ctypes.c_char(given.encode()))
        elif isinstance(given, ctypes.c_int):
            kept.append(given)  # which BLAS writes to
        else:
            kept.append((ctypes.c_double if isinstance(given, float) else ctypes.c_int)(given))
    addresses = [k.data if hasattr(k, "data") else ctypes.addressof(k) for k in kept]
    blas(name, len(addresses))(*addresses)


def panels_of(size: int) -> range:
    return range(0, size, PANEL)


def add_products(factor: float, rows: np.ndarray, keep: float, matrix: np.ndarray) -> None:
    """``matrix = factor * rows' rows + keep * matrix``, in place, its upper triangle."""
    size, count = len(matrix), len(rows)
    factor, keep = float(factor), float(keep)

    def work(begin: int) -> None:
        end = min(begin + PANEL, size)
        own, mine = rows[:, begin:end], matrix[begin:end, begin:end]
        call("dsyrk", "L", "N", end - begin, count, factor, own, keep, mine)
        if end < size:
            right = size - end, end - begin, count
            others, beside = rows[:, end:], matrix[begin:end, end:]
            call("dgemm", "N", "T", *right, factor, others, own, keep, beside)

    share(work, panels_of(size), size * size / 2 * count)


def times(matrix: np.ndarray, rows: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """``rows @ matrix`` (rows x size), of a symmetric matrix; into ``out``, if it is given."""
    size, count = len(matrix), len(rows)
    out = np.empty(rows.shape) if out is None else out

    def work(begin: int) -> None:
        end = min(begin + PANEL, size)
        width, part = end - begin, out[:, begin:end]
        diagonal = matrix[begin:end, begin:end]
        call("dsymm", "L", "L", width, count, 1.0, diagonal, rows[:, begin:end], 0.0, part)
        if end < size:
            after = matrix[begin:end, end:], rows[:, end:]
            call("dgemm", "T", "N", width, count, size - end, 1.0, *after, 1.0, part)
        if begin > 0:
            before = matrix[:begin, begin:end], rows[:, :begin]
            call("dgemm", "N", "N", width, count, begin, 1.0, *before, 1.0, part)

    share(work, panels_of(size), size * size * count)
    return out
