"""Models whose arrays belong to somebody else: memory maps, buffers of a pickle; and settings shared by threads."""

from __future__ import annotations

import pickle
from pathlib import Path
from threading import Event, Thread
from typing import Any

import joblib
import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_info

from onkel.compiled.threads import one_blas_thread
from tests.estimators.cases import HANDFUL, data_for, learn_on, make, scores
from tests.patience import FOR_AN_ANSWER


@pytest.mark.parametrize("name", HANDFUL)
def test_a_model_in_a_memory_map_learns_on_without_touching_it(name: str, tmp_path: Path) -> None:
    X, y = data_for(name, 300)
    model = learn_on(make(name), X, y)
    path = tmp_path / "model.joblib"
    joblib.dump(model, path)
    before = path.read_bytes()
    mapped = joblib.load(path, mmap_mode="r")
    np.testing.assert_array_equal(
        scores(learn_on(mapped, X, y), X), scores(learn_on(model, X, y), X)
    )
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", HANDFUL)
def test_a_model_in_the_buffers_of_a_pickle(name: str) -> None:
    X, y = data_for(name, 300)
    model = learn_on(make(name), X, y)
    buffers: list[Any] = []
    text = pickle.dumps(model, protocol=5, buffer_callback=buffers.append)
    kept = [bytes(buffer.raw()) for buffer in buffers]
    copies = [bytes(bytearray(one)) for one in kept]
    again = pickle.loads(text, buffers=copies)
    np.testing.assert_array_equal(
        scores(learn_on(again, X, y), X), scores(learn_on(model, X, y), X)
    )
    assert copies == kept


def blas_threads() -> list[int]:
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def overlapping(context: Any) -> None:
    """Enter, enter in another thread, leave, leave in the other thread."""
    entered, leave = Event(), Event()

    def other() -> None:
        with context():
            entered.set()
            leave.wait(FOR_AN_ANSWER)

    thread = Thread(target=other, daemon=True)
    with context():
        thread.start()
        assert entered.wait(FOR_AN_ANSWER)
    leave.set()
    thread.join(FOR_AN_ANSWER)
    assert not thread.is_alive()


def test_the_limit_of_blas_threads_is_lifted_again() -> None:
    before = blas_threads()
    overlapping(lambda: one_blas_thread(1000))
    assert blas_threads() == before


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
@pytest.mark.parametrize("name", ["BSGDClassifier", "FOGDClassifier"])
def test_rows_that_must_not_be_written_are_as_good_as_others(name: str, form: Any) -> None:
    X, y = data_for(name, 200)
    locked = form(X.copy())
    (locked if form is np.asarray else locked.data).flags.writeable = False
    models = [learn_on(make(name), form(X[:100]), y[:100]) for _ in range(2)]
    for rows, model in zip((form(X), locked), models):
        for first in range(100, 200, 20):  # machine code was looked up with the rows before
            learn_on(model, rows[first : first + 20], y[first : first + 20])
    assert np.array_equal(scores(models[0], form(X)), scores(models[1], locked))
