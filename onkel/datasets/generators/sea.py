"""SEA concepts (Street and Kim, KDD 2001): a threshold that jumps, or slides, between four values.

Three features are uniform in [0, 10], of which the third says nothing. A row has the label +1 if
x₁ + x₂ ≤ θ, where θ is 8, 9, 7 and 9.5 in turn, and −1 otherwise; then each label is turned over
with the probability `noise`. Without noise the share of +1 is θ²/200.
"""

from collections.abc import Iterator

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
)

THRESHOLDS = np.array([8.0, 9.0, 7.0, 9.5])


def sea(
    n: int,
    *,
    noise: float = 0.1,
    rows_per_concept: int = 15_000,
    transition: int = 0,
    random_state: Seed = None,
) -> Chunk:
    """Draw rows of the SEA concepts: two classes by a threshold that jumps, or slides.

    The threshold is 8 for the first `rows_per_concept` rows, then 9, 7, 9.5, and 8 again. With a
    `transition` of w rows the change is gradual: the k-th row after it (k = 0, 1, …) follows the new
    concept with the probability (k + 1)/(w + 1), and the old one otherwise.

    Parameters
    ----------
    n : int
        Number of rows.
    noise : float in [0, 1], default=0.1
        The probability of a wrong label, which is the best possible mistake rate.
    rows_per_concept : int, default=15000
        Rows until the threshold changes.
    transition : int, default=0
        Rows that a change takes.
    random_state : int, Generator or None, default=None
        Where the randomness comes from.

    Returns
    -------
    X : ndarray of shape (n, 3)
        The rows; the third feature says nothing.
    y : ndarray of shape (n,)
        Their labels: +1 where the first two features are together at most the threshold, else −1.

    References
    ----------
    W. N. Street and Y. Kim, A streaming ensemble algorithm (SEA) for large-scale classification.
    KDD 2001. Noise and rows per concept are the paper's by default.

    Examples
    --------
    >>> X, y = sea(1000, noise=0.0, random_state=0)
    >>> bool(((X[:, 0] + X[:, 1] <= 8) == (y == 1)).all())
    True
    """
    return in_one(_blocks(noise, rows_per_concept, transition, random_state), n)


def sea_stream(
    n: int,
    chunk: int = 10_000,
    *,
    noise: float = 0.1,
    rows_per_concept: int = 15_000,
    transition: int = 0,
    random_state: Seed = None,
) -> Iterator[Chunk]:
    """Draw the same rows as `sea`, in chunks.

    Parameters
    ----------
    n : int
        Number of rows in all.
    chunk : int, default=10000
        Rows of a chunk; the last has what is left.
    noise, rows_per_concept, transition, random_state : int or float
        As in `sea`.

    Returns
    -------
    iterator of (X, y)
        The chunks.

    Examples
    --------
    >>> [len(y) for X, y in sea_stream(25, chunk=10, random_state=0)]
    [10, 10, 5]
    """
    return in_chunks(_blocks(noise, rows_per_concept, transition, random_state), n, chunk)


def _blocks(
    noise: float, rows_per_concept: int, transition: int, random_state: Seed
) -> Iterator[Chunk]:
    check_share("noise", noise)
    check_at_least(1, rows_per_concept=rows_per_concept)
    if not 0 <= transition <= rows_per_concept:
        raise ValueError(
            f"transition must be between 0 and rows_per_concept={rows_per_concept}, "
            f"got {transition}"
        )
    return _drawn(noise, rows_per_concept, transition, np.random.default_rng(random_state))


def _drawn(
    noise: float, rows_per_concept: int, transition: int, rng: np.random.Generator
) -> Iterator[Chunk]:
    first = 0
    while True:
        rows = np.arange(first, first + BLOCK)
        X = rng.uniform(0, 10, (BLOCK, 3))
        old = rng.random(BLOCK) >= _share_of_new(rows, rows_per_concept, transition)
        threshold = THRESHOLDS[(rows // rows_per_concept - old) % len(THRESHOLDS)]
        y = np.where(X[:, 0] + X[:, 1] <= threshold, 1, -1)
        yield X, flipped(y, noise, rng)
        first += BLOCK


def _share_of_new(
    rows: NDArray[np.int64], rows_per_concept: int, transition: int
) -> NDArray[np.float64]:
    """With which probability each row follows the concept that has come last."""
    since = rows % rows_per_concept
    share = np.minimum((since + 1) / (transition + 1), 1.0)
    return np.where(rows < rows_per_concept, 1.0, share)  # before the first there is none
