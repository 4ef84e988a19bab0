"""Streams of what is in memory, or comes from the user's own code: arrays, bunches, iterators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from onkel.stream.base import Chunk, MalformedError, Mark, Marked, Resumable, cut
from onkel.stream.plain import digest
from onkel.tables.table import Table


class ArrayStream(Resumable):
    """Chunks of `X` (an array, a data frame or sparse) and `y`; see `onkel.stream.open_stream`."""

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        chunk_rows: int = 4096,
        skip: bool = False,
        name: str = "arrays",
        raw: bool = False,
    ) -> None:
        self.name = name
        columns = getattr(X, "columns", None)
        self.feature_names = None if columns is None else [str(column) for column in columns]
        self._whole = as_chunk(X, y, name, raw)
        self.n_features = self._whole.X.shape[1]
        self._chunk_rows, self._skip = chunk_rows, skip

    def marked(self, start: Mark | None = None) -> Iterator[Marked]:
        first, self.skipped = (0, 0) if start is None else (start["row"], start["skipped"])
        for row in range(first, len(self._whole.y), self._chunk_rows):
            chunk = cut(self._whole, row, row + self._chunk_rows)
            good = finite_rows(chunk, row, self.name, self._skip)
            self.skipped += len(chunk.y) - len(good.y)
            if len(good.y):
                yield Marked(good, partial(dict, row=row + len(chunk.y), skipped=self.skipped))

    def settings(self) -> dict[str, Any]:
        return {
            "stream": "arrays", "rows": len(self._whole.y), "n_features": self.n_features,
            "digest": digest(self._whole), "chunk_rows": self._chunk_rows, "skip": self._skip,
        }  # fmt: skip


class IterableStream(Resumable):
    """The chunks of an iterable of (X, y), or of a function that returns one whenever asked.

    Chunks are passed on as they come, only those of more than `chunk_rows` rows are cut. A single
    row may come as a vector and a label.
    """

    def __init__(
        self,
        source: Iterable[Any] | Callable[[], Iterable[Any]],
        *,
        n_features: int | None = None,
        chunk_rows: int = 4096,
        skip: bool = False,
        name: str = "iterator",
        raw: bool = False,
    ) -> None:
        self.name = name
        self._source = source
        self.n_features = n_features
        self.rereadable = callable(source) or not isinstance(source, Iterator)
        self._started, self._raw = False, raw
        self._chunk_rows, self._skip = chunk_rows, skip

    def marked(self, start: Mark | None = None) -> Iterator[Marked]:
        if self._started and not self.rereadable:
            raise ValueError(
                f"{self.name} can be read only once; pass a function that returns a new iterator"
            )
        given, self.skipped = (0, 0) if start is None else (start["row"], start["skipped"])
        self._started, row = True, 0
        for pair in self._source() if callable(self._source) else self._source:
            whole = self._checked(pair, row)
            first = min(
                max(0, given - row), len(whole.y)
            )  # the rows before the mark are passed over
            row += first
            for place in range(first, len(whole.y), self._chunk_rows):
                chunk = cut(whole, place, place + self._chunk_rows)
                good = finite_rows(chunk, row, self.name, self._skip)
                self.skipped += len(chunk.y) - len(good.y)
                row += len(chunk.y)
                if len(good.y):
                    yield Marked(good, partial(dict, row=row, skipped=self.skipped))

    def settings(self) -> dict[str, Any]:
        return {
            "stream": "iterator", "chunk_rows": self._chunk_rows, "skip": self._skip,
            "raw": self._raw,
        }  # fmt: skip

    def _checked(self, pair: Any, row: int) -> Chunk:
        try:
            X, y = pair
        except (TypeError, ValueError):
            kind = type(pair).__name__
            raise ValueError(f"{self.name} must give pairs (X, y), got {kind}") from None
        chunk = as_chunk(X, y, self.name, self._raw)
        if self.n_features is None:
            self.n_features = chunk.X.shape[1]
        if chunk.X.shape[1] != self.n_features:
            reason = f"{chunk.X.shape[1]} features where {self.n_features} are expected"
            raise MalformedError(self.name, row + 1, reason, unit="row")
        return chunk


def as_chunk(X: Any, y: Any, name: str, raw: bool = False) -> Chunk:
    """`X` as a matrix of float64 (dense or CSR) and as many labels, or an error that says why not.

    If `raw`, as a table; a table stays one.
    """
    labels = np.asarray(y)
    if labels.dtype == object and all(isinstance(label, str) for label in labels.ravel()):
        labels = labels.astype(str)
    if raw or isinstance(X, Table):
        matrix: Any = Table.of(X)
    elif sparse.issparse(X):
        matrix = sparse.csr_matrix(X, dtype=np.float64)
    else:
        try:
            matrix = np.asarray(X, dtype=np.float64)
        except (TypeError, ValueError) as reason:
            raise ValueError(f"{name}: the features must be numbers: {reason}") from None
        if matrix.ndim == 1 and labels.ndim == 0:
            matrix = matrix[None, :]
        if matrix.ndim != 2:
            raise ValueError(f"{name}: X must have two dimensions, got shape {matrix.shape}")
    labels = np.atleast_1d(labels)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.shape != (matrix.shape[0],):
        raise ValueError(f"{name}: X has {matrix.shape[0]} rows, but y has shape {labels.shape}")
    return Chunk(matrix, labels)


def finite_rows(chunk: Chunk, before: int, name: str, skip: bool) -> Chunk:
    """The chunk, or what is left of it without rows that hold NaN or infinity; `before` it were so many."""
    raw = isinstance(chunk.X, Table)  # whose gaps are meant
    values = chunk.X.data if sparse.issparse(chunk.X) else np.empty(0) if raw else chunk.X
    numeric = chunk.y.dtype.kind == "f"
    if np.isfinite(values).all() and (not numeric or np.isfinite(chunk.y).all()):
        return chunk
    bad = (False if raw else _not_finite(chunk.X)) | (~np.isfinite(chunk.y) if numeric else False)
    if not skip:
        row = int(np.flatnonzero(bad)[0])
        what = "the label" if numeric and not np.isfinite(chunk.y[row]) else "a feature"
        raise MalformedError(name, before + row + 1, f"{what} is NaN or infinite", unit="row")
    return Chunk(chunk.X[~bad], chunk.y[~bad])


def _not_finite(X: Any) -> NDArray[np.bool_]:
    if not sparse.issparse(X):
        return np.asarray(~np.isfinite(X).all(axis=1))
    entries = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    bad = np.zeros(X.shape[0], bool)
    bad[entries[~np.isfinite(X.data)]] = True
    return bad
