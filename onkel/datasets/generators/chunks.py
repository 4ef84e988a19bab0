"""Chunks of any size from rows that are drawn in blocks of one size.

Since a generator always draws whole blocks, its rows depend on neither their number nor the chunks.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Chunk = tuple[NDArray[np.float64], NDArray[np.int64]]
Seed = int | np.random.Generator | None

#: Rows of one draw.
BLOCK = 4096


def in_chunks(blocks: Iterator[Chunk], n: int, chunk: int) -> Iterator[Chunk]:
    """The first `n` rows of endless blocks, in chunks of `chunk` rows (or what is left)."""
    if n < 0 or chunk < 1:
        raise ValueError(f"n must be at least 0 and chunk at least 1, got n={n}, chunk={chunk}")
    return _cut(blocks, n, chunk)


def in_one(blocks: Iterator[Chunk], n: int) -> Chunk:
    """The first `n` rows of endless blocks."""
    chunks = in_chunks(blocks, n, max(n, 1))
    if n == 0:
        X, y = next(blocks)
        return X[:0], y[:0]
    return next(chunks)


def two_generators(random_state: Seed) -> list[np.random.Generator]:
    """For what lies behind the rows and for the rows, so that each can be drawn without the other."""
    return np.random.default_rng(random_state).spawn(2)


def flipped(y: NDArray[np.int64], noise: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Labels −1 / +1, each turned over with the probability `noise`."""
    return np.where(rng.random(len(y)) < noise, -y, y)


def check_share(name: str, value: float) -> None:
    """Raise unless a parameter is a probability."""
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must be between 0 and 1, got {value}")


def check_at_least(low: float, **values: float) -> None:
    """Raise unless each of these parameters is at least `low`."""
    for name, value in values.items():
        if not value >= low:
            raise ValueError(f"{name} must be at least {low}, got {value}")


def _cut(blocks: Iterator[Chunk], n: int, chunk: int) -> Iterator[Chunk]:
    held: list[Chunk] = []
    n_held = 0
    for start in range(0, n, chunk):
        rows = min(chunk, n - start)
        while n_held < rows:
            held.append(next(blocks))
            n_held += len(held[-1][1])
        X = np.concatenate([block[0] for block in held])
        y = np.concatenate([block[1] for block in held])
        # Copies, so that a chunk that somebody keeps does not keep the rows after it as well.
        yield X[:rows].copy(), y[:rows].copy()
        held = [(X[rows:], y[rows:])]
        n_held -= rows
