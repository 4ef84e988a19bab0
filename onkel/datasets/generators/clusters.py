"""Drifting clusters: several classes of gaussian clouds whose centers wander through the unit cube.

This is the stream that the literature on drift calls the random RBF generator with drift. Each center
moves along a straight line at constant speed and is reflected at the walls of the cube, so its place at
row t has a closed form: the triangle wave of c + t·v in each coordinate.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from onkel.datasets.generators.chunks import (
    BLOCK,
    Chunk,
    Seed,
    check_at_least,
    in_chunks,
    in_one,
    two_generators,
)


class _Settings(NamedTuple):
    n_features: int
    n_classes: int
    n_clusters: int
    speed: float
    spread: float


class _Clusters(NamedTuple):
    centers: NDArray[np.float64]
    velocities: NDArray[np.float64]
    shares: NDArray[np.float64]
    labels: NDArray[np.int64]


def drifting_clusters(
    n: int,
    *,
    n_features: int = 10,
    n_classes: int = 4,
    n_clusters: int = 20,
    speed: float = 1e-4,
    spread: float = 0.1,
    random_state: Seed = None,
) -> Chunk:
    """Draw rows of several classes from clusters whose centers wander.

    A row t comes from cluster k with the probability πₖ (uniform draws, normalised to sum 1): its features
    are N(cₖ(t), `spread`² I), its label is k modulo `n_classes`. The centers cₖ(0) are uniform in
    the unit cube; each moves by `speed` a row in a random direction of its own and is reflected at the
    walls. `drifting_clusters_centers` tells where they are.

    Parameters
    ----------
    n : int
        Number of rows.
    n_features : int, default=10
        Number of features.
    n_classes : int, default=4
        Number of classes.
    n_clusters : int, default=20
        Number of clusters, at least one a class.
    speed : float, default=1e-4
        How far a center moves from row to row.
    spread : float, default=0.1
        Standard deviation of a cluster, in each direction.
    random_state : int, Generator or None, default=None
        Where the randomness comes from.

    Returns
    -------
    X : ndarray of shape (n, n_features)
        The rows.
    y : ndarray of shape (n,)
        Their labels, 0 to n_classes − 1.

    References
    ----------
    A. Bifet et al., New ensemble methods for evolving data streams. KDD 2009 (the generator of
    radial basis functions with drift; there each cluster has a spread of its own).

    Examples
    --------
    >>> X, y = drifting_clusters(1000, n_features=2, n_classes=3, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((1000, 2), [0, 1, 2])
    """
    settings = _Settings(n_features, n_classes, n_clusters, speed, spread)
    return in_one(_blocks(settings, random_state), n)


def drifting_clusters_stream(
    n: int,
    chunk: int = 10_000,
    *,
    n_features: int = 10,
    n_classes: int = 4,
    n_clusters: int = 20,
    speed: float = 1e-4,
    spread: float = 0.1,
    random_state: Seed = None,
) -> Iterator[Chunk]:
    """Draw the same rows as `drifting_clusters`, in chunks.

    Parameters
    ----------
    n : int
        Number of rows in all.
    chunk : int, default=10000
        Rows of a chunk; the last has what is left.
    n_features, n_classes, n_clusters, speed, spread, random_state : int or float
        As in `drifting_clusters`.

    Returns
    -------
    iterator of (X, y)
        The chunks.

    Examples
    --------
    >>> [len(y) for X, y in drifting_clusters_stream(25, chunk=10, random_state=0)]
    [10, 10, 5]
    """
    settings = _Settings(n_features, n_classes, n_clusters, speed, spread)
    return in_chunks(_blocks(settings, random_state), n, chunk)


def drifting_clusters_centers(
    rows: ArrayLike,
    *,
    n_features: int = 10,
    n_clusters: int = 20,
    speed: float = 1e-4,
    random_state: int | None = None,
) -> NDArray[np.float64]:
    """Tell where the centers of `drifting_clusters` are.

    Parameters
    ----------
    rows : int or array-like of int
        Numbers of rows, counted from 0.
    n_features, n_clusters, speed, random_state : int or float
        As in `drifting_clusters`.

    Returns
    -------
    ndarray of shape (number of rows, n_clusters, n_features)
        The centers at these rows.

    Examples
    --------
    >>> at = drifting_clusters_centers([0, 100], speed=1e-4, random_state=0)
    >>> at.shape
    (2, 20, 10)
    """
    settings = _checked(_Settings(n_features, 1, n_clusters, speed, 0.0))
    clusters = _clusters(settings, two_generators(random_state)[0])
    return _places(clusters, np.atleast_1d(np.asarray(rows)))


def _blocks(settings: _Settings, random_state: Seed) -> Iterator[Chunk]:
    clusters_rng, rows_rng = two_generators(random_state)
    clusters = _clusters(_checked(settings), clusters_rng)
    return _drawn(clusters, settings.spread, rows_rng)


def _checked(settings: _Settings) -> _Settings:
    check_at_least(1, n_features=settings.n_features, n_classes=settings.n_classes)
    check_at_least(0, speed=settings.speed, spread=settings.spread)
    if settings.n_clusters < settings.n_classes:
        raise ValueError(
            f"n_clusters must be at least n_classes={settings.n_classes}, got {settings.n_clusters}"
        )
    return settings


def _clusters(settings: _Settings, rng: np.random.Generator) -> _Clusters:
    size = (settings.n_clusters, settings.n_features)
    centers = rng.random(size)
    directions = rng.standard_normal(size)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    shares = rng.random(settings.n_clusters)
    labels = np.arange(settings.n_clusters) % settings.n_classes
    return _Clusters(centers, settings.speed * directions, shares / shares.sum(), labels)


def _drawn(clusters: _Clusters, spread: float, rng: np.random.Generator) -> Iterator[Chunk]:
    first = 0
    bounds = np.cumsum(clusters.shares)[:-1]
    while True:
        chosen = np.searchsorted(bounds, rng.random(BLOCK), side="right")
        rows = np.arange(first, first + BLOCK)[:, None]
        place = _folded(clusters.centers[chosen] + rows * clusters.velocities[chosen])
        X = place + spread * rng.standard_normal(place.shape)
        yield X, clusters.labels[chosen]
        first += BLOCK


def _places(clusters: _Clusters, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    return _folded(clusters.centers + rows[:, None, None] * clusters.velocities)


def _folded(position: NDArray[np.float64]) -> NDArray[np.float64]:
    """Reflection at 0 and 1: the distance to the nearest even number."""
    return np.abs(position - 2 * np.round(position / 2))
