"""Raw tables from streams: words, dates and gaps as they are, the same from every format, in any chunks."""

from __future__ import annotations

import io
import lzma
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from onkel.stream import MalformedError, open_stream, prefetched, scaled, shuffled
from onkel.tables import Table

TEXT = """job,age, since ,pay
cook,31,2020-01-01,5.5
"clerk, chief", ,2021-07-01,7
?,40,,6
"""


@pytest.fixture(params=["pyarrow", "plain"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "plain":
        monkeypatch.setitem(sys.modules, "pyarrow", None)  # as if it were not installed
    return str(request.param)


def read(text: str, **options: Any) -> tuple[dict[str, list[Any]], list[Any], Any]:
    stream = open_stream(io.BytesIO(text.encode()), format="csv", raw=True, **options)
    chunks = list(stream)
    assert all(isinstance(X, Table) and len(X) == len(y) for X, y in chunks)
    table = Table.joined([X for X, _ in chunks])
    columns = {name: table[name].tolist() for name in table.columns}
    return columns, [label for _, y in chunks for label in y.tolist()], stream


def test_cells_stay_as_they_are(way: str) -> None:
    table, y, stream = read(TEXT, target="pay")
    assert table == {
        "job": ["cook", "clerk, chief", "?"], "age": ["31", "", "40"],
        "since": ["2020-01-01", "2021-07-01", ""],
    }  # fmt: skip
    assert y == [5.5, 7.0, 6.0]
    assert stream.feature_names == ["job", "age", "since"] and stream.n_features == 3


@pytest.mark.parametrize("rows", [1, 2, 7, 1000])
def test_any_chunk_size_and_either_way(way: str, rows: int) -> None:
    cells = [f"w{i % 13},{i / 7:.3f},{['a', 'é', ' b '][i % 3]},{i}" for i in range(200)]
    text = "w,x,z,y\n" + "\n".join(cells) + "\n"
    table, y, _ = read(text, target="y", chunk_rows=rows)
    assert table["w"] == [f"w{i % 13}" for i in range(200)]
    assert table["z"] == [["a", "é", "b"][i % 3] for i in range(200)]
    assert y == list(range(200))


def test_columns_are_chosen_by_name(way: str) -> None:
    table, y, _ = read(TEXT, target="job", columns=["since", "age"])
    assert list(table) == ["since", "age"] and y == ["cook", "clerk, chief", "?"]


def test_columns_are_left_out_by_name(way: str) -> None:
    table, y, stream = read(TEXT, target="pay", ignore=["age", "job"])
    assert list(table) == ["since"] == stream.feature_names and y == [5.5, 7.0, 6.0]
    for options, words in (
        ({"ignore": ["aeg"]}, "column 'aeg' is needed, but not there"),
        ({"ignore": ["job", "age", "since"]}, "no column besides the target"),
        ({"columns": ["job", "pay"]}, "the column 'pay' is the target"),
    ):
        with pytest.raises(MalformedError, match=words):
            read(TEXT, target="pay", **options)
    with pytest.raises(ValueError, match="columns and ignore are for CSV"):
        open_stream({"a": [1], "y": [1]}, target="y", raw=True, ignore=["a"])


def test_labels_alone(way: str) -> None:
    table, y, stream = read(TEXT, target="pay", columns=[], chunk_rows=2)
    assert table == {} and y == [5.5, 7.0, 6.0] and stream.n_features == 0
    chunks = list(
        open_stream(io.BytesIO(TEXT.encode()), format="csv", target="pay", columns=[], raw=True)
    )
    assert [X.shape for X, _ in chunks] == [(3, 0)]


def test_rows_without_a_label(way: str) -> None:
    text = "a,y\nu,1\nv,\nw,3\nx,NA\n"
    with pytest.raises(MalformedError, match="line 3: column 'y': the label is missing"):
        read(text, target="y")
    table, y, stream = read(text, target="y", on_error="skip")
    assert (table["a"], y, stream.skipped) == (["u", "w"], [1, 3], 2)
    for labels in ("optional", "raw"):
        table, y, _ = read(text, target="y", labels=labels)
        assert (table["a"], y) == (["u", "v", "w", "x"], ["1", "", "3", "NA"])
    with pytest.raises(MalformedError, match="no column 'z'"):
        read(text, target="z", labels="raw")
    table, y, _ = read(text, labels="none")
    assert table["y"] == ["1", "", "3", "NA"] and np.isnan(y).all()


def test_whole_number_classes(way: str) -> None:
    _, y, _ = read("a,y\nu,1\nv,2\n", target="y", labels="class")
    assert y == [1, 2] and all(isinstance(label, int) for label in y)
    with pytest.raises(MalformedError, match=r"line 3.*'2.5' is not a whole number"):
        read("a,y\nu,1\nv,2.5\n", target="y", labels="class")


def test_bad_lines_are_named(way: str) -> None:
    with pytest.raises(MalformedError, match="line 3: 1 cells where the header has 2"):
        read("a,y\nu,1\nv\n", target="y")
    table, _, stream = read("a,y\nu,1\nv\n\nw,2\n", target="y", on_error="skip")
    assert table["a"] == ["u", "w"] and stream.skipped == 1


def test_compressed_and_pieces_from_other_streams(way: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv.xz"
    lines = "".join(f"w{i % 5},{i}\n" for i in range(1000))
    path.write_bytes(lzma.compress(("w,y\n" + lines).encode()))
    stream = open_stream(path, target="y", raw=True, chunk_rows=64)
    ahead = [(len(X), y[0]) for X, y in prefetched(stream)]
    assert ahead[0] == (64, 0) and sum(rows for rows, _ in ahead) == 1000
    mixed = [(X["w"], y) for X, y in shuffled(stream, 200, random_state=0)]
    words, y = np.concatenate([w for w, _ in mixed]), np.concatenate([y for _, y in mixed])
    assert sorted(y) == list(range(1000)) and list(y) != sorted(y)
    assert all(word == f"w{int(label) % 5}" for word, label in zip(words, y))


def test_memory_does_not_grow_with_words_that_are_gone(way: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("w,y\n" + "".join(f"word{i},1\n" for i in range(60000)))
    for X, _ in open_stream(path, target="y", raw=True, chunk_rows=1000):
        assert len(X.cells["w"].words) == 1000


def table_file(tmp_path: Path, format: str) -> Path:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    table = pyarrow.table(
        {
            "w": ["a", None, "b"],
            "t": pyarrow.array([0, None, 86400], pyarrow.timestamp("s")),
            "b": [True, None, False],
            "n": [1, None, 3],
            "y": [1.0, 2.0, None],
        }
    )
    path = tmp_path / f"rows.{format}"
    (parquet.write_table if format == "parquet" else feather.write_feather)(table, str(path))
    return path


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_typed_files(tmp_path: Path, format: str) -> None:
    path = table_file(tmp_path, format)
    with pytest.raises(MalformedError, match="row 3: column 'y': the label is missing"):
        list(open_stream(path, target="y", raw=True))
    stream = open_stream(path, target="y", raw=True, on_error="skip")
    ((X, y),) = list(stream)
    assert X["w"].tolist() == ["a", None] and X["b"].tolist() == [True, None]
    assert str(X["t"][0]) == "1970-01-01T00:00:00.000000" and np.isnat(X["t"][1])
    assert np.array_equal(X["n"], [1, np.nan], equal_nan=True) and y.tolist() == [1, 2]
    assert stream.skipped == 1
    ((X, y),) = list(open_stream(path, target="y", raw=True, labels="raw", ignore=["w", "t", "b"]))
    assert X.columns == ["n"] and np.array_equal(y, [1, 2, np.nan], equal_nan=True)
    ((X, y),) = list(open_stream(path, target="w", raw=True, labels="raw", columns=[]))
    assert X.shape == (3, 0) and y.tolist() == ["a", "", "b"]
    parts = list(open_stream(path, target="y", raw=True, on_error="skip", chunk_rows=1))
    assert [X["w"].tolist() for X, _ in parts] == [["a"], [None]]


def test_tables_in_memory() -> None:
    columns = {"a": ["x", None, "z"], "y": [1, 2, 3]}
    for source in (columns, pytest.importorskip("pandas").DataFrame(columns)):
        ((X, y),) = list(open_stream(source, target="y", raw=True))
        assert (
            X.columns == ["a"] and X["a"].tolist() == ["x", None, "z"] and y.tolist() == [1, 2, 3]
        )
    pairs = [({"a": ["x"]}, [1]), ({"a": [None]}, [2])]
    assert [X["a"].tolist() for X, _ in open_stream(pairs, raw=True)] == [["x"], [None]]
    with pytest.raises(ValueError, match="no column target='z'"):
        open_stream(columns, target="z", raw=True)
    with pytest.raises(MalformedError, match="row 2: the label is NaN"):
        list(open_stream(({"a": [1, 2]}, [1.0, np.nan]), raw=True))


def test_words_cannot_be_scaled() -> None:
    stream = open_stream({"w": ["x", "y"], "n": [1, 2], "y": [0, 1]}, target="y", raw=True)
    with pytest.raises(TypeError, match=r"'w' of this table holds words.*TableEncoder"):
        list(scaled(stream))


def test_svmlight_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "rows.svm").write_text("1 1:2\n")
    with pytest.raises(ValueError, match="raw=True is for tables"):
        open_stream(tmp_path / "rows.svm", raw=True)
