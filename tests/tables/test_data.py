"""The raw tables that people have, learned in one pass: what the encoder must reach."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import tables
from benchmarks.data import AbsentError
from onkel import FOGDClassifier, FOGDRegressor, TableEncoder, make_stream_pipeline
from onkel.stream import open_stream


def table(name: str) -> Path:
    try:
        return tables.table(name)
    except AbsentError as absent:
        pytest.skip(str(absent))


def test_adult_in_one_pass() -> None:
    model = make_stream_pipeline(TableEncoder(), FOGDClassifier(random_state=0))
    held_back, before = [], 0
    for X, y in open_stream(table("adult.csv.xz"), target="income", raw=True):
        test = np.arange(before, before + len(y)) % 4 == 3
        before += len(y)
        model.partial_fit(X[~test], y[~test], classes=["<=50K", ">50K"])
        held_back.append((X[test], y[test]))
    right = [model.predict(X) == y for X, y in held_back]
    assert np.concatenate(right).mean() >= 0.84


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
