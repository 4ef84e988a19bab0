"""Landmarks: a few points that stand for all rows of a training set."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from onkel.parallel.crew import share

#: Rows of the sample that centres are found in, for each of them, and how often all centres move.
ROWS_A_CENTRE, ROUNDS = 20, 5
#: Rows whose distances are in memory at once.
ROWS_AT_ONCE = 512


def centres(X: Any, count: int, seed: int, weights: np.ndarray | None = None) -> np.ndarray:
    """The centres of k-means on a sample of the rows; all rows where there are no more than that.

    It begins at rows drawn at random, and a few rounds move each centre to the mean of the rows that are nearest to
    it. One that no row is nearest to stays where it is.
    """
    if X.shape[0] <= count:
        return np.array(X.toarray() if sparse.issparse(X) else X)
    order = np.random.default_rng(seed).permutation(X.shape[0])[: ROWS_A_CENTRE * count]
    sample, counts = X[order], np.ones(len(order)) if weights is None else weights[order]
    start = sample[:count]
    found = np.array(start.toarray() if sparse.issparse(start) else start)
    for _ in range(ROUNDS):
        nearest = nearest_centres(sample, found)
        members = sparse.csr_matrix(
            (counts, (nearest, np.arange(len(order)))), shape=(count, len(order))
        )
        totals, means = np.bincount(nearest, counts, count), members @ sample
        means = means.toarray() if sparse.issparse(means) else means
        kept = totals > 0
        found[kept] = means[kept] / totals[kept, None]
    return found


def nearest_centres(X: Any, found: np.ndarray) -> np.ndarray:
    """The number of the centre that each row is nearest to, by matrix products that threads share."""
    nearest = np.empty(X.shape[0], np.intp)
    turned = np.ascontiguousarray(-2.0 * found.T, dtype=found.dtype)
    norms = np.einsum("ij,ij->i", found, found)

    def work(first: int) -> None:
        gaps = X[first : first + ROWS_AT_ONCE] @ turned
        gaps += norms
        gaps.argmin(axis=1, out=nearest[first : first + ROWS_AT_ONCE])

    share(work, range(0, X.shape[0], ROWS_AT_ONCE), X.shape[0] * found.size)
    return nearest


def random_rows(X: Any, count: int, seed: int) -> Any:
    """Rows drawn at random, in their order; all rows where there are no more than that."""
    if X.shape[0] <= count:
        return X.copy()
    return X[np.sort(np.random.default_rng(seed).choice(X.shape[0], count, replace=False))]


def given_landmarks(landmarks: Any, n_features: int) -> Any:
    """Landmarks that the user brings, or an error if they are none."""
    try:
        given = landmarks.tocsr() if sparse.issparse(landmarks) else np.array(landmarks, float)
    except (TypeError, ValueError):
        given = np.zeros(0)
    numbers = given.data if sparse.issparse(given) else given
    if given.ndim != 2 or min(given.shape) == 0 or not np.isfinite(numbers).all():
        raise ValueError(
            f"landmarks={landmarks!r} is not allowed: landmarks must be 'random', 'kmeans' or finite "
            f"numbers of shape (n_landmarks, n_features)."
        )
    if given.shape[1] != n_features:
        raise ValueError(
            f"landmarks have {given.shape[1]} features, and the rows have {n_features}: give landmarks of "
            f"as many features as the rows."
        )
    return given
