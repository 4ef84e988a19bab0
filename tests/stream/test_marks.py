"""Marks: every stream goes on at any of them as if it had never stopped, through every stage."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from onkel.cli.labels import Labelled
from onkel.io.values import Decoder, Encoder
from onkel.stream import Chunk, Stream, chained, open_stream, prefetched, scaled, shuffled
from onkel.tables.table import Table

ROWS = 150
rng = np.random.default_rng(5)
X = np.where(rng.random((ROWS, 3)) < 0.7, rng.normal(size=(ROWS, 3)).round(4) + 2, 0.0)
Y = rng.integers(0, 3, ROWS)
WORDS = np.array(["red", "green", "a long word"])[Y]


def svmlight_text() -> bytes:
    lines = []
    for number, (row, label) in enumerate(zip(X, Y)):
        cells = " ".join(f"{place + 1}:{value}" for place, value in enumerate(row) if value)
        lines.append(f"{label} {cells}\n")
        if number % 50 == 20:
            lines.append("# a comment\n\nnot a row\n")
    return "".join(lines).encode()


def csv_text() -> bytes:
    lines = ["\ufeffa,b,c,y\n"]
    for number, (row, word) in enumerate(zip(X, WORDS)):
        lines.append(f"{row[0]},{row[1]},{row[2]},{word}\n")
        if number % 50 == 20:
            lines.append("1,2,3\n")
    return "".join(lines).encode().removesuffix(b"\n")


def raw_text() -> bytes:
    jobs = np.array(["cook", "", "clerk", "pilot"])[np.arange(ROWS) % 4]
    lines = [f"{row[0]},{job},{word}\n" for row, job, word in zip(X, jobs, WORDS)]
    return ("a,job,y\n" + "".join(lines)).encode()


def gappy_text() -> bytes:
    """Half of the labels, most of the long ones among them, are missing."""
    rare = np.where(np.arange(ROWS) % 40 < 36, "", WORDS)
    labels = np.where(WORDS == "a long word", rare, np.where(np.arange(ROWS) % 2, WORDS, "NA"))
    jobs = np.array(["cook", "", "clerk", "pilot"])[np.arange(ROWS) % 4]
    lines = [f"{row[0]},{job},{label}\n" for row, job, label in zip(X, jobs, labels)]
    return ("a,job,y\n" + "".join(lines)).encode()


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def piped(content: bytes) -> Any:
    """What a pipe gives: bytes that can be read once, and not be sought in."""
    reader, writer = os.pipe()
    with os.fdopen(writer, "wb") as file:
        file.write(content)
    return os.fdopen(reader, "rb")


def arrow_table() -> Any:
    import pyarrow

    y = [None if place % 50 == 20 else int(label) for place, label in enumerate(Y)]
    return pyarrow.table({"a": X[:, 0], "b": X[:, 1], "y": y})


def parquet_file(path: Path) -> Path:
    from pyarrow import parquet

    parquet.write_table(arrow_table(), path, row_group_size=60)
    return path


def arrow_file(path: Path, streamed: bool = False) -> Path:
    from pyarrow import ipc

    table = arrow_table()
    make = ipc.new_stream if streamed else ipc.new_file
    with make(str(path), table.schema) as writer:
        writer.write_table(table, max_chunksize=70)
    return path


class Own(Stream):
    """What a user may write: it knows nothing of marks."""

    n_features = 3

    def __iter__(self) -> Iterator[Chunk]:
        for start in range(0, ROWS, 24):
            yield Chunk(X[start : start + 24], Y[start : start + 24])


def pairs() -> Iterator[Any]:
    for start in range(0, ROWS, 37):
        yield X[start : start + 37], Y[start : start + 37]


SKIP: dict[str, Any] = {"chunk_rows": 20, "on_error": "skip"}
KINDS: dict[str, Callable[[Path], Stream]] = {
    "svmlight": lambda p: open_stream(written(p / "a.svm", svmlight_text()), **SKIP),
    "svmlight_gz": lambda p: open_stream(written(p / "a.gz", gzip.compress(svmlight_text())), **SKIP),
    "svmlight_bz2": lambda p: open_stream(written(p / "a.bz2", bz2.compress(svmlight_text())), **SKIP),
    "svmlight_xz": lambda p: open_stream(written(p / "a.xz", lzma.compress(svmlight_text())), **SKIP),
    "svmlight_pipe": lambda p: open_stream(piped(svmlight_text()), n_features=3, **SKIP),
    "svmlight_pipe_without_width": lambda p: open_stream(io.BytesIO(svmlight_text()), **SKIP),
    "csv": lambda p: open_stream(written(p / "a.csv", csv_text()), target="y", **SKIP),
    "csv_xz": lambda p: open_stream(
        written(p / "a.csv.xz", lzma.compress(csv_text())), target="y", **SKIP
    ),
    "csv_pipe": lambda p: open_stream(piped(csv_text()), target="y", format="csv", **SKIP),
    "csv_raw": lambda p: open_stream(
        written(p / "a.csv", raw_text()), target="y", raw=True, chunk_rows=20
    ),
    "labelled": lambda p: Labelled(
        open_stream(
            written(p / "a.csv", gappy_text()), target="y", labels="raw", raw=True, chunk_rows=20
        )
    ),
    "parquet": lambda p: open_stream(parquet_file(p / "a.parquet"), target="y", **SKIP),
    "parquet_raw": lambda p: open_stream(
        parquet_file(p / "a.parquet"), target="y", raw=True, **SKIP
    ),
    "arrow": lambda p: open_stream(arrow_file(p / "a.arrow"), target="y", **SKIP),
    "arrow_stream": lambda p: open_stream(arrow_file(p / "a.arrow", True), target="y", **SKIP),
    "arrays": lambda p: open_stream((X, Y), chunk_rows=20),
    "csr": lambda p: open_stream((sparse.csr_matrix(X), WORDS), chunk_rows=20),
    "table": lambda p: open_stream(
        {"a": X[:, 0], "job": WORDS, "y": Y}, target="y", raw=True, chunk_rows=20
    ),
    "function": lambda p: open_stream(pairs, chunk_rows=20),
    "iterator": lambda p: open_stream(pairs(), chunk_rows=20),
    "own": lambda p: Own(),
}  # fmt: skip
WITH_WORDS = ("csv_raw", "labelled", "table")
STAGES: dict[str, Callable[[Any], Stream]] = {
    "as_it_is": lambda s: s,
    "shuffled": lambda s: shuffled(s, buffer_rows=70, random_state=3),
    "shuffled_by_generator": lambda s: shuffled(s, 64, np.random.Generator(np.random.MT19937(3))),
    "shuffled_all": lambda s: shuffled(s, buffer_rows=1000, random_state=3),
    "scaled": lambda s: scaled(s, "unit_variance", warm_up=50),
    "scaled_by_warm_up": lambda s: scaled(s, warm_up=50, fit="warm_up"),
    "prefetched": lambda s: prefetched(s, depth=3),
    "all": lambda s: prefetched(shuffled(scaled(s, "unit_variance", warm_up=50), 70, 3)),
    "all_the_other_way": lambda s: scaled(shuffled(prefetched(s), 70, 3), warm_up=50),
}
NUMBERS_ONLY = ("scaled", "scaled_by_warm_up", "all", "all_the_other_way")


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many blocks in a small file, chunks of a few rows behind a shuffle, renewals of scales."""
    monkeypatch.setattr("onkel.stream.files.Source.blocks.__defaults__", (700,))
    monkeypatch.setattr("onkel.stream.shuffle.LEAST_ROWS", 10)
    monkeypatch.setattr("onkel.cli.labels.CHUNK_ROWS", 15)
    monkeypatch.setattr("onkel.stream.scale.RENEWAL", 32)


