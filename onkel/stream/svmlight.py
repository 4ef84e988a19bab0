"""Streams of svmlight text: blocks of lines become CSR rows, in chunks of a given number of rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from onkel.stream.base import Chunk, MalformedError, Mark, Marked, Resumable
from onkel.stream.files import BLOCK, Lines, Place, Source
from onkel.stream.regrouping import Handling, Piece, regrouped
from onkel.stream.rows import (
    Rows,
    as_they_are,
    count_rows,
    cut_rows,
    joined_rows,
    no_rows,
    picked_rows,
    rows_of,
    width_of,
)
from onkel.stream.svmlight_fast import parse_block
from onkel.stream.svmlight_strict import BadLineError, Row, parse_line

# What a row may have besides label and features. Taken out, the lines stay lines. (Of two queries
# none is taken out: the second is an error, which must not become the first.)
_COMMENT = re.compile(rb"#[^\n]*")
_QUERY = re.compile(
    rb"^([ \t]*[^ \t\r\n]+)[ \t]+qid:[+-]?[0-9]+(?=[ \t\r\n])(?![ \t\r]*qid:)", re.MULTILINE
)

ROWS: Handling[Rows] = Handling(count_rows, joined_rows, cut_rows, as_they_are)


class SvmlightStream(Resumable):
    """Chunks of CSR rows from svmlight text; see `onkel.stream.open_stream`.

    Without `n_features` a file is read twice: first for its largest index. What can be read only
    once has as many features as its first chunk.
    """

    def __init__(
        self,
        source: Any,
        *,
        n_features: int | None = None,
        chunk_rows: int = 4096,
        skip: bool = False,
        labels: str = "auto",
    ) -> None:
        self._source = Source(source)
        self.name = self._source.name
        self.rereadable = self._source.rereadable
        self.n_features = self._expected = n_features
        self.guesses_width = n_features is None and not self.rereadable
        self._chunk_rows, self._skip, self._whole_labels = chunk_rows, skip, labels == "class"

    def marked(self, start: Mark | None = None) -> Iterator[Marked]:
        if start is not None:
            self.n_features = start["n_features"]
        elif self.n_features is None and self.rereadable:
            self.n_features = self._largest_index()
        inside = None if start is None else start["rows"]
        for rows, mark in regrouped(self._pieces, self._chunk_rows, inside, self._pauses, ROWS):
            chunk = self._chunk(rows)
            yield Marked(chunk, partial(_mark, mark, self.n_features))

    def settings(self) -> dict[str, Any]:
        return {
            "stream": "svmlight text", **self._source.settings(), "n_features": self._expected,
            "whole labels": self._whole_labels, "chunk_rows": self._chunk_rows, "skip": self._skip,
        }  # fmt: skip

    def _pieces(self, start: Mark | None) -> Iterator[Piece[Rows]]:
        """The rows of block after block."""
        self.skipped = 0 if start is None else start["skipped"]
        for block in self._source.blocks(start=None if start is None else Place(*start["place"])):
            rows = self._parsed(block, self.n_features)
            yield rows, partial(dict, place=list(block.end), skipped=self.skipped)

    def _pauses(self) -> bool:
        # The first chunk must be a full one where it has to tell the width.
        return self.n_features is not None and self._source.pauses()

    def _chunk(self, part: Rows) -> Chunk:
        if self.n_features is None:
            self.n_features = width_of(part)
        largest = width_of(part)
        if largest > self.n_features:  # of a pipe: a file's width is known from its first pass
            raise MalformedError(
                self.name,
                None,
                f"feature index {largest} is beyond the {self.n_features} features of the first "
                f"chunk, and this source cannot be read twice; pass n_features={largest} or more",
            )
        X = sparse.csr_matrix(
            (part.values, part.indices, part.starts.astype(np.int32)),
            shape=(len(part.labels), self.n_features),
        )
        return Chunk(X, part.labels.astype(np.int64) if self._whole_labels else part.labels)

    def _parsed(self, block: Lines, n_features: int | None) -> Rows:
        """The rows of a block, those of unusual lines included; bad lines raise or are counted."""
        rows, unusual = parse_block(block.text, n_features)
        if rows is None and (b"#" in block.text or b"qid:" in block.text):
            block = Lines(block.first, _QUERY.sub(rb"\1", _COMMENT.sub(b"", block.text)))
            rows, unusual = parse_block(block.text, n_features)
        if rows is None:
            rows = self._with_unusual(block, unusual, n_features)
        if self._whole_labels and len(rows.labels):
            whole = (rows.labels == np.floor(rows.labels)) & (np.abs(rows.labels) < 2**53)
            if not whole.all():
                rows = self._refuse_labels(block, rows, whole)
        return rows

    def _with_unusual(self, block: Lines, unusual: NDArray[np.int64], width: int | None) -> Rows:
        """The ordinary lines parsed together and the others strictly, in the order of the file."""
        lines = block.text.split(b"\n")[:-1]
        ordinary = np.arange(len(lines))
        rows = None
        while rows is None:  # twice at most: wrong indices show once all words are in order
            ordinary = np.delete(ordinary, unusual)
            text = b"".join([lines[place] + b"\n" for place in ordinary])
            rows, unusual = parse_block(text, width) if len(ordinary) else (no_rows(), unusual)
        strict: dict[int, Row] = {}
        for place in np.delete(np.arange(len(lines)), ordinary).tolist():
            row = self._strictly(lines[place], block.first + place, width)
            if row is not None:
                strict[place] = row
        both = joined_rows([rows, rows_of(list(strict.values()))])
        return picked_rows(both, np.argsort(np.append(ordinary, list(strict)), kind="stable"))

    def _strictly(self, line: bytes, number: int, n_features: int | None) -> Row | None:
        try:
            return parse_line(line, n_features)
        except BadLineError as reason:
            self._bad(number, str(reason))
            return None

    def _bad(self, number: int, reason: str) -> None:
        if not self._skip:
            raise MalformedError(self.name, number, reason)
        self.skipped += 1

    def _refuse_labels(self, block: Lines, rows: Rows, whole: NDArray[np.bool_]) -> Rows:
        # The labels of this block once more, line by line, to find the line's number.
        for place, line in enumerate(block.text.split(b"\n")):
            try:
                row = parse_line(line, self.n_features)
            except BadLineError:
                continue
            if row is not None and not (row.label.is_integer() and abs(row.label) < 2**53):
                self._bad(
                    block.first + place,
                    f"label {row.label:g} is not a whole number, as a class must be; "
                    'for regression open the stream with labels="number"',
                )
        return picked_rows(rows, np.flatnonzero(whole))

    def _largest_index(self) -> int:
        """The width, by a pass over the file; a bad line raises, or does not count."""
        widths = [width_of(self._parsed(block, None)) for block in self._source.blocks()]
        return max(widths, default=1)


def _mark(rows: Callable[[], Mark], n_features: int | None) -> Mark:
    return {"rows": rows(), "n_features": n_features}


def read_svmlight(
    path: str | Path, n_features: int | None = None
) -> tuple[sparse.csr_matrix, NDArray[np.float64]]:
    r"""Read a whole svmlight file (plain, gz, bz2 or xz).

    Parameters
    ----------
    path : str or Path
        The file.
    n_features : int, default=None
        The number of features; None for the largest index in the file.

    Returns
    -------
    X : CSR matrix of shape (n, n_features)
        The rows.
    y : ndarray of shape (n,)
        The labels, as float64.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "rows.svm"
    ...     _ = file.write_text("1 2:0.5\n-1 1:3  # a comment\n")
    ...     X, y = read_svmlight(file)
    >>> X.toarray().tolist(), y.tolist()
    ([[0.0, 0.5], [3.0, 0.0]], [1.0, -1.0])
    """
    stream = SvmlightStream(path, n_features=n_features)
    parts = [stream._parsed(block, n_features) for block in stream._source.blocks(4 * BLOCK)]
    rows = joined_rows(parts) if parts else no_rows()
    starts = rows.starts.astype(np.int32) if rows.starts[-1] < 2**31 else rows.starts
    shape = (len(rows.labels), width_of(rows) if n_features is None else n_features)
    return sparse.csr_matrix((rows.values, rows.indices, starts), shape=shape), rows.labels
