"""Maps: Nyström features, the directions that some landmarks span in the space of the kernel.

With the landmarks' Gram matrix ``K = V L V'``, cut to its largest eigenpairs,

    z(x) = L^(-1/2) V' k_B(x),   z(x) . z(y)  ~  k(x, y),

exactly so where x or y is a landmark and no eigenpair was cut.

Who needs all directions, and no order of them, has the same products from a triangular factor, ``K = L L'``,

    z(x) = L^(-1) k_B(x),

for a seventh of the work, and takes half as much to apply. Pivots leave out the landmarks that depend on others.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpstrf, dtrtri

#: Eigenvalues relatively below it are rounding, in double precision.
EIGENVALUE_CUTOFF = 1e-10


def nystrom_transform(
    gram: np.ndarray, rank: int, cutoff: float = EIGENVALUE_CUTOFF
) -> tuple[np.ndarray, np.ndarray]:
    """M and its counterpart for coefficients: ``z = M' k``, ``w = A' back``, by falling eigenvalue.

    At most ``rank`` columns, at least one: where all kernel values are 0, a feature that is always 0.
    """
    values, vectors = np.linalg.eigh(0.5 * (gram + gram.T).astype(np.float64))
    values, vectors = values[::-1], vectors[:, ::-1]
    kept = min(rank, int((values > cutoff * abs(values[0])).sum()))
    if kept == 0:
        nothing = np.zeros((len(values), 1))
        return nothing, nothing
    root = np.sqrt(values[:kept])
    return vectors[:, :kept] / root, vectors[:, :kept] * root


def triangular_factor(
    gram: np.ndarray, cutoff: float = EIGENVALUE_CUTOFF
) -> tuple[np.ndarray, np.ndarray]:
    """The landmarks that do not depend on others, in some order, and M, upper triangular: of these, ``z = M' k``.

    Those depend on others of whose k(x, x) the others leave less than ``cutoff``, relative to the largest. At least
    one landmark is left, as above.
    """
    largest = float(gram.diagonal().max())
    if largest <= 0.0:
        return np.zeros(1, np.int64), np.zeros((1, 1))
    factor, order, kept, _ = dpstrf(gram.T.astype(np.float64), tol=cutoff * largest, lower=0)
    inverse, _ = dtrtri(factor[:kept, :kept])
    return order[:kept].astype(np.int64) - 1, np.triu(inverse)
