"""CSV: the same rows with pyarrow and without, and errors that name line, column and cell."""

from __future__ import annotations

import io
import lzma
import sys
from pathlib import Path

import numpy as np
import pytest

from onkel.stream import MalformedError, open_stream


@pytest.fixture(params=["pyarrow", "plain"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "plain":
        monkeypatch.setitem(sys.modules, "pyarrow", None)  # as if it were not installed
    return str(request.param)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "rows.csv"


def rows(text: str, **options: object) -> tuple[list[list[float]], list[object]]:
    source = io.BytesIO(text.encode())
    chunks = list(open_stream(source, format="csv", **options))  # type: ignore[arg-type]
    return [x for X, _ in chunks for x in X.tolist()], [v for _, y in chunks for v in y.tolist()]


def test_columns_by_name(way: str, file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbfage,y,height\r\n30,1,1.75\r\n\r\n 41 ,0,.5e1\r\n5,-1,2")
    stream = open_stream(file, target="y", chunk_rows=2)
    for _ in range(2):
        chunks = list(stream)
        assert [X.tolist() for X, _ in chunks] == [[[30, 1.75], [41, 5]], [[5, 2]]]
        assert [y.tolist() for _, y in chunks] == [[1, 0], [-1]]
    assert stream.feature_names == ["age", "height"] and stream.n_features == 2
    assert all(y.dtype == np.float64 for _, y in chunks)


def test_both_ways_read_the_same_bits(file: Path, monkeypatch) -> None:
    rng = np.random.default_rng(0)
    numbers = rng.standard_normal((4000, 3)) * 10.0 ** rng.integers(-20, 20, (4000, 3))
    shapes = ["{:.17g}", "{:.5f}", "{!r}", "{:.2e}"]
    lines = [",".join(shapes[i % 4].format(float(v)) for v in row) for i, row in enumerate(numbers)]
    file.write_text("a,b,c\n" + "\n".join(lines) + "\n")
    expected = [[float(cell) for cell in line.split(",")] for line in lines]
    stream = open_stream(file, target="b", chunk_rows=999)
    quick = np.vstack([np.column_stack(chunk) for chunk in stream])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    plain = np.vstack([np.column_stack(chunk) for chunk in stream])
    order = np.array(expected)[:, [0, 2, 1]]
    assert np.array_equal(quick.view(np.uint64), order.view(np.uint64))
    assert np.array_equal(plain.view(np.uint64), order.view(np.uint64))


BAD = {
    "1,2": "2 cells where the header has 3",
    "1,2,3,4": "4 cells where the header has 3",
    "1,,3": "column 'b': the cell is empty; missing values must be filled in before",
    "1,red,3": "column 'b': 'red' is not a finite number (encode text as numbers",
    "1,nan,3": "column 'b': 'nan' is not a finite number",
    "inf,2,3": "column 'a': 'inf' is not a finite number",
    "1e999,2,3": "column 'a': '1e999' is not a finite number",
    "1,1_0,3": "column 'b': '1_0' is not a finite number",
    "NA,2,3": "column 'a': 'NA' is not a finite number",
    "1,2,": "column 'y': the label is missing",
    "1,2,cat": 'the labels before are numbers; open the stream with labels="text"',
    '1,"2,3': "bad CSV",
    '1,"2"3,3': "bad CSV",
}


@pytest.mark.parametrize("before", ["", "7,8,9"])  # a blank line is not for the quick way
@pytest.mark.parametrize("line", BAD)
def test_a_bad_line_is_named(line: str, before: str, way: str, file: Path) -> None:
    file.write_text(f"a,b,y\n{before}\n1,2,3\n{line}\n4,5,6\n")
    with pytest.raises(MalformedError) as caught:
        list(open_stream(file, target="y"))
    assert str(caught.value).startswith(f"{file}, line 4: ")
    assert BAD[line] in str(caught.value)
    stream = open_stream(file, target="y", on_error="skip")
    assert [y.tolist() for _, y in stream] == [[9, 3, 6] if before else [3, 6]]
    assert stream.skipped == 1


def test_not_utf8(way: str, file: Path) -> None:
    file.write_bytes(b"a,y\n1,yes\n2,\xe9t\xe9\n")
    with pytest.raises(MalformedError, match=r"line 3: not UTF-8 text .*: save it as UTF-8"):
        list(open_stream(file, target="y"))


def test_text_labels(way: str) -> None:
    assert rows("a,y\n1,cat\n2, dog \n3,7\n", target="y")[1] == ["cat", "dog", "7"]
    assert rows("a,y\n1,7\n2,dog\n", target="y", labels="text")[1] == ["7", "dog"]
    assert rows('a,y\n1,"cat, old"\n', target="y") == ([[1]], ["cat, old"])
    with pytest.raises(MalformedError, match="line 2: column 'y': 'cat' is not a finite number"):
        rows("a,y\n1,cat\n", target="y", labels="number")


def test_quotes(way: str) -> None:
    text = 'a,"the ""y""",b\n"1",cat,2\n 3,"d,og",4\n"5","""",6\n'
    expected = [[1, 2], [3, 4], [5, 6]], ["cat", "d,og", '"']
    assert rows(text, target='the "y"') == expected
    with pytest.raises(MalformedError, match="line 3: bad CSV"):
        rows('a,y\n1,cat\n2,"dog\n3,cow"\n4,cat\n', target="y")


def test_the_first_good_label_decides_in_any_chunks(way: str) -> None:
    text = "y,a\n,1\n5,x\n7,1\ncat,2\n"
    for chunk_rows in (1, 100):
        with pytest.raises(MalformedError, match="line 2"):
            rows(text, target="y", chunk_rows=chunk_rows)
        assert rows(text, target="y", on_error="skip", chunk_rows=chunk_rows)[1] == [7]


def test_classes_are_whole_numbers_or_text(way: str) -> None:
    [(_, y)] = open_stream(io.BytesIO(b"a,y\n1,2\n1,3.0\n"), target="y", labels="class")
    assert y.dtype == np.int64 and y.tolist() == [2, 3]
    assert rows("a,y\n1,cat\n", target="y", labels="class")[1] == ["cat"]
    with pytest.raises(
        MalformedError, match=r"line 3: column 'y': the class '2\.5' is not a whole"
    ):
        rows("a,y\n1,2\n1,2.5\n", target="y", labels="class")


def test_without_labels(way: str) -> None:
    X, y = rows("a,b\n1,2\n", labels="none")
    assert X == [[1, 2]] and np.isnan(y).all()
    assert rows("a,y,b\n1,cat,2\n", target="y", labels="none")[0] == [[1, 2]]


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_other_delimiters(way: str, delimiter: str) -> None:
    text = "a,y,b\n1,2,3\n".replace(",", delimiter)
    assert rows(text, target="y") == ([[1, 3]], [2])


def test_what_is_wrong_with_a_header(way: str) -> None:
    for text, options, words in (
        ("", {"target": "y"}, "the file is empty: a header is needed"),
        ("a,y\n", {}, 'Pass target="..."; there are a, y'),
        ("a,y\n", {"target": "z"}, "there is no column 'z'; there are a, y"),
        ("1,2,3\n4,5,6\n", {"target": "1"}, "a header with the columns' names is needed"),
        ("a,a,y\n", {"target": "y"}, "a different name for every column"),
        (",a,y\n", {"target": "y"}, "column 1 has no name"),
        ("a,y\n", {"target": "y", "columns": ["b"]}, "the column 'b' is needed, but not there"),
        ("y\n1\n", {"target": "y"}, "no column besides the target"),
        ("a,y\n", {"target": "y", "n_features": 2}, "1 feature columns where n_features=2"),
    ):
        with pytest.raises(MalformedError) as caught:
            rows(text, **options)
        assert words in str(caught.value)


def test_a_header_alone_is_an_empty_stream(way: str) -> None:
    assert rows("a,y\n", target="y") == ([], [])


def test_packed_and_many_blocks(way: str, tmp_path: Path) -> None:
    file = tmp_path / "rows.csv.xz"
    lines = [f"{i},{i % 2},{i / 8}" for i in range(40_000)]
    lines[35_000] = "1,0"
    file.write_bytes(lzma.compress(("a,y,b\n" + "\n".join(lines)).encode(), preset=0))
    stream = open_stream(file, target="y", on_error="skip", chunk_rows=15_000)
    assert [len(y) for _, y in stream] == [15_000, 15_000, 9_999]
    with pytest.raises(MalformedError, match="line 35002: 2 cells"):
        list(open_stream(file, target="y"))


def test_labels_that_may_be_missing(way: str) -> None:
    for extra in ("", "\n"):  # a blank line is not for the quick way
        text = f"a,y\n1,cat\n{extra}2,\n3,7\n"
        assert rows(text, target="y", labels="optional") == ([[1], [2], [3]], ["cat", "", "7"])
    X, y = rows("a\n1\n", target="y", labels="optional")
    assert X == [[1]] and np.isnan(y).all()


def test_chosen_columns(way: str) -> None:
    for extra in ("", "\n"):
        text = f",b,y,a,a2,a2\nred,1,cat,2,,\n{extra}x,3,dog,4,?,-\n"
        found = rows(text, target="y", columns=["a", "b"])
        assert found == ([[2, 1], [4, 3]], ["cat", "dog"])


def test_the_name_tells_svmlight_whatever_the_target(tmp_path: Path) -> None:
    for name in ("rows.svm", "rows.svmlight.xz", "rows.libsvm.gz"):
        (tmp_path / name).write_text("1 1:2\n")
        with pytest.raises(ValueError, match=r"svmlight text, which has no named columns.*'y'"):
            open_stream(tmp_path / name, target="y")
    with pytest.raises(ValueError, match="columns and ignore are for CSV, Parquet and Arrow"):
        open_stream(([[1.0]], [1]), columns=["a"])
