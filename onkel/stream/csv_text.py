"""Streams of CSV text with a header, block by block.

A block in which all is well is read column by column, any other one row by row: this knows the
line, the column and the cell that is wrong. The numbers are the same either way. A cell may be
quoted, but not reach over several lines.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onkel.stream.base import Chunk, MalformedError, Mark, Marked, Resumable
from onkel.stream.columns import choose_columns
from onkel.stream.csv_quick import Layout, quick_columns
from onkel.stream.files import Lines, Place, Source
from onkel.stream.regrouping import regrouped
from onkel.stream.svmlight_strict import NUMBER, shown

DELIMITERS = ",;\t"


class CsvStream(Resumable):
    """Chunks of dense rows from CSV text with a header; see `onkel.stream.open_stream`."""

    _kind = "CSV text"

    def __init__(
        self,
        source: Any,
        *,
        target: str | None,
        n_features: int | None = None,
        chunk_rows: int = 4096,
        skip: bool = False,
        labels: str = "auto",
        columns: Sequence[str] | None = None,
        ignore: Sequence[str] = (),
    ) -> None:
        self._source = Source(source)
        self.name = self._source.name
        self.rereadable = self._source.rereadable
        self._target, self._labels = target, labels
        self._chunk_rows, self._skip = chunk_rows, skip
        self._expected = n_features
        self._text: bool | None = {
            "text": True, "optional": True, "raw": True, "number": False, "none": False,
        }.get(labels)  # fmt: skip
        self._optional = labels in ("optional", "raw")
        self._wanted = None if columns is None else list(columns)
        self._ignored = list(ignore)
        self._labelled = False  # whether labels are read: the header decides
        self._places: list[int] = []  # of the features among the columns
        self._header = ""
        self._columns: list[str] = []
        self._delimiter = ","

    def marked(self, start: Mark | None = None) -> Iterator[Marked]:
        pauses = self._source.pauses
        for chunk, mark in regrouped(self._pieces, self._chunk_rows, start, pauses):
            yield Marked(chunk, mark)

    def settings(self) -> dict[str, Any]:
        return {
            "stream": self._kind, **self._source.settings(), "target": self._target,
            "labels": self._labels, "columns": self._wanted, "ignore": self._ignored,
            "chunk_rows": self._chunk_rows, "skip": self._skip,
        }  # fmt: skip

    def _pieces(self, start: Mark | None) -> Iterator[Marked]:
        """The rows of block after block."""
        place, self.skipped, self._columns = None, 0, []
        if start is not None:
            place, self.skipped, self._text = (
                Place(*start["place"]),
                start["skipped"],
                start["text"],
            )
            self._read_header(start["header"].encode())
        for block in self._source.blocks(start=place):
            end = block.end
            if not self._columns:
                header, _, text = block.text.partition(b"\n")
                self._read_header(header)
                block = Lines(block.first + 1, text)
            if self._text is None:
                self._decide_labels(block)
            chunk = self._quickly(block) or self._row_by_row(block)
            if len(chunk.y):
                yield Marked(chunk, self._mark(end))
        if not self._columns:
            raise MalformedError(self.name, None, "the file is empty: a header is needed")

    def _mark(self, place: Place) -> Callable[[], Mark]:
        return partial(
            dict, place=list(place), skipped=self.skipped, header=self._header, text=self._text
        )

    def _read_header(self, header: bytes) -> None:
        self._header = text = self._decoded(header, 1)
        self._delimiter = max(DELIMITERS, key=text.count)
        self._columns = [cell.strip() for cell in self._cells(text, 1)]
        if all(NUMBER.fullmatch(name.encode()) for name in self._columns):
            reason = f"a header with the columns' names is needed, got {text.strip()!r}"
            raise MalformedError(self.name, 1, reason)
        try:
            chosen = choose_columns(
                self._columns, self._target, self._labels, self._wanted, self._ignored
            )
        except ValueError as words:
            raise MalformedError(self.name, 1, str(words)) from None
        self.feature_names, self._labelled = chosen
        self.n_features = len(self.feature_names)
        place_of = {name: place for place, name in enumerate(self._columns)}
        self._places = [place_of[name] for name in self.feature_names]
        if self._expected is not None and self.n_features != self._expected:
            reason = f"{self.n_features} feature columns where n_features={self._expected}"
            raise MalformedError(self.name, 1, reason)

    # -- the quick way

    def _quickly(self, block: Lines) -> Chunk | None:
        """The block column by column; None where anything is unusual."""
        target = [str(self._target)] if self._labelled else []
        wanted = [*(self.feature_names or []), *target]
        texts = frozenset(target if self._text else [])
        columns = quick_columns(block.text, Layout(self._columns, self._delimiter, wanted, texts))
        if columns is None:
            return None
        X = np.column_stack(columns[: self.n_features])
        if not np.isfinite(X).all():
            return None
        if not target:
            return Chunk(X, self._no_labels(len(X)))
        labels = columns[-1]
        if self._text:
            labels = [label.strip() for label in labels]
            usable = self._optional or all(labels)
            return Chunk(X, np.array(labels, str)) if usable else None
        if not np.isfinite(labels).all():
            return None
        if self._labels != "class":
            return Chunk(X, np.array(labels))
        return Chunk(X, labels.astype(np.int64)) if (labels == np.floor(labels)).all() else None

    # -- the sure way

    def _row_by_row(self, block: Lines) -> Chunk:
        rows: list[Any] = []
        labels: list[Any] = []
        for place, line in enumerate(block.text.split(b"\n")[:-1]):
            number = block.first + place
            if not line.strip():
                continue
            try:
                cells = self._cells(self._decoded(line, number), number)
                label, row = self._row(cells, number)
            except MalformedError:
                if not self._skip:
                    raise
                self.skipped += 1
                continue
            rows.append(row)
            labels.append(label)
        X = self._features(rows)
        if not self._labelled:
            return Chunk(X, self._no_labels(len(rows)))
        y = np.array(labels, str if self._text else np.float64)
        return Chunk(X, y.astype(np.int64) if self._labels == "class" and not self._text else y)

    def _features(self, rows: list[Any]) -> Any:
        return np.array(rows, np.float64).reshape(len(rows), self.n_features or 0)

    def _check_count(self, cells: list[str], number: int) -> None:
        if len(cells) != len(self._columns):
            reason = f"{len(cells)} cells where the header has {len(self._columns)}"
            raise MalformedError(self.name, number, reason)

    def _row(self, cells: list[str], number: int) -> tuple[Any, Any]:
        self._check_count(cells, number)
        names = self.feature_names or []
        row = [self._number(cells[at], name, number) for at, name in zip(self._places, names)]
        if not self._labelled:
            return math.nan, row
        return self._label(cells[self._columns.index(str(self._target))].strip(), number), row

    def _label(self, cell: str, number: int) -> Any:
        column = str(self._target)
        if not cell and not self._optional:
            raise MalformedError(self.name, number, f"column {column!r}: the label is missing")
        if self._text:
            return cell
        if self._labels == "number":
            return self._number(cell, column, number)
        hint = 'the labels before are numbers; open the stream with labels="text"'
        value = self._number(cell, column, number, hint)
        if self._labels == "class" and not value.is_integer():
            reason = f"column {column!r}: the class {cell!r} is not a whole number"
            raise MalformedError(self.name, number, reason)
        return value

    def _number(self, cell: str, column: str, number: int, hint: str = "") -> float:
        word = cell.strip().encode()
        if not word:
            reason = (
                f"column {column!r}: the cell is empty; missing values must be filled in before"
            )
            raise MalformedError(self.name, number, reason)
        value = float(word) if NUMBER.fullmatch(word) else math.nan
        if not math.isfinite(value):
            hint = hint or "encode text as numbers, or leave the column out"
            reason = f"column {column!r}: {shown(word)} is not a finite number ({hint})"
            raise MalformedError(self.name, number, reason)
        return value

    # -- labels and cells

    def _decide_labels(self, block: Lines) -> None:
        """Text or numbers: what the first row's label is, so that chunks of any size agree."""
        place = self._columns.index(str(self._target))
        for line in io.BytesIO(block.text):
            try:
                cells = self._cells(self._decoded(line.rstrip(b"\n"), 0), 0)
            except MalformedError:
                continue
            if len(cells) == len(self._columns) and cells[place].strip():
                self._text = not NUMBER.fullmatch(cells[place].strip().encode())
                return

    def _no_labels(self, rows: int) -> NDArray[np.float64]:
        return np.full(rows, np.nan)

    def _decoded(self, line: bytes, number: int) -> str:
        try:
            return line.decode("utf-8").rstrip("\r")
        except UnicodeDecodeError as reason:
            why = f"not UTF-8 text ({reason.reason}): save it as UTF-8"
            raise MalformedError(self.name, number, why) from None

    def _cells(self, line: str, number: int) -> list[str]:
        try:
            return next(csv.reader([line], delimiter=self._delimiter, strict=True), [])
        except csv.Error as reason:
            raise MalformedError(self.name, number, f"bad CSV: {reason}") from None
