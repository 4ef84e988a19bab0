"""Streams of Parquet and Arrow files (also Feather, version 2), batch by batch, by pyarrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onkel.stream.base import Chunk, MalformedError, Mark, Marked, Resumable
from onkel.stream.columns import choose_columns
from onkel.stream.files import Source
from onkel.stream.regrouping import regrouped
from onkel.tables.intake import from_arrow
from onkel.tables.table import Table


class TableStream(Resumable):
    """Chunks of dense rows from a file of typed columns; see `onkel.stream.open_stream`."""

    def __init__(
        self,
        source: Any,
        *,
        format: str,
        target: str | None,
        n_features: int | None = None,
        chunk_rows: int = 4096,
        skip: bool = False,
        labels: str = "auto",
        columns: Sequence[str] | None = None,
        ignore: Sequence[str] = (),
        raw: bool = False,
    ) -> None:
        try:
            import pyarrow
        except ImportError:
            raise ImportError(
                f"reading {format.capitalize()} needs pyarrow: pip install 'onkel[arrow]'"
            ) from None
        self._arrow = pyarrow
        self._source = Source(source)
        if not self._source.rereadable:
            raise ValueError(f"{format} needs a file to read from, not {self._source.name}")
        self.name = self._source.name
        self._format, self._target, self._labels = format, target, labels
        self._chunk_rows, self._skip, self._expected = chunk_rows, skip, n_features
        self._wanted = None if columns is None else list(columns)
        self._ignored = list(ignore)
        self._raw = raw
        self._labelled = False  # whether labels are read: the schema decides

    def marked(self, start: Mark | None = None) -> Iterator[Marked]:
        for chunk, mark in regrouped(self._pieces, self._chunk_rows, start):
            yield Marked(chunk, mark)

    def settings(self) -> dict[str, Any]:
        return {
            "stream": "table", **self._source.settings(), "format": self._format,
            "target": self._target, "labels": self._labels, "columns": self._wanted,
            "ignore": self._ignored, "raw": self._raw, "chunk_rows": self._chunk_rows, "skip": self._skip,
        }  # fmt: skip

    def _pieces(self, start: Mark | None) -> Iterator[Marked]:
        """The rows of batch after batch, without those before the mark."""
        row, self.skipped = (0, 0) if start is None else (start["row"], start["skipped"])
        try:
            with open(str(self._source.path), "rb") as file:
                for before, batch in self._batches(file, row):
                    new = max(0, row - before)
                    chunk = self._chunk(batch.slice(new), before + new)
                    if len(chunk.y):
                        after = before + batch.num_rows
                        yield Marked(chunk, partial(dict, row=after, skipped=self.skipped))
        except self._arrow.ArrowException as reason:
            words = f"not a whole {self._format} file ({reason})"
            raise MalformedError(self.name, None, words) from reason

    def _batches(self, file: Any, row: int) -> Iterator[tuple[int, Any]]:
        """The batches that hold this row and later ones, and how many rows come before each."""
        if self._format == "parquet":
            yield from self._parquet_batches(file, row)
            return
        before = 0
        for batch in self._arrow_batches(file):
            if before + batch.num_rows > row:
                yield before, batch
            before += batch.num_rows

    def _parquet_batches(self, file: Any, row: int) -> Iterator[tuple[int, Any]]:
        from pyarrow import parquet

        reader = parquet.ParquetFile(file)
        self._read_schema(reader.schema_arrow)
        groups, before = list(range(reader.num_row_groups)), 0
        while groups and before + (rows := reader.metadata.row_group(groups[0]).num_rows) <= row:
            before += rows
            groups.pop(0)
        needed = [*(self.feature_names or []), *([str(self._target)] if self._labelled else [])]
        batches = reader.iter_batches(self._chunk_rows, groups, columns=needed, use_threads=False)
        for batch in batches:
            if before + batch.num_rows > row:
                yield before, batch
            before += batch.num_rows

    def _arrow_batches(self, file: Any) -> Iterator[Any]:
        from pyarrow import ipc

        if file.read(6) == b"ARROW1":
            batches = ipc.open_file(file)
            self._read_schema(batches.schema)
            yield from (batches.get_batch(place) for place in range(batches.num_record_batches))
        else:
            file.seek(0)
            reader = ipc.open_stream(file)
            self._read_schema(reader.schema)
            yield from reader

    def _read_schema(self, schema: Any) -> None:
        try:
            chosen = choose_columns(
                schema.names, self._target, self._labels, self._wanted, self._ignored
            )
        except ValueError as words:
            raise MalformedError(self.name, None, str(words)) from None
        self.feature_names, self._labelled = chosen
        self.n_features = len(self.feature_names)
        if self.n_features != (self._expected or self.n_features):
            reason = f"{self.n_features} feature columns where n_features={self._expected}"
            raise MalformedError(self.name, None, reason)
        for name in [] if self._raw else self.feature_names:
            if not self._is_number(schema.field(name).type):
                kind = schema.field(name).type
                reason = f"column {name!r} holds {kind}, not numbers; encode it or leave it out"
                raise MalformedError(self.name, None, reason)

    def _is_number(self, kind: Any) -> bool:
        types = self._arrow.types
        return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))

    def _chunk(self, batch: Any, before: int) -> Chunk:
        if self._raw:
            return self._raw_chunk(batch, before)
        X = np.empty((batch.num_rows, self.n_features or 0))
        for place, name in enumerate(self.feature_names or []):
            X[:, place] = self._numbers(batch.column(name))
        y, missing = self._read_labels(batch)
        bad = ~np.isfinite(X).all(axis=1) | missing
        if not bad.any():
            return Chunk(X, y)
        if not self._skip:
            row = int(np.flatnonzero(bad)[0])
            column = self._target
            if not missing[row]:
                column = (self.feature_names or [])[int(np.flatnonzero(~np.isfinite(X[row]))[0])]
            reason = _why_not(batch.column(str(column))[row].as_py(), bool(missing[row]))
            words = f"column {column!r}: {reason}"
            raise MalformedError(self.name, before + row + 1, words, unit="row")
        self.skipped += int(bad.sum())
        return Chunk(X[~bad], y[~bad])

    def _raw_chunk(self, batch: Any, before: int) -> Chunk:
        cells = {name: from_arrow(batch.column(name)) for name in self.feature_names or []}
        table = Table(cells, batch.num_rows)
        y, missing = self._read_labels(batch)
        if not missing.any():
            return Chunk(table, y)
        if not self._skip:
            row = int(missing.argmax())
            reason = _why_not(batch.column(str(self._target))[row].as_py(), True)
            words = f"column {self._target!r}: {reason}"
            raise MalformedError(self.name, before + row + 1, words, unit="row")
        self.skipped += int(missing.sum())
        return Chunk(table[~missing], y[~missing])

    def _read_labels(self, batch: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """The labels, and which of them are missing or not what `labels` asks for."""
        y, bad = self._labels_as_they_are(batch)
        return y, np.zeros(batch.num_rows, bool) if self._labels in ("optional", "raw") else bad

    def _labels_as_they_are(self, batch: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        if not self._labelled:
            return np.full(batch.num_rows, np.nan), np.zeros(batch.num_rows, bool)
        column = batch.column(str(self._target))
        if not self._is_number(column.type):
            if self._labels == "number":
                reason = f"column {self._target!r} holds {column.type}, not numbers"
                raise MalformedError(self.name, None, reason)
            return self._texts(column)
        if self._labels == "text":
            return self._texts(column)
        y = self._numbers(column)
        bad = ~np.isfinite(y)
        if self._labels == "class":
            bad |= y != np.floor(y)
            return np.where(bad, 0, y).astype(np.int64), bad
        return y, bad

    def _texts(self, column: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        cells = column.to_pylist()
        texts = np.array(["" if cell is None else str(cell) for cell in cells], str)
        return texts, np.array([cell is None for cell in cells], bool)

    def _numbers(self, column: Any) -> NDArray[np.float64]:
        """As float64; what is null becomes NaN, which the check for finite numbers finds."""
        numbers = column.cast(self._arrow.float64(), safe=False)
        return np.asarray(numbers.to_numpy(zero_copy_only=False), np.float64)


def _why_not(value: Any, is_label: bool) -> str:
    """Why a cell cannot be used, in the words that CSV has for it."""
    if value is None:
        empty = "the cell is empty; missing values must be filled in before"
        return "the label is missing" if is_label else empty
    if is_label and isinstance(value, float) and np.isfinite(value):
        return f"the class {value!r} is not a whole number"
    return f"{value!r} is not a finite number"
