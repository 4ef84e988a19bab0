"""svmlight text: numbers are float()'s bit by bit, chunks do not matter, errors name the culprit."""

from __future__ import annotations

import io
import lzma
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from onkel.datasets import locate
from onkel.stream import MalformedError, open_stream, read_svmlight, svmlight_fast
from onkel.stream.svmlight_strict import BadLineError, parse_line


def bits(numbers: object) -> list[int]:
    return np.asarray(numbers, np.float64).view(np.uint64).tolist()


def whole(source: object, **options: object) -> tuple[np.ndarray, np.ndarray]:
    """All rows of a stream, dense."""
    chunks = list(open_stream(source, **options))  # type: ignore[arg-type]
    return np.vstack([X.toarray() for X, _ in chunks]), np.concatenate([y for _, y in chunks])


def parsed_values(words: list[str]) -> list[int]:
    text = "".join(f"{word} 1:{word}\n" for word in words).encode()
    [(X, y)] = open_stream(io.BytesIO(text), n_features=1, chunk_rows=10**6)
    assert bits(X.data) == bits(y)
    return bits(y)


SHAPES = ["{:.17g}", "{!r}", "{:.6f}", "{:.3e}", "{:+.12f}", "{:.0f}", "{:.1E}"]


@pytest.mark.parametrize("shape", SHAPES)
def test_numbers_are_those_of_float(shape: str) -> None:
    rng = np.random.default_rng(1)
    numbers = rng.standard_normal(3000) * 10.0 ** rng.integers(-30, 30, 3000)
    words = [shape.format(float(number)) for number in numbers]
    assert parsed_values(words) == bits([float(word) for word in words])


@pytest.mark.parametrize("extended", [True, False])
def test_digits_beyond_a_double_are_rounded_once(extended: bool, monkeypatch) -> None:
    """Random digits, and numbers that lie half-way between two doubles or next to it."""
    if not extended:
        monkeypatch.setattr(svmlight_fast, "_EXTENDED", False)
    rng = np.random.default_rng(2)
    words = []
    for _ in range(3000):
        digits = "".join(map(str, rng.integers(0, 10, rng.integers(1, 24))))
        cut = rng.integers(0, len(digits))
        words.append(f"{digits[:cut]}.{digits[cut:]}")
    for middle in range(2**53 + 1, 2**53 + 2001, 2):
        words += [f"{middle}", f"{middle}.0", f"{middle}.00001", f"{middle - 1}.99999"]
    assert parsed_values(words) == bits([float(word) for word in words])


@given(
    st.from_regex(
        r"[+-]?([0-9]{1,25}\.?[0-9]{0,25}|\.[0-9]{1,25})([eE][+-]?[0-9]{1,3})?", fullmatch=True
    )
)
@settings(max_examples=120, deadline=None)
def test_every_decimal_number(word: str) -> None:
    if np.isfinite(float(word)):
        assert parsed_values([word, "1"])[0] == bits([float(word)])[0]
    else:
        with pytest.raises(MalformedError, match="too large"):
            parsed_values([word])


ALPHABET = [*"01 2:.-+eE#qidn\t\r,", "1:1", " 2:0.5", " 7:", "\n", "\n1 ", "qid:", " qid:3 "]


@given(st.lists(st.sampled_from(ALPHABET), max_size=40).map("".join))
@settings(max_examples=250, deadline=None)
def test_a_block_is_what_its_lines_are(text: str) -> None:
    """Any text: the rows and the bad lines are those of the strict parser, line by line."""
    labels, rows, bad = [], [], 0
    for line in text.encode().split(b"\n"):
        try:
            row = parse_line(line, 50)
        except BadLineError:
            bad += 1
            continue
        if row is not None:
            labels.append(row.label)
            rows.append(dict(zip(row.indices, row.values)))
    stream = open_stream(io.BytesIO(text.encode()), n_features=50, on_error="skip", chunk_rows=3)
    chunks = list(stream)
    assert stream.skipped == bad
    assert [label for _, y in chunks for label in y] == labels
    found = [row for X, _ in chunks for row in X]
    assert [dict(zip((row.indices + 1).tolist(), row.data)) for row in found] == rows


