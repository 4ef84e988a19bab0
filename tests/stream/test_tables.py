"""Parquet, Arrow and Feather: the columns by name, and errors that name row and column."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from onkel.stream import MalformedError, open_stream
from tests.systems import posix

pyarrow = pytest.importorskip("pyarrow")


def written(folder: Path, suffix: str, columns: dict[str, Any]) -> Path:
    from pyarrow import feather, ipc, parquet

    file, table = folder / f"rows.{suffix}", pyarrow.table(columns)
    if suffix == "parquet":
        parquet.write_table(table, file, row_group_size=7)
    elif suffix == "feather":
        feather.write_feather(table, str(file))
    else:
        new = ipc.new_file if suffix == "arrow" else ipc.new_stream
        with new(str(file), table.schema) as writer:
            writer.write_table(table, max_chunksize=7)
    return file


@pytest.fixture(params=["parquet", "arrow", "feather", "ipc"])
def suffix(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_columns_by_name(suffix: str, tmp_path: Path) -> None:
    columns = {
        "a": range(25),
        "y": [i % 3 for i in range(25)],
        "b": np.arange(25) / 2,
        "c": [True] * 25,
    }
    stream = open_stream(written(tmp_path, suffix, columns), target="y", chunk_rows=10)
    for _ in range(2):
        chunks = list(stream)
        assert [len(y) for _, y in chunks] == [10, 10, 5]
    X = np.vstack([X for X, _ in chunks])
    assert np.array_equal(X, np.column_stack([np.arange(25), np.arange(25) / 2, np.ones(25)]))
    assert np.concatenate([y for _, y in chunks]).tolist() == [i % 3 for i in range(25)]
    assert stream.feature_names == ["a", "b", "c"] and stream.n_features == 3


def test_labels(suffix: str, tmp_path: Path) -> None:
    text = written(tmp_path, suffix, {"a": [1.0, 2.0], "y": ["cat", "dog"]})
    assert [y.tolist() for _, y in open_stream(text, target="y")] == [["cat", "dog"]]
    with pytest.raises(MalformedError, match="'y' holds string, not numbers"):
        list(open_stream(text, target="y", labels="number"))
    [(_, y)] = open_stream(
        written(tmp_path, suffix, {"a": [1, 2], "y": [1.0, 3.0]}), target="y", labels="class"
    )
    assert y.dtype == np.int64 and y.tolist() == [1, 3]
    [(X, y)] = open_stream(text, target="y", labels="none")
    assert X.tolist() == [[1], [2]] and np.isnan(y).all()


def test_values_that_cannot_be_used(suffix: str, tmp_path: Path) -> None:
    a: list[Any] = [float(i) for i in range(12)]
    y: list[Any] = list(range(12))
    a[8], a[9], y[10] = None, float("nan"), None
    file = written(tmp_path, suffix, {"a": a, "y": y})
    with pytest.raises(MalformedError, match="row 9: column 'a': the cell is empty"):
        list(open_stream(file, target="y"))
    stream = open_stream(file, target="y", on_error="skip")
    assert [y.tolist() for _, y in stream] == [[*range(8), 11]] and stream.skipped == 3


def test_what_is_wrong_with_the_columns(suffix: str, tmp_path: Path) -> None:
    file = written(tmp_path, suffix, {"colour": ["red"], "a": [1], "y": [2]})
    for options, words in (
        ({"target": "y"}, "column 'colour' holds string, not numbers"),
        ({"target": "z"}, "there is no column 'z'; there are colour, a, y"),
        ({}, 'Pass target="..."'),
        ({"target": "y", "n_features": 3}, "2 feature columns where n_features=3"),
    ):
        with pytest.raises(MalformedError) as caught:
            list(open_stream(file, **options))  # type: ignore[arg-type]
        assert words in str(caught.value)


def test_a_broken_file(suffix: str, tmp_path: Path) -> None:
    file = written(tmp_path, suffix, {"a": range(1000), "y": range(1000)})
    file.write_bytes(file.read_bytes()[:300])
    with pytest.raises(MalformedError, match="not a whole"):
        list(open_stream(file, target="y"))


def test_without_pyarrow(tmp_path: Path, monkeypatch) -> None:
    file = written(tmp_path, "parquet", {"a": [1], "y": [1]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"Parquet needs pyarrow: pip install 'onkel\[arrow\]'"):
        open_stream(file, target="y")


def test_a_pipe_is_refused() -> None:
    with pytest.raises(ValueError, match="parquet needs a file to read from, not standard input"):
        open_stream("-", format="parquet", target="y")


@posix
def test_a_named_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "rows.parquet")
    with pytest.raises(ValueError, match=r"parquet needs a file to read from, not .*rows\.parquet"):
        open_stream(tmp_path / "rows.parquet", target="y")
