"""The raw tables that people have, learned in one pass: what the encoder must reach."""

from __future__ import annotations

import lzma
from pathlib import Path

import numpy as np
import pytest

from benchmarks import tables
from benchmarks.data import AbsentError
from onkel import FOGDClassifier, FOGDRegressor, TableEncoder, make_stream_pipeline
from onkel.io import load
from onkel.stream import open_stream, shuffled
from tests.cli.files import ok


def table(name: str) -> Path:
    try:
        return tables.table(name)
    except AbsentError as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="module")
def adult(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Every fourth row held back, and all others."""
    folder = tmp_path_factory.mktemp("adult")
    with lzma.open(table("adult.csv.xz"), "rt", encoding="utf-8") as file:
        header, *rows = file.readlines()
    for name, kept in (("train", lambda i: i % 4 != 3), ("test", lambda i: i % 4 == 3)):
        lines = [row for i, row in enumerate(rows) if kept(i)]
        (folder / f"{name}.csv").write_text(header + "".join(lines), encoding="utf-8")
    return folder / "train.csv", folder / "test.csv"


def test_adult_on_the_command_line_in_one_pass(adult: tuple[Path, Path], tmp_path: Path) -> None:
    train, test = adult
    ok("train", train, "--target", "income", "-o", tmp_path / "m.onkel")
    told = ok("predict", tmp_path / "m.onkel", test).stderr
    assert float(told.split(" rows, ")[1].split("%")[0]) >= 84.0

    model = make_stream_pipeline(TableEncoder(), FOGDClassifier(random_state=0))
    rows = open_stream(train, target="income", raw=True)
    n = sum(len(y) for _, y in rows)
    for X, y in shuffled(rows, 2 * n, random_state=0):  # in random order, as far as memory goes
        model.partial_fit(X, y, classes=["<=50K", ">50K"])
    ((X, _), *_) = open_stream(test, target="income", raw=True)
    ours = load(tmp_path / "m.onkel")
    assert np.array_equal(ours.decision_function(X), model.decision_function(X))
    assert np.array_equal(ours[-1].coef_, model[-1].coef_) and ours[-1].t_ == n


def test_flights_are_read_and_encoded_in_bounded_memory() -> None:
    stream = open_stream(
        table("nycflights.csv.xz"),
        target="arr_delay",
        raw=True,
        columns=tables.KNOWN_BEFORE,
        on_error="skip",
    )
    model = make_stream_pipeline(TableEncoder(), FOGDRegressor(n_components=10, random_state=0))
    widths = set()
    for X, y in stream:
        model.partial_fit(X, y)
        widths.add(model[0].transform(X[:1]).shape[1])
        assert max(len(column.words) for column in X.cells.values()) <= len(y)
        assert sum(len(rows.X) for rows in model._progress.waiting) < 4096
    assert model[-1].t_ + stream.skipped == 336_776 and stream.skipped == 9_430
    assert len(widths) == 1
    tailnum = model[0].encoding_.features["tailnum"]
    assert len(tailnum.own) == 256 and tailnum.counts is None


def test_flights_are_predicted_better_than_by_their_mean() -> None:
    path = table("nycflights.csv.xz")
    assert tables.error_before_rows(path, None) < tables.error_of_means(path, None)