BAD = {
    "one 1:1": "bad label: 'one' is not a finite number",
    "1:0.5 2:1": "bad label: '1:0.5'",
    "nan 1:1": "bad label: 'nan'",
    "1,2 1:1": "bad label: '1,2'",
    "1 a:1": "bad index 'a'",
    "1 -3:1": "bad index '-3'",
    "1 :1": "bad index ''",
    "1 1.0:1": "bad index '1.0'",
    "1 0:1 1:1": "index 0: the features of svmlight files count from 1",
    "1 3:1 2:1": "index 2 follows index 3: indices must ascend",
    "1 3:1 3:2": "index 3 follows index 3: indices must ascend",
    "1 4:x": "bad value of feature 4: 'x'",
    "1 4:": "bad value of feature 4: ''",
    "1 4:1:2": "bad value of feature 4: '1:2'",
    "1 4:1_0": "bad value of feature 4: '1_0'",
    "1 4:nan": "bad value of feature 4: 'nan'",
    "1 4:-inf": "bad value of feature 4: '-inf'",
    "1 4:1e999": "too large",
    "1 4:1e-.5": "bad value of feature 4",
    "1 4 5:1": "'4' is not of the form index:value",
    "1 qid:3 qid:4 1:1": "bad index 'qid'",
    "1 10:1": "feature index 10 is beyond the 9 features expected; pass n_features=10 or more",
    "1 99999999999999999999999:1": "larger than",
}


@pytest.mark.parametrize("line", BAD)
def test_a_bad_line_is_named(line: str, tmp_path: Path) -> None:
    file = tmp_path / "rows.svm"
    file.write_text(f"# a comment\n\n1 1:2\n{line}\n-1 2:3\nagain bad\n")
    with pytest.raises(MalformedError) as caught:
        list(open_stream(file, n_features=9))
    assert str(caught.value).startswith(f"{file}, line 4: ")
    assert BAD[line] in str(caught.value)
    stream = open_stream(file, n_features=9, on_error="skip")
    X, y = whole(file, n_features=9, on_error="skip")
    assert (y.tolist(), X[0, 0], X[1, 1]) == ([1, -1], 2, 3)
    assert [len(y) for _, y in stream] == [2] and stream.skipped == 2
    list(stream)
    assert stream.skipped == 2  # of the last pass, not of all


def test_the_first_bad_line_is_named_whatever_is_wrong_with_it() -> None:
    text = b"1 1:1\n1 3:1 2:1\n1 1:x\n"  # the second shows later, inside, than the third
    with pytest.raises(MalformedError, match="line 2: index 2 follows"):
        list(open_stream(io.BytesIO(text), n_features=3))


def test_lines_are_counted_across_blocks(tmp_path: Path) -> None:
    file = tmp_path / "rows.svm"
    lines = [f"{i % 2} 1:{i} 2:{i / 7!r}" for i in range(60_000)]
    lines[55_554] = "1 1:1 2:?"
    file.write_text("\n".join(lines))
    with pytest.raises(MalformedError, match=r"line 55555: bad value of feature 2: '\?'"):
        list(open_stream(file))


def test_unusual_but_right() -> None:
    text = b"\xef\xbb\xbf1 qid:3 1:1 # note\r\n  \r\n#only\n+1.  2:.5\t3:5. \n -1 1:-0\n2\n3 1:1E2"
    X, y = whole(io.BytesIO(text), n_features=3)
    assert y.tolist() == [1, 1, -1, 2, 3]
    assert X.tolist() == [[1, 0, 0], [0, 0.5, 5], [0, 0, 0], [0, 0, 0], [100, 0, 0]]


