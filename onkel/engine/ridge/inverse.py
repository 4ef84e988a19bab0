r"""The inverse :math:`P = (A + \lambda I)^{-1}`, kept while rows come, and the weights that it gives.

A block of increments :math:`\Phi` (b x D) with targets :math:`y` changes both by matrix products alone,

.. math:: G = \Phi P, \quad I + G \Phi^\top = L L^\top, \quad z = L^{-1}(y - \Phi W), \quad V = L^{-1} G, \qquad
          W \leftarrow W + V^\top z, \quad P \leftarrow P - V^\top V,

and what row k was predicted before it came, all rows before it having been learned, is :math:`y_k - L_{kk} z_k`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg.blas import dtrsm
from scipy.linalg.lapack import dpotrf, dpotrs

from onkel.parallel.cholesky import factor, inverse_of_factored
from onkel.parallel.symmetric import add_products, times

#: What is added to the diagonal of a matrix that rounding has made indefinite, relative to its trace.
ROUNDING = 1e-15


class Change(NamedTuple):
    """What a block does to weights and inverse."""

    errors: np.ndarray  # (rows, C): targets less what was predicted before each row
    coef: np.ndarray  # (D, C): the weights after it
    steps: np.ndarray  # (rows, D): V


class IndefiniteError(ValueError):
    """Rounding has made a matrix indefinite that is not."""

    def __init__(self) -> None:
        super().__init__(
            "These rows are too large for ridge regression: scale them, or their weights."
        )


def change_of(
    inverse: np.ndarray,
    coef: np.ndarray,
    features: np.ndarray,
    targets: np.ndarray,
    room: np.ndarray | None = None,
) -> Change:
    """What increments do; nothing is changed yet. ``room`` is as large as the features: the steps go there."""
    gain = times(inverse, features, room).T
    inner = features @ gain
    inner.ravel()[:: len(inner) + 1] += 1.0
    root, failed = dpotrf(inner.T, lower=1, overwrite_a=1)
    if failed:
        raise IndefiniteError()
    z = dtrsm(1.0, root, targets - features @ coef, lower=1)
    steps = dtrsm(1.0, root, gain, side=1, lower=1, trans_a=1, overwrite_b=1).T
    return Change(z * root.diagonal()[:, None], coef + steps.T @ z, steps)


def follow(inverse: np.ndarray, steps: np.ndarray, fade: float) -> None:
    """Change the inverse in place, by the steps of a block, after which all sums are multiplied with ``fade``."""
    add_products(-1.0 / fade, steps, 1.0 / fade, inverse)


def factor_of(gram: np.ndarray, regularization: float) -> np.ndarray:
    """The Cholesky factor of a Gram matrix plus a multiple of the identity: L, transposed."""
    least = ROUNDING * float(np.trace(gram))
    while True:
        regularized = gram.copy()
        regularized.ravel()[:: len(gram) + 1] += regularization
        if factor(regularized):
            return regularized
        regularization = max(10.0 * regularization, least)


def solved(
    gram: np.ndarray, cross: np.ndarray, regularization: float
) -> tuple[np.ndarray, np.ndarray]:
    """Inverse and weights, from the statistics."""
    root = factor_of(gram, regularization)
    coef = weights_of_factored(root, cross)
    return inverse_of_factored(root), coef


def inverse_of(gram: np.ndarray, regularization: float) -> np.ndarray:
    """The inverse alone."""
    return inverse_of_factored(factor_of(gram, regularization))


def weights_of(gram: np.ndarray, cross: np.ndarray, regularization: float) -> np.ndarray:
    """The weights alone, which need no inverse."""
    return weights_of_factored(factor_of(gram, regularization), cross)


def weights_of_factored(root: np.ndarray, cross: np.ndarray) -> np.ndarray:
    coef, _ = dpotrs(root.T, cross, lower=1)
    return np.ascontiguousarray(coef)
