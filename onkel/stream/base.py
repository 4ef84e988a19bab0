"""The stream room, its ground: chunks, streams of chunks, marks in them, and the error for what cannot be read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from onkel.tables.table import Table


class Chunk(NamedTuple):
    """Some rows of a stream.

    Parameters
    ----------
    X : ndarray, CSR matrix or Table of n rows
        The features.
    y : ndarray of shape (n,)
        As many labels or targets.
    """

    X: Any
    y: NDArray[Any]


#: Where a stream is: plain values and arrays, in which no code is. Whoever gave it can go on there.
Mark = dict[str, Any]


class Marked(NamedTuple):
    """A chunk, and a function that tells where the stream is after it, now or at any later time."""

    chunk: Chunk
    mark: Callable[[], Mark]


def known(mark: Mark | None) -> Mark | None:
    """The mark itself: with `partial` a function that tells it; None is that of the beginning."""
    return mark


class MalformedError(ValueError):
    """Something in a source cannot be read.

    Parameters
    ----------
    source : str
        The name of the source.
    line : int or None
        The number of the line, if it is known.
    reason : str
        What is wrong.
    unit : str, default="line"
        What is counted in place of lines.

    Attributes
    ----------
    source : str
        The name of the source.
    line : int or None
        The number of the line.
    reason : str
        What is wrong.

    Examples
    --------
    >>> str(MalformedError("rows.svm", 17, "bad label: 'x' is not a finite number"))
    "rows.svm, line 17: bad label: 'x' is not a finite number"
    """

    def __init__(self, source: str, line: int | None, reason: str, unit: str = "line") -> None:
        where = source if line is None else f"{source}, {unit} {line}"
        super().__init__(f"{where}: {reason}")
        self.source, self.line, self.reason = source, line, reason


class Stream(ABC):
    """An iterable of chunks. Iterating again starts again, unless `rereadable` is False.

    Attributes
    ----------
    name : str
        What messages call it.
    n_features : int or None
        The number of features; None may stand there until the first chunk was read.
    feature_names : list of str or None
        Their names, where the source has any.
    skipped : int
        How many malformed lines the last pass left out.
    rereadable : bool
        Whether iterating again starts again.
    guesses_width : bool
        Whether `n_features` is that of the first chunk, and a later row with more is an error.
    """

    name: str = "stream"
    n_features: int | None = None
    feature_names: list[str] | None = None
    skipped: int = 0
    rereadable: bool = True
    guesses_width: bool = False

    @abstractmethod
    def __iter__(self) -> Iterator[Chunk]: ...

    def marked(self, start: Mark | None = None) -> Iterator[Marked]:
        """
        The chunks with their marks; those that are left where such a mark is given as `start`.

        A stream that knows no better counts chunks, and reads those before the mark once more.

        Parameters
        ----------
        start : dict, optional
            Where to go on: what a mark of a stream with the same settings told.

        Yields
        ------
        Marked
            A chunk, and a function that tells where the stream is after it, in plain values and arrays.
        """
        given = 0 if start is None else start["chunks"]
        for number, chunk in enumerate(self, 1):
            if number > given:
                yield Marked(chunk, partial(dict, chunks=number))

    def settings(self) -> dict[str, Any]:
        """
        What its chunks depend on: marks are of use to a stream of the same settings.

        Returns
        -------
        dict
            Plain values; "stream" says of what kind it is.
        """
        return {"stream": type(self).__name__, "name": Path(self.name).name}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}, n_features={self.n_features}>"


class Resumable(Stream):
    """A stream that is read by its `marked`, and goes on at a mark without reading all before it again."""

    def __iter__(self) -> Iterator[Chunk]:
        for chunk, _ in self.marked():
            yield chunk

    @abstractmethod
    def marked(self, start: Mark | None = None) -> Iterator[Marked]: ...


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

    def settings(self) -> dict[str, Any]:
        return {"stream": type(self).__name__.strip("_").lower(), "of": self.source.settings()}


def narrowed(chunk: Chunk) -> Chunk:
    """The chunk with words as labels in an array as wide as its own longest, not as that of others.

    >>> narrowed(Chunk(np.ones((2, 1)), np.array(["no", "yes", "perhaps"])[:2])).y.dtype
    dtype('<U3')
    """
    if chunk.y.dtype.kind != "U" or not len(chunk.y):
        return chunk
    width = max(1, int(np.char.str_len(chunk.y).max()))
    return Chunk(chunk.X, chunk.y.astype(f"<U{width}", copy=False))


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