@pytest.mark.parametrize("chunk_rows", [1, 7, 1000, 10**6])
def test_chunks_change_nothing(chunk_rows: int, tmp_path: Path, monkeypatch) -> None:
    rng = np.random.default_rng(3)
    lines = []
    for i in range(500):
        places = np.flatnonzero(rng.random(20) < 0.3) + 1
        lines.append(f"{i} " + " ".join(f"{j}:{rng.standard_normal()!r}" for j in places))
    lines[77:77] = ["", "# a comment", "77.5 1:1e-3 # another"]
    file = tmp_path / "rows.svm"
    file.write_text("\n".join(lines) + "\n")
    expected, labels = load_svmlight_file(str(file), zero_based=False)
    monkeypatch.setattr("onkel.stream.files.Source.blocks.__defaults__", (1000,), raising=True)
    chunks = list(open_stream(file, chunk_rows=chunk_rows))
    assert {len(y) for _, y in chunks[:-1]} <= {chunk_rows}
    assert all(X.shape[1] == expected.shape[1] for X, _ in chunks)
    X, y = whole(file, chunk_rows=chunk_rows)
    assert bits(X) == bits(expected.toarray()) and bits(y) == bits(labels)


def test_a_file_is_read_first_for_its_width(tmp_path: Path) -> None:
    file = tmp_path / "rows.svm"
    file.write_text("1 1:1\n" * 5 + "1 400:x\n" + "0 7:1\n")
    stream = open_stream(file, chunk_rows=2, on_error="skip")
    assert [X.shape for X, _ in stream] == [(2, 7)] * 3  # what is skipped does not count
    assert stream.n_features == 7


def test_a_pipe_has_the_width_of_its_first_chunk() -> None:
    stream = open_stream(io.BytesIO(b"1 2:1\n0 1:1\n1 5:1\n"), chunk_rows=2)
    chunks = iter(stream)
    assert next(chunks).X.shape == (2, 2) and stream.n_features == 2
    with pytest.raises(MalformedError, match=r"feature index 5 .* pass n_features=5 or more"):
        next(chunks)
    with pytest.raises(ValueError, match="can be read only once"):
        list(stream)


def test_classes_are_whole_numbers() -> None:
    text = b"1 1:1\n-1 1:1\nbad\n2.5 1:1\n3 1:1\n"
    stream = open_stream(io.BytesIO(text), n_features=1, labels="class", on_error="skip")
    [chunk] = stream
    assert chunk.y.dtype == np.int64 and chunk.y.tolist() == [1, -1, 3]
    assert chunk.X.shape == (3, 1) and stream.skipped == 2
    with pytest.raises(
        MalformedError, match=r"line 2: label 2.5 is not a whole .*labels=\"number\""
    ):
        list(open_stream(io.BytesIO(b"1 1:1\n2.5 1:1\n"), n_features=1, labels="class"))


def test_whole_files(tmp_path: Path) -> None:
    file = tmp_path / "rows.svm"
    file.write_text("1 2:0.5\n-1 1:3 # note\n")
    X, y = read_svmlight(file)
    assert (X.toarray().tolist(), y.tolist()) == ([[0, 0.5], [3, 0]], [1, -1])
    assert read_svmlight(file, n_features=4)[0].shape == (2, 4)
    with pytest.raises(MalformedError, match="line 1: feature index 2 is beyond"):
        read_svmlight(file, n_features=1)
    file.write_text("1 1:1\noops\n")
    with pytest.raises(MalformedError, match="line 2: bad label: 'oops'"):
        read_svmlight(file)


def test_no_rows_are_an_empty_stream(tmp_path: Path) -> None:
    file = tmp_path / "rows.svm"
    for text in ("", "\n\n", "# nothing\n"):
        file.write_text(text)
        assert list(open_stream(file)) == []
        assert read_svmlight(file)[0].shape == (0, 1)


@pytest.mark.data("a9a", "cadata")
@pytest.mark.parametrize("name", [("a9a", "train"), ("cadata", "all")])
def test_benchmark_files_are_read_as_scikit_learn_does(name: tuple[str, str]) -> None:
    file = locate(*name)[0]
    with lzma.open(file) as text:
        expected, labels = load_svmlight_file(text, zero_based=False)
    X, y = read_svmlight(file)
    assert X.shape == expected.shape and bits(y) == bits(labels)
    assert bits(X.data) == bits(expected.data)
    assert (X.indices == expected.indices).all() and (X.indptr == expected.indptr).all()
