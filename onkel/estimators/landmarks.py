"""Landmarks: a few points that stand for all rows of a training set."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse


def centres(X: Any, count: int, seed: int, weights: np.ndarray | None = None) -> np.ndarray:
    """The centres of k-means in mini-batches; all rows where there are no more than that."""
    from sklearn.cluster import MiniBatchKMeans

    if X.shape[0] <= count:
        return np.array(X.toarray() if sparse.issparse(X) else X)
    clusters = MiniBatchKMeans(count, n_init=1, random_state=seed)
    return clusters.fit(X, sample_weight=weights).cluster_centers_


def random_rows(X: Any, count: int, seed: int) -> Any:
    """Rows drawn at random, in their order; all rows where there are no more than that."""
    if X.shape[0] <= count:
        return X.copy()
    return X[np.sort(np.random.default_rng(seed).choice(X.shape[0], count, replace=False))]