def stored(mark: Any) -> Any:
    """The mark after a stay in a file."""
    encoder = Encoder()
    text = json.dumps(encoder.encode(mark, "mark"), allow_nan=False)
    return Decoder(lambda name, dtype, shape: encoder.arrays[name]).decode(json.loads(text))


def plain(chunk: Chunk) -> Any:
    if isinstance(chunk.X, Table):
        cells: Any = {
            name: column.astype(str).tolist() for name, column in chunk.X.to_dict().items()
        }
    else:
        cells = (chunk.X.toarray() if sparse.issparse(chunk.X) else chunk.X).tobytes()
    return sparse.issparse(chunk.X), cells, chunk.y.dtype, chunk.y.tolist()


def check(make: Callable[[], Stream]) -> None:
    whole = make()
    marked = list(whole.marked())
    chunks, marks = [plain(chunk) for chunk, _ in marked], [mark() for _, mark in marked]
    assert len(chunks) >= 3 and sum(len(labels) for *_, labels in chunks) >= ROWS / 4
    for number, mark in enumerate(marks, 1):  # late: no mark has changed since it was made
        again = make()
        assert [plain(chunk) for chunk, _ in again.marked(stored(mark))] == chunks[number:]
        assert again.skipped == whole.skipped
        assert again.n_features == whole.n_features
        assert again.settings() == whole.settings()


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_rest_is_the_same_from_every_mark_on(kind: str, stage: str, tmp_path: Path) -> None:
    if kind in WITH_WORDS and stage in NUMBERS_ONLY:
        with pytest.raises(TypeError, match="TableEncoder"):
            list(STAGES[stage](KINDS[kind](tmp_path)))
        return
    check(lambda: STAGES[stage](KINDS[kind](tmp_path)))


