"""The stream room, its ground: chunks, streams of chunks, and the error for what cannot be read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from onkel.tables.table import Table


class Chunk(NamedTuple):
    """Some rows of a stream: features `X` (an array, CSR or a `Table`) and as many labels `y`."""

    X: Any
    y: NDArray[Any]


class MalformedError(ValueError):
    """Something in a source cannot be read; `source`, `line` (or None) and `reason` say what.

    >>> str(MalformedError("rows.svm", 17, "bad label: 'x' is not a finite number"))
    "rows.svm, line 17: bad label: 'x' is not a finite number"
    """

    def __init__(self, source: str, line: int | None, reason: str, unit: str = "line") -> None:
        where = source if line is None else f"{source}, {unit} {line}"
        super().__init__(f"{where}: {reason}")
        self.source, self.line, self.reason = source, line, reason


class Stream(ABC):
    """An iterable of `Chunk`s. Iterating again starts again, unless `rereadable` is False.

    `n_features` may be None until the first chunk was read; `skipped` counts the malformed lines
    that the last pass left out. Where `guesses_width` is True, `n_features` is that of the first chunk,
    and a later row with more is an error.
    """

    name: str = "stream"
    n_features: int | None = None
    feature_names: list[str] | None = None
    skipped: int = 0
    rereadable: bool = True
    guesses_width: bool = False

    @abstractmethod
    def __iter__(self) -> Iterator[Chunk]: ...

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}, n_features={self.n_features}>"


class Wrapped(Stream):
    """A stream made of another one: it tells what that one tells."""

    def __init__(self, source: Stream) -> None:
        self.source = source

    # Properties over plain attributes: what the source learns while it is read shows through.
    @property
    def name(self) -> str:  # type: ignore[override]
        return self.source.name

    @property
    def n_features(self) -> int | None:  # type: ignore[override]
        return self.source.n_features

    @property
    def feature_names(self) -> list[str] | None:  # type: ignore[override]
        return self.source.feature_names

    @property
    def skipped(self) -> int:  # type: ignore[override]
        return self.source.skipped

    @property
    def rereadable(self) -> bool:  # type: ignore[override]
        return self.source.rereadable

    @property
    def guesses_width(self) -> bool:  # type: ignore[override]
        return self.source.guesses_width


def regrouped(
    chunks: Iterable[Chunk], rows: int, pauses: Callable[[], bool] = lambda: False
) -> Iterator[Chunk]:
    """The same rows in chunks of exactly `rows`; the last may be smaller, and the one before a pause.

    >>> pieces = [Chunk(np.ones((3, 1)), np.arange(3)), Chunk(np.ones((4, 1)), np.arange(3, 7))]
    >>> [chunk.y.tolist() for chunk in regrouped(pieces, 2)]
    [[0, 1], [2, 3], [4, 5], [6]]
    """
    waiting: list[Chunk] = []
    held = 0
    for chunk in chunks:
        waiting.append(chunk)
        held += len(chunk.y)
        if held >= rows:
            whole = joined(waiting)
            for start in range(0, held - rows + 1, rows):
                yield cut(whole, start, start + rows)
            waiting = [cut(whole, held - held % rows, held)] if held % rows else []
            held %= rows
        if held and pauses():
            yield joined(waiting)
            waiting, held = [], 0
    if held:
        yield joined(waiting)


def joined(chunks: list[Chunk]) -> Chunk:
    """One chunk of all the rows."""
    if len(chunks) == 1:
        return chunks[0]
    labels = np.concatenate([chunk.y for chunk in chunks])
    return Chunk(stacked([chunk.X for chunk in chunks]), labels)


def stacked(parts: list[Any]) -> Any:
    """One matrix of all the rows; the matrix itself where there is but one."""
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], Table):
        return Table.joined(parts)
    if any(sparse.issparse(part) for part in parts):
        return sparse.vstack(parts, format="csr")
    return np.concatenate(parts)


def cut(chunk: Chunk, start: int, stop: int) -> Chunk:
    """Rows `start` to `stop`; the chunk itself where these are all."""
    if start == 0 and stop >= len(chunk.y):
        return chunk
    return Chunk(chunk.X[start:stop], chunk.y[start:stop])


def check_whole(name: str, value: object, least: int) -> int:
    """A whole number of at least `least`, or a ValueError that names the parameter."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")
    return int(value)


def check_choice(name: str, value: object, choices: tuple[Any, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{name} must be one of {choices}, got {value!r}")
