"""CSV text as tables: words, dates and gaps stay as they are, for the encoder to read.

A block in which all is well is split column by column, any other one row by row, as in `csv_text`; the cells
are the same either way.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onkel.stream.base import Chunk, MalformedError
from onkel.stream.csv_quick import has_odd_quotes, is_plain
from onkel.stream.csv_text import CsvStream
from onkel.stream.files import Lines
from onkel.tables.column import Column, coded, stripped
from onkel.tables.table import Table


class RawCsvStream(CsvStream):
    """Chunks of tables from CSV text with a header; see `onkel.stream.open_stream`."""

    _kind = "raw CSV text"

    def _quickly(self, block: Lines) -> Chunk | None:
        target = [str(self._target)] if self._labelled else []
        wanted = [*(self.feature_names or []), *target]
        columns = quick_words(block.text, self._columns, self._delimiter, wanted)
        if columns is None:
            return None
        rows = len(columns[0].values)
        table = Table(dict(zip(wanted[: self.n_features], columns)), rows)
        if not target:
            return Chunk(table, self._no_labels(rows))
        labels, bad = self._quick_labels(columns[-1])
        if not bad.any():
            return Chunk(table, labels)
        if not self._skip:
            return None  # row by row it is found which line this is
        self.skipped += int(bad.sum())
        return Chunk(table[~bad], labels[~bad])

    def _quick_labels(self, column: Column) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """The labels of a column of words, and which are malformed; each distinct one is read once."""
        read: list[Any] = []
        bad = np.zeros(len(column.words), bool)
        for number, word in enumerate(column.words):
            try:
                read.append(self._label(word, 0))
            except MalformedError:
                read.append("0")
                bad[number] = True
        labels = np.array(read, str if self._text else np.float64)[column.values]
        if self._labels == "class" and not self._text:
            labels = labels.astype(np.int64)
        return labels, bad[column.values]

    def _row(self, cells: list[str], number: int) -> tuple[Any, Any]:
        self._check_count(cells, number)
        row = [cells[place] for place in self._places]
        if not self._labelled:
            return np.nan, row
        return self._label(cells[self._columns.index(str(self._target))].strip(), number), row

    def _features(self, rows: list[Any]) -> Any:
        columns = zip(*rows) if rows else ([] for _ in self.feature_names or [])
        return Table(
            {name: coded(cells) for name, cells in zip(self.feature_names or [], columns)},
            len(rows),
        )


def quick_words(
    text: bytes, names: list[str], delimiter: str, wanted: list[str]
) -> list[Column] | None:
    """The wanted columns of a block of lines; None if anything in it is unusual."""
    if not is_plain(text) or has_odd_quotes(text, delimiter):
        return None
    try:
        import pyarrow
        from pyarrow import csv
    except ImportError:
        return _by_splitting(text, names, delimiter, wanted)
    try:
        table = csv.read_csv(
            io.BytesIO(text),
            csv.ReadOptions(column_names=names, use_threads=False),
            csv.ParseOptions(delimiter=delimiter, quote_char='"' if b'"' in text else False),
            csv.ConvertOptions(
                column_types=dict.fromkeys(wanted, "string"), include_columns=wanted, null_values=[],
                strings_can_be_null=False,
            ),
        )  # fmt: skip
    except (pyarrow.ArrowException, UnicodeDecodeError):
        return None
    if table.num_rows != text.count(b"\n"):  # blank lines, or a quoted cell over several
        return None
    return [_words(column.combine_chunks().dictionary_encode()) for column in table.columns]


def _words(coding: Any) -> Column:
    return stripped(coding.indices.to_numpy(), coding.dictionary.to_pylist())


def _by_splitting(
    text: bytes, names: list[str], delimiter: str, wanted: list[str]
) -> list[Column] | None:
    if b'"' in text or not _is_regular(text, delimiter, len(names)):
        return None
    try:
        cells = text.decode("utf-8").replace("\n", delimiter).split(delimiter)[:-1]
    except UnicodeDecodeError:
        return None
    return [coded(cells[names.index(name) :: len(names)]) for name in wanted]


def _is_regular(text: bytes, delimiter: str, columns: int) -> bool:
    """Whether every line has so many cells."""
    data = np.frombuffer(text, np.uint8)
    ends = data[(data == ord(delimiter)) | (data == ord("\n"))] == ord("\n")
    if len(ends) % columns:
        return False
    rows = ends.reshape(-1, columns)
    return bool(rows[:, -1].all()) and np.count_nonzero(rows) == len(rows)
