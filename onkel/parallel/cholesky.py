r"""Cholesky factor and inverse of a symmetric matrix whose upper triangle is kept, by panels that threads share.

Panel after panel is factored and taken from what is left, as LAPACK does it. Panel J of the inverse solves
:math:`L L^\top X = I_J`, where only the rows from J on are not known by symmetry: no panel waits for another.
"""

from __future__ import annotations

import ctypes

import numpy as np

from onkel.parallel.crew import share
from onkel.parallel.symmetric import PANEL, add_products, call, panels_of

#: Rows of a panel of the inverse: where it begins, zeros are solved for, too.
NARROW = 128


def factor(matrix: np.ndarray) -> bool:
    """The matrix becomes its factor (upper, transposed L), in place; False if it is not positive definite."""
    size, failed = len(matrix), ctypes.c_int()
    for begin in panels_of(size):
        end = min(begin + PANEL, size)
        diagonal = matrix[begin:end, begin:end]
        call("dpotrf", "L", end - begin, diagonal, failed)
        if failed.value:
            return False
        if end < size:
            divide(matrix, begin, end)
            add_products(-1.0, matrix[begin:end, end:], 1.0, matrix[end:, end:])
    return True


def divide(matrix: np.ndarray, begin: int, end: int) -> None:
    """Panel ``begin .. end``, right of the diagonal, divided by the factor there."""
    size, width = len(matrix), end - begin
    diagonal = matrix[begin:end, begin:end]

    def work(first: int) -> None:
        part = matrix[begin:end, first : first + PANEL]
        call("dtrsm", "R", "L", "T", "N", part.shape[1], width, 1.0, diagonal, part)

    share(work, range(end, size, PANEL), (size - end) * width * width / 2)


def inverse_of_factored(root: np.ndarray) -> np.ndarray:
    """The inverse of the matrix that has this factor; its upper triangle."""
    size = len(root)
    inverse = np.zeros((size, size))

    def work(begin: int) -> None:
        end = min(begin + NARROW, size)
        panel, below = inverse[begin:end, begin:], root[begin:, begin:]
        np.fill_diagonal(panel, 1.0)
        for turned in "NT":
            call("dtrsm", "L", "L", turned, "N", size - begin, end - begin, 1.0, below, panel)

    share(work, range(0, size, NARROW), size**3 / 3)
    return inverse
