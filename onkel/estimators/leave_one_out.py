r"""What a few rows say of a kernel and a regularization: errors of predictions without the row itself.

For kernel ridge regression these need no second fit: with :math:`G = (K + \lambda I)^{-1}`, less :math:`G 1 1^\top
G / 1^\top G 1` where there is an intercept, row i is off by :math:`(G y)_i / G_{ii}`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from onkel.engine.layout import picked
from onkel.engine.matrix import KernelMatrix
from onkel.engine.ridge.strength import STRENGTHS
from onkel.estimators.kernels import chosen_kernel, kernel_and_gamma

#: Rows that are enough to tell, and so few that they tell nothing.
ENOUGH, TOO_FEW = 1024, 8
#: Multiples of "scale" that are tried for gamma.
WIDTHS = np.power(2.0, np.arange(-4, 5))
#: A diagonal entry of this relative size is rounding.
ROUNDING = 1e-12


def some_rows(X: Any, targets: np.ndarray, seed: int) -> tuple[Any, np.ndarray]:
    """The rows, or as many of them, drawn at random, as are enough."""
    if X.shape[0] <= ENOUGH:
        return X, targets
    rows = np.random.default_rng(seed).choice(X.shape[0], ENOUGH, replace=False)
    rows.sort()
    return picked(X, rows), targets[rows]


def best_gamma(learner: Any, X: Any, codes: np.ndarray, intercept: bool) -> tuple[Any, float]:
    """The kernel with the best of several gammas, and that; as the learner's parameters say if it has none."""
    kernel, gamma = kernel_and_gamma(learner, X)
    if not isinstance(learner.kernel, str) or not hasattr(kernel, "gamma") or tell_nothing(codes):
        return kernel, gamma
    kernels = [chosen_kernel(learner, width * gamma) for width in WIDTHS.tolist()]
    errors = []
    for kernel in kernels:
        gram = KernelMatrix(kernel, X).gram().astype(np.float64)
        errors.append(float(left_out_errors(gram, codes, intercept)[1].min()))
    best = kernels[int(np.argmin(errors))]
    return best, float(best.gamma)


def first_strength(features: np.ndarray, codes: np.ndarray, intercept: bool) -> float:
    """The best strength of a regularization for rows with these features."""
    known = spectrum_of_features(features.astype(np.float64))
    strengths = known.strengths
    if tell_nothing(codes):
        return float(strengths[STRENGTHS == 1.0][0])
    return float(strengths[int(np.argmin(known.left_out_errors(codes, intercept)))])


def tell_nothing(codes: np.ndarray) -> bool:
    """Whether targets are too few to choose by, or all the same."""
    return len(codes) < TOO_FEW or float(np.ptp(codes, axis=0).max()) == 0.0


def left_out_errors(
    gram: np.ndarray, codes: np.ndarray, intercept: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Strengths, and their mean squared errors, from kernel values (rows x rows) and targets (rows x outputs)."""
    known = spectrum_of_gram(gram)
    return known.strengths, known.left_out_errors(codes, intercept)


class Spectrum(NamedTuple):
    """Eigenvalues of kernel values among rows, and their vectors (rows x values): all that are not 0."""

    values: np.ndarray
    vectors: np.ndarray

    @property
    def strengths(self) -> np.ndarray:
        """Strengths in proportion to the mean kernel value of a row with itself."""
        unit = float(self.values.sum()) / len(self.vectors)
        return STRENGTHS * (unit if unit > 0.0 else 1.0)

    def left_out_errors(self, codes: np.ndarray, intercept: bool) -> np.ndarray:
        """The mean squared error of each strength, for these targets (rows x outputs)."""
        values, vectors = self
        squares, turned = np.square(vectors), vectors.T @ codes
        ones = vectors.sum(axis=0)
        # What no eigenvector reaches: rows that are more than the values.
        beside, alone = codes - vectors @ turned, 1.0 - squares.sum(axis=1)
        level = 1.0 - vectors @ ones
        errors = np.empty(len(STRENGTHS))
        for k, strength in enumerate(self.strengths.tolist()):
            shrunk = 1.0 / (values + strength)
            solved = vectors @ (shrunk[:, None] * turned) + beside / strength
            diagonal = squares @ shrunk + alone / strength
            if intercept:
                row_sums = vectors @ (shrunk * ones) + level / strength
                total = float(row_sums.sum())
                solved -= np.outer(row_sums, row_sums @ codes) / total
                diagonal -= np.square(row_sums) / total
            diagonal = np.maximum(diagonal, ROUNDING / strength)
            errors[k] = np.square(solved / diagonal[:, None]).sum() / len(codes)
        return errors


def spectrum_of_gram(gram: np.ndarray) -> Spectrum:
    """From kernel values (rows x rows)."""
    values, vectors = np.linalg.eigh(gram)
    return Spectrum(np.maximum(values, 0.0), vectors)


def spectrum_of_features(features: np.ndarray) -> Spectrum:
    """From features (rows x D): of the smaller one of the two matrices of their products."""
    rows, size = features.shape
    if size >= rows:
        return spectrum_of_gram(features @ features.T)
    values, turns = np.linalg.eigh(features.T @ features)
    kept = values > ROUNDING * max(float(values[-1]), 0.0)
    return Spectrum(values[kept], features @ (turns[:, kept] / np.sqrt(values[kept])))
