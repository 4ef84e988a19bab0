"""predict needs the features alone: labels and other columns of a table never stand in its way."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.files import fails, ok, svmlight, table


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("labels")


@pytest.fixture(scope="module", params=["words", "prices"])
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def model(folder, kind):
    path = folder / f"{kind}.onkel"
    ok("train", table(folder / "train.csv", kind), "-t", "target", "-o", path, "-l", "fogd", "-q")
    return path


def without_labels(path: Path, lines: range) -> Path:
    """The same table with empty labels in these rows."""
    head, *rows = path.read_text().splitlines()
    for place in lines:
        rows[place] = rows[place].rsplit(",", 1)[0] + ","
    path.write_text("\n".join([head, *rows]) + "\n")
    return path


def test_a_label_missing_late(folder, kind, model):
    path = table(folder / "late.csv", kind, n=9000, seed=1)  # more than a chunk, and a block
    usual = ok("predict", model, path, "-q").stdout
    result = ok("predict", model, without_labels(path, range(8000, 8001)))
    assert result.stdout == usual and len(usual.splitlines()) == 9000
    assert result.stderr.startswith("9,000 rows, ") and "of 8,999 with a known" in result.stderr


@pytest.mark.parametrize("skip", [[], ["--skip-bad-lines"]])
def test_no_label_at_all(folder, kind, model, skip):
    path = table(folder / "none.csv", kind, n=40, seed=1)
    usual = ok("predict", model, path, "-q").stdout
    result = ok("predict", model, without_labels(path, range(40)), *skip)
    assert result.stdout == usual and result.stderr == "40 rows\n"


def test_parquet_without_some_labels(folder, kind, model):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import csv, parquet

    whole = csv.read_csv(table(folder / "pq.csv", kind, n=40, seed=1))
    labels = arrow.array([None, *whole["target"].to_pylist()[1:]])
    parquet.write_table(whole.set_column(2, "target", labels), folder / "pq.parquet")
    result = ok("predict", model, folder / "pq.parquet")
    assert result.stdout == ok("predict", model, folder / "pq.csv", "-q").stdout
    assert "of 39 with a known label" in result.stderr


def test_a_pipe_tells_the_accuracy(folder, kind, model):
    path = table(folder / "pipe.csv", kind, n=40, seed=1)
    result = ok("predict", model, "-", "-t", "target", stdin=path.read_bytes())
    usual = ok("predict", model, path)
    assert (result.stdout, result.stderr) == (usual.stdout, usual.stderr)
    assert "the labels in the file" in result.stderr


def test_columns_that_the_model_does_not_know(folder, kind, model):
    path = table(folder / "more.csv", kind, n=40, seed=1)
    usual = ok("predict", model, path)
    head, *rows = path.read_text().splitlines()  # an index without a name, text, and empty cells
    lines = [f",colour,{head},gap", *(f"{i},red,{row}," for i, row in enumerate(rows))]
    path.write_text("\n".join(lines) + "\n")
    result = ok("predict", model, path)
    assert (result.stdout, result.stderr) == (usual.stdout, usual.stderr)


def test_svmlight_for_a_model_of_columns(folder, model):
    path = svmlight(folder / "rows.svm", n=5)
    for options in ([], ["-t", "target"], ["--format", "svmlight"]):
        message = fails(1, "predict", model, path, *options)
        assert "rows.svm is svmlight text" in message and "by name (size, weight)" in message


def test_whole_numbers_as_labels_of_a_table(folder):
    path = table(folder / "numbers.csv", "words", n=200)
    path.write_text(path.read_text().replace("big", "1").replace("small", "-1"))
    ok("train", path, "-t", "target", "-o", folder / "n.onkel", "-l", "fogd", "-q")
    told = ok("predict", folder / "n.onkel", without_labels(path, range(3))).stderr
    assert "of 197 with a known label agree" in told
