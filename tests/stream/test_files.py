"""Where bytes come from: packed, cut off, piped, missing."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import threading
from pathlib import Path
from typing import IO

import pytest

from onkel.stream import MalformedError, open_stream, prefetched, read_svmlight

PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
TEXT = "".join(f"{i % 3} 1:{i} 2:{i % 977 / 7!r}\n" for i in range(20_000)).encode()


@pytest.mark.parametrize("suffix", PACKERS)
def test_packed_files(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"rows.svm.{suffix}"
    file.write_bytes(PACKERS[suffix](TEXT))
    assert sum(X[:, 0].sum() for X, _ in open_stream(file)) == sum(range(20_000))
    unsuspected = tmp_path / "rows.svm"  # told by its first bytes, not by the name
    unsuspected.write_bytes(PACKERS[suffix](TEXT))
    assert read_svmlight(unsuspected)[0].shape == (20_000, 2)


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_truncated_file_is_an_error_even_if_bad_lines_are_skipped(
    suffix: str, tmp_path: Path
) -> None:
    file = tmp_path / f"rows.svm.{suffix}"
    packed = PACKERS[suffix](TEXT)
    file.write_bytes(packed[: len(packed) * 2 // 3])
    stream = open_stream(file, n_features=2, on_error="skip")
    with pytest.raises(MalformedError, match="truncated somewhere after line") as caught:
        list(stream)
    assert str(caught.value).startswith(str(file))


@pytest.mark.parametrize("suffix", PACKERS)
def test_damage_is_an_error(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"rows.svm.{suffix}"
    packed = bytearray(PACKERS[suffix](TEXT))
    middle = len(packed) // 2
    packed[middle : middle + 50] = bytes(50)
    file.write_bytes(packed)
    with pytest.raises(MalformedError, match="the compressed data is damaged"):
        list(open_stream(file, n_features=2, on_error="skip"))  # no excuse, either


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nothing\.svm: there is no such file"):
        open_stream(tmp_path / "nothing.svm")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        open_stream(tmp_path)


@pytest.mark.parametrize("pack", [bytes, lzma.compress])
def test_standard_input(pack, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "piped").write_bytes(pack(TEXT))
    with (tmp_path / "piped").open() as piped:
        monkeypatch.setattr("sys.stdin", piped)
        stream = prefetched(open_stream("-", n_features=2))
        assert sum(len(y) for _, y in stream) == 20_000
        assert stream.name == "standard input" and not stream.rereadable
        with pytest.raises(ValueError, match="standard input can be read only once"):
            list(stream)


def test_text_mode_is_refused() -> None:
    with pytest.raises(TypeError, match="binary mode"):
        list(open_stream(io.StringIO("1 1:1\n"), n_features=1))


class Drip(io.RawIOBase):
    """A pipe that gives a few bytes at a time."""

    def __init__(self, text: bytes) -> None:
        self.text = text

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:  # type: ignore[no-untyped-def]
        piece, self.text = self.text[:5], self.text[5:]
        buffer[: len(piece)] = piece
        return len(piece)


def test_only_a_pipe_whose_width_is_not_declared_guesses_it(tmp_path: Path) -> None:
    (tmp_path / "rows.svm").write_bytes(b"1 2:1\n")
    assert not open_stream(tmp_path / "rows.svm").guesses_width
    assert not open_stream(Drip(b"1 2:1\n"), n_features=3).guesses_width
    assert not open_stream(Drip(b"y,a\n1,2\n"), target="y").guesses_width  # its header tells
    pipe = prefetched(open_stream(Drip(b"1 2:1\n")))
    assert pipe.guesses_width and [X.shape for X, _ in pipe] == [(1, 2)]


def test_a_slow_pipe() -> None:
    [chunk] = open_stream(Drip(b"1 1:2.5\n0 2:7"))
    assert chunk.X.toarray().tolist() == [[2.5, 0], [0, 7]] and chunk.y.tolist() == [1, 0]


def test_a_line_longer_than_a_block(tmp_path: Path) -> None:
    file = tmp_path / "rows.svm"
    file.write_text("1 " + " ".join(f"{j}:{j / 2}" for j in range(1, 100_001)) + "\n0 1:1\n")
    [chunk] = open_stream(file)
    assert chunk.X.shape == (2, 100_000) and chunk.X[0, 99_999] == 50_000


def test_an_endless_line_is_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("onkel.stream.files.LONGEST_LINE", 10_000)
    file = tmp_path / "rows.svm"
    file.write_bytes(b"1 1:1\n" + b"7" * 900_000)
    with pytest.raises(MalformedError, match="line 2: longer than"):
        list(open_stream(file, n_features=1))


def piped(pieces: list[bytes], go_on: threading.Event) -> IO[bytes]:
    """The reading end of a pipe: a piece comes when `go_on` is set (or, lest a test hangs, late)."""
    out, into = os.pipe()

    def write() -> None:
        with os.fdopen(into, "wb", buffering=0) as end:
            for piece in pieces:
                go_on.wait(20)
                go_on.clear()
                end.write(piece)

    threading.Thread(target=write, daemon=True).start()
    return os.fdopen(out, "rb")


@pytest.mark.parametrize("format, header, rows", [
    ("svmlight", b"", [b"1 1:2\n0 1:3\n", b"1 1:4\n"]),
    ("csv", b"y,a\n", [b"1,2\n0,3\n", b"1,4\n"]),
])  # fmt: skip
@pytest.mark.parametrize("ahead", [False, True])
def test_a_pipe_that_pauses_gives_out_what_it_has(format, header, rows, ahead: bool) -> None:
    go_on = threading.Event()
    target = "y" if format == "csv" else None
    with piped([header + rows[0], rows[1]], go_on) as pipe:
        stream = open_stream(pipe, format=format, target=target, n_features=1)
        found = []
        go_on.set()
        for _, y in prefetched(stream) if ahead else stream:
            found.append(y.tolist())
            go_on.set()
    assert found == [[1, 0], [1]]


def test_a_pipe_that_is_busy_gives_full_chunks(monkeypatch) -> None:
    monkeypatch.setattr("onkel.stream.files.PATIENCE", 20)
    go_on = threading.Event()
    go_on.set()
    with piped([TEXT], go_on) as pipe:
        sizes = [len(y) for _, y in open_stream(pipe, n_features=2)]
    assert sizes == [4096] * 4 + [20_000 - 4 * 4096]


def test_the_first_chunk_waits_where_it_has_to_tell_the_width() -> None:
    go_on = threading.Event()
    with piped([b"1 1:2\n", b"1 7:4\n", b"0 2:1\n"], go_on) as pipe:
        chunks = iter(open_stream(pipe, chunk_rows=2))
        go_on.set()
        threading.Timer(0.3, go_on.set).start()  # the pipe pauses after its first row
        assert next(chunks).X.shape == (2, 7)
        go_on.set()
        assert next(chunks).X.shape == (1, 7)
