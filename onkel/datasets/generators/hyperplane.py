"""A rotating hyperplane (Hulten, Spencer and Domingos, KDD 2001): drift in every single row.

Features are uniform in [0, 1], and a row has the label +1 if Σ wᵢxᵢ ≥ ½ Σ wᵢ, so that both classes
are equally likely whatever the weights. The first few weights move by ±`drift` from row to row, each in
a direction of its own that turns now and then.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from onkel.datasets.generators.chunks import (
    BLOCK,
    Chunk,
    Seed,
    check_at_least,
    check_share,
    flipped,
    in_chunks,
    in_one,
    two_generators,
)


class _Settings(NamedTuple):
    n_features: int
    n_drifting: int
    drift: float
    turning: float
    noise: float


def rotating_hyperplane(
    n: int,
    *,
    n_features: int = 10,
    n_drifting: int = 2,
    drift: float = 0.001,
    turning: float = 0.1,
    noise: float = 0.05,
    random_state: Seed = None,
) -> Chunk:
    """Draw rows that a rotating hyperplane divides into two classes.

    The label of row t is the sign of Σᵢ wᵢ(t) (xᵢ − ½), turned over with the probability `noise`. The weights begin
    uniform in [0, 1]. From each row to the next, the first `n_drifting` of them change by sᵢ · `drift`, where
    sᵢ = ±1 changes its sign with the probability `turning`; `rotating_hyperplane_weights` tells them.

    Parameters
    ----------
    n : int
        Number of rows.
    n_features : int, default=10
        Number of features, uniform in [0, 1].
    n_drifting : int, default=2
        How many weights change.
    drift : float, default=0.001
        By how much a weight changes from row to row.
    turning : float in [0, 1], default=0.1
        The probability that a weight changes its direction.
    noise : float in [0, 1], default=0.05
        The probability of a wrong label, which is the best possible mistake rate.
    random_state : int, Generator or None, default=None
        Where the randomness comes from.

    Returns
    -------
    X : ndarray of shape (n, n_features)
        The rows.
    y : ndarray of shape (n,)
        Their labels, −1 or +1.

    References
    ----------
    G. Hulten, L. Spencer and P. Domingos, Mining time-changing data streams. KDD 2001.

    Examples
    --------
    >>> X, y = rotating_hyperplane(1000, noise=0.0, random_state=0)
    >>> w = rotating_hyperplane_weights(1000, random_state=0)
    >>> bool((np.sign(np.sum(w * (X - 0.5), axis=1)) == y).all())
    True
    """
    settings = _Settings(n_features, n_drifting, drift, turning, noise)
    return in_one(_blocks(settings, random_state), n)


def rotating_hyperplane_stream(
    n: int,
    chunk: int = 10_000,
    *,
    n_features: int = 10,
    n_drifting: int = 2,
    drift: float = 0.001,
    turning: float = 0.1,
    noise: float = 0.05,
    random_state: Seed = None,
) -> Iterator[Chunk]:
    """Draw the same rows as `rotating_hyperplane`, in chunks.

    Parameters
    ----------
    n : int
        Number of rows in all.
    chunk : int, default=10000
        Rows of a chunk; the last has what is left.
    n_features, n_drifting, drift, turning, noise, random_state : int or float
        As in `rotating_hyperplane`.

    Returns
    -------
    iterator of (X, y)
        The chunks.

    Examples
    --------
    >>> [len(y) for X, y in rotating_hyperplane_stream(25, chunk=10, random_state=0)]
    [10, 10, 5]
    """
    settings = _Settings(n_features, n_drifting, drift, turning, noise)
    return in_chunks(_blocks(settings, random_state), n, chunk)


def rotating_hyperplane_weights(
    n: int,
    *,
    n_features: int = 10,
    n_drifting: int = 2,
    drift: float = 0.001,
    turning: float = 0.1,
    random_state: int | None = None,
) -> NDArray[np.float64]:
    """Tell the true weights behind the rows that `rotating_hyperplane` draws.

    Parameters
    ----------
    n : int
        Number of rows.
    n_features, n_drifting, drift, turning, random_state : int or float
        As in `rotating_hyperplane`.

    Returns
    -------
    ndarray of shape (n, n_features)
        The weights at each row.

    Examples
    --------
    >>> w = rotating_hyperplane_weights(3, n_features=4, n_drifting=1, drift=0.5, random_state=0)
    >>> np.abs(np.diff(w, axis=0)).tolist()
    [[0.5, 0.0, 0.0, 0.0], [0.5, 0.0, 0.0, 0.0]]
    """
    settings = _checked(_Settings(n_features, n_drifting, drift, turning, 0.0))
    check_at_least(0, n=n)
    path = _path(settings, two_generators(random_state)[0])
    blocks = [next(path) for _ in range(max(1, -(-n // BLOCK)))]
    return np.concatenate(blocks)[:n]


def _blocks(settings: _Settings, random_state: Seed) -> Iterator[Chunk]:
    return _drawn(_checked(settings), *two_generators(random_state))


def _checked(settings: _Settings) -> _Settings:
    check_at_least(1, n_features=settings.n_features)
    check_at_least(0, drift=settings.drift)
    check_share("turning", settings.turning)
    check_share("noise", settings.noise)
    if not 0 <= settings.n_drifting <= settings.n_features:
        raise ValueError(
            f"n_drifting must be between 0 and n_features={settings.n_features}, "
            f"got {settings.n_drifting}"
        )
    return settings


def _drawn(
    settings: _Settings, weights_rng: np.random.Generator, rows_rng: np.random.Generator
) -> Iterator[Chunk]:
    for weights in _path(settings, weights_rng):
        X = rows_rng.random((BLOCK, settings.n_features))
        y = np.where(np.sum(weights * (X - 0.5), axis=1) >= 0, 1, -1)
        yield X, flipped(y, settings.noise, rows_rng)


def _path(settings: _Settings, rng: np.random.Generator) -> Iterator[NDArray[np.float64]]:
    """The weights, block by block."""
    start = rng.random(settings.n_features)
    sign = rng.choice([-1, 1], settings.n_drifting)
    # Steps are counted in whole numbers, so no rounding adds up over a long stream.
    steps = np.zeros(settings.n_drifting, np.int64)
    while True:
        weights = np.tile(start, (BLOCK, 1))
        turns = np.where(rng.random((BLOCK, settings.n_drifting)) < settings.turning, -1, 1)
        signs = sign * np.cumprod(turns, axis=0)
        after = steps + np.cumsum(signs, axis=0)
        before = np.concatenate([steps[None], after[:-1]])
        weights[:, : settings.n_drifting] += settings.drift * before
        yield weights
        sign, steps = signs[-1], after[-1]
