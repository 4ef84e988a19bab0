"""Reading a model while another thread learns: it is as it was after some row, never torn, never an error."""

from __future__ import annotations

import copy
import pickle
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import onkel
from onkel.engine.machine import BLOCK_ROWS
from tests.estimators.cases import data_for, learn_on, make, scores

ROWS = 1000
PATIENCE = 60.0  # seconds to wait for a thread, before the test fails
#: Growing, budgeted, merged, projected, covered, explicit, and one that turns from vectors to features.
LEARNERS = [
    "OGDClassifier", "RBPClassifier", "BSGDClassifier", "ProjectronClassifier", "AVMClassifier",
    "FOGDClassifier", "NOGDClassifier", "AVMRegressor", "FourierRidgeClassifier",
]  # fmt: skip
#: At full rank NOGD's change of representation is no change of its scores.
SETTINGS: dict[str, dict[str, Any]] = {
    "NOGDClassifier": {"budget": 200, "rank": 200},
    "BSGDClassifier": {"budget": 100},
}


def save_and_load(model: Any, folder: Any) -> Any:
    onkel.io.save(model, folder / "model.onkel")
    return onkel.io.load(folder / "model.onkel")


WAYS: dict[str, Callable[[Any, Any], Any]] = {
    "itself": lambda model, folder: model,
    "pickle": lambda model, folder: pickle.loads(pickle.dumps(model)),
    "copy": lambda model, folder: copy.deepcopy(model),
    "file": save_and_load,
}


@contextmanager
def reading(read: Callable[[], Any]) -> Iterator[list[Any]]:
    """Call a function again and again in another thread meanwhile; what it returned, or raised."""
    found: list[Any] = []
    started, over = threading.Event(), threading.Event()

    def loop() -> None:
        while not over.is_set():
            try:
                found.append(read())
            except BaseException as error:
                found.append(error)
                return
            finally:
                started.set()

    thread = threading.Thread(target=loop, daemon=True)
    thread.start()
    assert started.wait(PATIENCE)
    try:
        yield found
    finally:
        over.set()
        thread.join(PATIENCE)
        assert not thread.is_alive()


@cache
def example(name: str, probes: int = 300, thin: bool = False) -> tuple[Any, Any, Any, np.ndarray]:
    """A stream, rows to ask for, and what a model says of these after every row of the stream."""
    X, y = data_for(name, ROWS, n_features=40 if thin else 3)
    probe = data_for(name, probes, seed=1, n_features=X.shape[1]).X
    if thin:
        X, probe = (sparse.csr_matrix(np.where(np.abs(Z) > 1.0, Z, 0.0)) for Z in (X, probe))
    model = make(name, **SETTINGS.get(name, {}))
    after = []
    for i in range(X.shape[0]):
        learn_on(model, X[i : i + 1], y[i : i + 1])
        after.append(scores(model, probe))
    return X, y, probe, np.array(after)


def assert_each_is_one_of(found: list[Any], after: np.ndarray) -> None:
    for result in found:
        if isinstance(result, BaseException):
            raise result
        nearest = np.abs(after - result).max(axis=1).min()
        assert nearest < 1e-6, "a mixture of two models"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", LEARNERS)
def test_a_reader_sees_the_model_after_some_row(name: str, way: str, tmp_path: Any) -> None:
    X, y, probe, after = example(name)
    model = learn_on(make(name, **SETTINGS.get(name, {})), X[:1], y[:1])
    with reading(lambda: scores(WAYS[way](model, tmp_path), probe)) as found:
        learn_on(model, X[1:], y[1:])
    assert_each_is_one_of(found, after)
    np.testing.assert_allclose(scores(model, probe), after[-1], atol=1e-6)


@pytest.mark.parametrize("way", ["itself", "pickle"])
def test_probabilities_are_those_after_some_row(way: str, tmp_path: Any) -> None:
    """Scores and calibrator are of one moment."""
    X, y = data_for("FOGDClassifier", ROWS)
    model, after = make("FOGDClassifier"), []
    for i in range(ROWS):
        learn_on(model, X[i : i + 1], y[i : i + 1])
        after.append(model.predict_proba(X[:50])[:, 1])
    model = learn_on(make("FOGDClassifier"), X[:1], y[:1])
    with reading(lambda: WAYS[way](model, tmp_path).predict_proba(X[:50])[:, 1]) as found:
        learn_on(model, X[1:], y[1:])
    assert_each_is_one_of(found, np.array(after))
    np.testing.assert_allclose(model.predict_proba(X[:50])[:, 1], after[-1], atol=1e-6)


