"""More outputs than before: statistics and weights as if they had been known from the start."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dsymm

from onkel.engine.ridge.statistics import Statistics


def with_outputs(
    known: Statistics, coef: np.ndarray, inverse: np.ndarray, mixture: np.ndarray
) -> tuple[Statistics, np.ndarray]:
    """Statistics and weights of outputs that are mixtures (new x old) of those before.

    An output that is a mixture of none is of a new class: all rows so far were of others. Of two classes, which have
    one output, both have one from now on.
    """
    new, sources = ~mixture.any(axis=1), np.abs(mixture).argmax(axis=1)
    signs = np.sign(mixture[np.arange(len(mixture)), sources]).astype(float)
    cross, coef = (np.ascontiguousarray(each[:, sources] * signs) for each in (known.cross, coef))
    squares = known.squares[sources] * np.abs(signs)
    target_mean = known.target_mean[sources] * signs
    if known.weight > 0.0:
        target_mean[new] = -1.0
    if not known.centred:
        sums = -known.weight * known.mean[:, None]
        cross[:, new], squares[new] = sums, known.weight
        coef[:, new] = dsymm(1.0, inverse.T, sums, lower=1)
    return known._replace(cross=cross, squares=squares, target_mean=target_mean), coef
