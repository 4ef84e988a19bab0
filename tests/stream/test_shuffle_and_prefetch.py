"""Streams of streams: in random order, and read ahead."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import onkel
from onkel.stream import (
    Chunk,
    MalformedError,
    Stream,
    open_stream,
    prefetch,
    prefetched,
    scaled,
    shuffled,
)
from onkel.stream.shuffle import LEAST_ROWS

Y = np.arange(1000)
X = np.column_stack([Y, -Y]).astype(float)


def order(chunk_rows: int = 64, form=np.asarray, **options) -> list[int]:  # type: ignore[no-untyped-def]
    stream = shuffled(open_stream((form(X), Y), chunk_rows=chunk_rows), **options)
    chunks = list(stream)
    for x, y in chunks:
        dense = x.toarray() if sparse.issparse(x) else x
        assert np.array_equal(dense, X[y])  # features and labels stay together
    assert max(len(y) for _, y in chunks) <= max(chunk_rows, LEAST_ROWS)
    return [int(label) for _, y in chunks for label in y]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("buffer_rows", [2, 7, 100, 5000])
def test_every_row_once_and_none_early_by_more_than_the_buffer(form, buffer_rows: int) -> None:
    found = order(form=form, buffer_rows=buffer_rows, random_state=0)
    assert sorted(found) == Y.tolist() and found != Y.tolist()
    assert (np.array(found) - Y).max() <= buffer_rows + 1


def test_the_order_is_that_of_the_seed_not_of_the_chunks() -> None:
    found = order(buffer_rows=100, random_state=3)
    assert found == order(17, buffer_rows=100, random_state=3)
    assert found != order(buffer_rows=100, random_state=4)
    rng = np.random.default_rng(3)
    assert found == order(buffer_rows=100, random_state=rng)
    assert found != order(buffer_rows=100, random_state=rng)  # which has gone on


def test_chunks_are_about_as_large_as_they_came_but_not_tiny() -> None:
    for chunk_rows, largest in ((1, LEAST_ROWS), (400, 400)):
        stream = shuffled(open_stream((X, Y), chunk_rows=chunk_rows), buffer_rows=4000)
        assert max(len(y) for _, y in stream) == largest


def test_a_buffer_for_all_mixes_all() -> None:
    found = np.array(order(buffer_rows=4000, random_state=0))
    assert abs(np.corrcoef(found, Y)[0, 1]) < 0.1


def readers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "onkel-reader"]


def test_the_same_chunks_read_ahead() -> None:
    stream = prefetched(open_stream((X, Y), chunk_rows=10), depth=3)
    for _ in range(2):
        assert [y.tolist() for _, y in stream] == Y.reshape(100, 10).tolist()
    assert stream.n_features == 2 and stream.name == "arrays" and not readers()


def test_no_more_than_depth_chunks_wait() -> None:
    given = []

    def source() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for i in range(50):
            given.append(i)
            yield X[i : i + 1], Y[i : i + 1]

    for taken, _ in enumerate(prefetched(open_stream(source), depth=2), start=1):
        assert len(given) <= taken + 3  # two wait, and one is in the reader's hand


def test_an_error_comes_where_the_chunk_would_have_come(tmp_path: Path) -> None:
    file = tmp_path / "rows.svm"
    file.write_text("1 1:1\n" * 300_000 + "oops\n")
    rows = 0
    with pytest.raises(MalformedError, match="line 300001: bad label: 'oops'"):
        for _, y in prefetched(open_stream(file, n_features=1)):
            rows += len(y)
    assert rows > 0 and not readers()
    skipping = prefetched(open_stream(file, n_features=1, on_error="skip"))
    assert sum(len(y) for _, y in skipping) == 300_000 and skipping.skipped == 1


def test_leaving_early_leaves_no_thread() -> None:
    closed = []

    def endless() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        try:
            while True:
                yield X, Y
        finally:
            closed.append(threading.current_thread().name)

    stream = prefetched(open_stream(endless))
    for _ in stream:
        break
    gc.collect()
    assert not readers() and closed == ["onkel-reader"]
    chunks = iter(stream)
    next(chunks)
    assert readers()
    del chunks  # forgotten, not closed
    gc.collect()
    assert not readers()


def test_learning_from_a_file_is_learning_from_arrays(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((600, 3))
    labels = np.where(rows[:, 0] * rows[:, 1] > 0, 1, -1)
    file = tmp_path / "rows.svm"
    file.write_text("".join(
        f"{y} " + " ".join(f"{j}:{v!r}" for j, v in enumerate(row.tolist(), 1)) + "\n"
        for y, row in zip(labels, rows)
    ))  # fmt: skip
    models = []
    for source in (file, (rows, labels)):
        stream = open_stream(source, chunk_rows=150, labels="class")
        model = onkel.FOGDClassifier(random_state=0, gamma=1.0)
        for X, y in prefetched(scaled(stream, warm_up=100)):
            model.partial_fit(X, y, classes=[-1, 1])
        models.append(model)
    assert models[0].progress_ == models[1].progress_ and models[0].progress_.seen == 600


def test_an_idle_pipe_is_not_waited_for(monkeypatch) -> None:
    waited: list[float | None] = []
    monkeypatch.setattr(threading.Thread, "join", lambda self, timeout=None: waited.append(timeout))
    out, into = os.pipe()
    os.write(into, b"1 1:1\n")
    with os.fdopen(out, "rb") as pipe:
        for _ in prefetched(open_stream(pipe, n_features=1)):
            break  # the reader hangs in the pipe
        gc.collect()
        monkeypatch.undo()
        [reader] = readers()
        os.close(into)  # which ends the reader
        reader.join(20)
    assert waited == [prefetch._PATIENCE_WITH_A_PIPE] and not readers()


@pytest.mark.parametrize("wrap", [scaled, shuffled, prefetched])
def test_plain_sources_are_opened(wrap: Any, tmp_path: Path) -> None:
    file = tmp_path / "rows.svm"
    file.write_text("1 1:1 2:3\n-1 1:2 2:5\n")
    pairs = [(np.ones((2, 1)), np.array([0, 1])), (np.zeros((3, 1)), np.array([1, 0, 1]))]
    for source, rows in ((iter(pairs), 5), (pairs[1], 3), (file, 2), (str(file), 2)):
        chunks = list(wrap(source))
        assert sum(len(chunk.y) for chunk in chunks) == rows == sum(c.X.shape[0] for c in chunks)


class _CannotStart(Stream):
    def __iter__(self) -> Iterator[Chunk]:
        raise OSError("no way in")


def test_a_source_that_cannot_start_is_an_error_not_a_wait() -> None:
    caught: list[BaseException] = []

    def read() -> None:
        try:
            list(prefetched(_CannotStart()))
        except OSError as error:
            caught.append(error)

    reader = threading.Thread(
        target=read, daemon=True
    )  # in a thread, so that a hang fails the test
    reader.start()
    reader.join(20)
    assert not reader.is_alive() and [str(error) for error in caught] == ["no way in"]