def test_a_long_prediction_is_of_one_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows beyond a stretch are scored after learning went on: by the same vectors all the same."""
    from onkel.engine import knowledge

    monkeypatch.setattr(knowledge, "STRETCH_ROWS", 256)
    X, y, probe, after = example("BSGDClassifier", probes=1000)
    model = learn_on(make("BSGDClassifier", budget=100), X[:1], y[:1])
    with reading(lambda: scores(model, probe)) as found:
        learn_on(model, X[1:], y[1:])
    assert_each_is_one_of(found, after)


@pytest.mark.parametrize("name", ["BSGDClassifier", "FOGDClassifier"])
def test_a_reader_of_sparse_rows(name: str) -> None:
    """Fourier frequencies are drawn when a feature turns up, in readers too."""
    X, y, probe, after = example(name, thin=True)
    model = learn_on(make(name, **SETTINGS.get(name, {})), X[:1], y[:1])
    with (
        reading(lambda: scores(model, probe)) as found,
        reading(lambda: scores(model, probe)) as more,
    ):
        learn_on(model, X[1:], y[1:])
    assert_each_is_one_of(found + more, after)


def test_attributes_fit_together() -> None:
    X, y = data_for("OGDClassifier", ROWS)
    model = learn_on(make("OGDClassifier"), X[:1], y[:1])
    with reading(lambda: (model.dual_coef_, model.progress_, model.support_vectors_)) as found:
        learn_on(model, X[1:], y[1:])
    assert all(isinstance(result, tuple) for result in found), found[-1]
    assert all(np.isfinite(coef).all() for coef, _, _ in found)


@pytest.mark.parametrize("way", ["itself", "pickle", "copy"])
def test_an_offset_is_that_after_some_block(way: str, tmp_path: Any) -> None:
    X = np.random.default_rng(0).normal(size=(20_000, 3))
    model = onkel.SPAOneClass(gamma=0.3, random_state=0).partial_fit(X[:500])
    slow, after = copy.deepcopy(model), [model.offset_]
    for first in range(500, len(X), BLOCK_ROWS):
        after.append(slow.partial_fit(X[first : first + BLOCK_ROWS]).offset_)
    with reading(lambda: WAYS[way](model, tmp_path).offset_) as found:
        model.partial_fit(X[500:])
    assert_each_is_one_of(found, np.array(after)[:, None])


@pytest.mark.parametrize("name", ["SPAOneClass", "FOGDClassifier"])
def test_a_copy_taken_amid_a_chunk_goes_on_as_the_model_does(name: str) -> None:
    """It has the sample of scores, or the counts of classes, that belong to the rows it has learned."""
    X = np.random.default_rng(0).normal(size=(20_000, 3))
    y = None if name == "SPAOneClass" else np.where(X[:, 0] > 1.0, "yes", "no")
    settings = {} if y is None else {"class_weight": "balanced", "n_components": 20}

    def learn(model: Any, first: int, stop: int | None = None) -> Any:
        labels = None if y is None else y[first:stop]
        return learn_on(model, X[first:stop], labels)

    amid: list[Any] = []
    deadline = time.monotonic() + PATIENCE
    while not amid and time.monotonic() < deadline:  # on a busy machine a reader may come too late
        model = learn(getattr(onkel, name)(gamma=0.3, random_state=0, **settings), 0, 600)
        with reading(partial(copy.deepcopy, model)) as copies:
            learn(model, 600)
        amid = [early for early in copies if 600 < early.t_ < len(X)]
    assert amid
    for early in amid[:3]:
        learn(early, early.t_)
        np.testing.assert_allclose(scores(early, X[:50]), scores(model, X[:50]), atol=1e-6)


def test_a_reader_of_a_model_that_grows() -> None:
    """Labels and scores are of the same classes, and rows as wide as they were are still answered."""
    X = np.random.default_rng(0).normal(size=(3000, 40))
    y = np.array(list("dbeac"))[np.minimum(np.arange(3000) // 150, np.arange(3000) % 5)]
    names = [sorted("dbeac"[:known]) for known in range(1, 6)]
    model = onkel.OGDClassifier(gamma=0.01, random_state=0, grow_features=True)
    model.partial_fit(X[:40, :3], y[:40])
    with (
        reading(lambda: set(model.predict(X[:9]))) as labels,
        reading(lambda: model.predict_proba(X[:9]).shape) as chances,
        reading(lambda: copy.deepcopy(model).classes_.tolist()) as copies,
    ):
        for number, first in enumerate(range(40, 3000, 80), start=3):
            chunk = slice(first, first + 80)
            model.partial_fit(X[chunk, :number], y[chunk])
    for found in (labels, chances, copies):
        errors = [result for result in found if isinstance(result, BaseException)]
        assert not errors, errors
    assert all(found <= set("dbeac") for found in labels)
    assert {shape[1] for shape in chances} <= {1, 2, 3, 4, 5}
    assert all(classes in names for classes in copies)


@pytest.mark.parametrize("name", ["FOGDClassifier", "CSVRGClassifier", "LLSVMClassifier"])
def test_fit_replaces_labels_and_model_at_once(name: str) -> None:
    """A reader meets the old labels with the old scores, or the new with the new."""
    X, _ = data_for(name, 400)
    high = np.array(["a", "b"])[(X[:, 0] > 0).astype(int)]
    many = np.array(["p", "q", "r", "s"])[(X[:, 0] > 0) * 2 + (X[:, 1] > 0)]
    model = make(name).fit(X, high)
    with reading(lambda: set(model.predict(X))) as found:
        for _ in range(20):
            model.fit(X, many)
            model.fit(X, high)
    for result in found:
        if isinstance(result, BaseException):
            raise result
        assert result <= {"a", "b"} or result <= {"p", "q", "r", "s"}