@pytest.mark.parametrize("kind", ["csv_xz", "csr", "function"])
def test_the_first_pass_of_scaling_is_not_made_again(kind: str, tmp_path: Path) -> None:
    check(lambda: scaled(KINDS[kind](tmp_path), fit="first_pass"))
    taught = scaled(KINDS[kind](tmp_path), fit="first_pass")
    list(taught)
    check(lambda: scaled(KINDS[kind](tmp_path), scaler=taught.scaler))


def test_streams_in_turn(tmp_path: Path) -> None:
    check(
        lambda: prefetched(
            chained([shuffled(KINDS["csv"](tmp_path), 70, epoch) for epoch in range(3)])
        )
    )


def test_a_generator_goes_on_where_it_was() -> None:
    """After the pass, too: the next one has the order that it would have had."""
    whole, parted = (np.random.default_rng(8) for _ in range(2))
    stream = shuffled((X, Y), 70, whole)
    (_, _), (_, mark), *_ = list(stream.marked())
    list(shuffled((X, Y), 70, parted).marked(stored(mark())))
    assert whole.bit_generator.state == parted.bit_generator.state


def test_the_scaler_is_the_same_in_the_end() -> None:
    whole, parted = (scaled(open_stream((X, Y), chunk_rows=20), warm_up=50) for _ in range(2))
    (*_, (_, mark), _) = list(whole.marked())
    list(parted.marked(stored(mark())))
    assert parted.scaler.count == whole.scaler.count == ROWS
    assert np.array_equal(parted.scaler.high, whole.scaler.high)


@pytest.mark.parametrize("packed", [bytes, lzma.compress])
def test_a_file_that_has_changed_is_refused(packed: Any, tmp_path: Path) -> None:
    text = svmlight_text()
    path = written(tmp_path / "a.svm", packed(text))
    stream = open_stream(path, **SKIP)
    mark = list(stream.marked())[6].mark()
    before = stream.settings()
    for other in (text.replace(b"1:", b"2:"), text[:500]):
        stream = open_stream(written(path, packed(other)), n_features=3, **SKIP)
        assert stream.settings() != before
        with pytest.raises(
            ValueError, match=r"a\.svm is not what it was when its place was marked"
        ):
            next(stream.marked(mark))


def test_what_is_passed_over_is_not_parsed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = written(tmp_path / "a.svm", svmlight_text())
    marked = list(open_stream(path, **SKIP).marked())
    parsed: list[int] = []
    parse = open_stream.__globals__["SvmlightStream"]._parsed

    def watching(self: Any, block: Any, width: Any) -> Any:
        parsed.append(block.first)
        return parse(self, block, width)

    monkeypatch.setattr("onkel.stream.svmlight.SvmlightStream._parsed", watching)
    assert list(open_stream(path, **SKIP).marked(marked[-1].mark())) == []
    assert parsed == []
