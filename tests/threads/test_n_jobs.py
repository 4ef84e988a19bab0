"""A model is the same to the last bit, and to the last byte of its file, whatever ``n_jobs`` is."""

from __future__ import annotations

import multiprocessing
import signal
import threading
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from onkel.engine import tiles
from onkel.engine.machine import BLOCK_ROWS
from onkel.io import load, save
from onkel.parallel import crew, symmetric
from tests.estimators.cases import EVERY, WALKED, data_for, learn_on, make, scores
from tests.estimators.test_interrupt import assert_resumes
from tests.patience import FOR_AN_ANSWER
from tests.threads.test_learners import at_once

FORMS = {"dense": np.asarray, "csr": sparse.csr_matrix}
THREADS = (1, 2, 3)


@pytest.fixture(autouse=True)
def _everything_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small panels, and no block too small to share: what many vectors need is in ``test_tiles.py``."""
    monkeypatch.setattr(crew, "WORTH_SHARING", 1)
    monkeypatch.setattr(tiles, "FEW", 8)
    monkeypatch.setattr(symmetric, "PANEL", 16)


@pytest.fixture
def helped(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many helpers were asked for, job by job."""
    asked: list[int] = []
    invite = crew.Crew.invite

    def noted(self: Any, job: Any, helpers: int) -> None:
        asked.append(helpers)
        invite(self, job, helpers)

    monkeypatch.setattr(crew.Crew, "invite", noted)
    return asked


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", EVERY)
def test_the_same_model_with_any_threads(
    name: str, form: str, tmp_path: Path, helped: list[int]
) -> None:
    X, y = data_for(name, 700)
    X = FORMS[form](np.where(np.abs(X) < 0.3, 0.0, X))
    files, found = [], []
    for n_jobs in THREADS:
        helped.clear()
        model = learn_on(make(name, n_jobs=n_jobs), X[:600], None if y is None else y[:600])
        found.append(scores(model, X))
        save(model, tmp_path / "model", compressed=False)
        files.append((tmp_path / "model").read_bytes())
        assert (sum(helped) > 0) == (n_jobs > 1)
    assert files[0] == files[1] == files[2]
    assert np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])


def test_many_classes() -> None:
    """From 64 outputs on, scores come from products."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(900, 5)), np.arange(900) % 70
    for name in ("OGDClassifier", "FOGDClassifier", "FourierRidgeClassifier"):
        found = [make(name, n_jobs=n).fit(X, y).decision_function(X) for n in THREADS]
        assert np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])


@pytest.mark.parametrize("name", ["FOGDClassifier", "OGDRegressor"])
def test_half_lives_side_by_side(name: str) -> None:
    X, y = data_for(name, 900)
    found = [scores(make(name, half_life="auto", n_jobs=n).fit(X, y), X) for n in THREADS]
    assert np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])


def test_a_file_does_not_say_how_many_threads(tmp_path: Path) -> None:
    X, y = data_for("FOGDClassifier")
    model = make("FOGDClassifier", n_jobs=2).fit(X, y)
    save(model, tmp_path / "model")
    assert load(tmp_path / "model").n_jobs is None
    assert model.n_jobs == 2


def in_a_child(model: Any, X: Any, y: Any, found: Any) -> None:
    found.send(scores(learn_on(model, X, y), X))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork")
@pytest.mark.parametrize("name", ["BSGDClassifier", "FOGDClassifier", "FourierRidgeClassifier"])
def test_a_child_learns_on(name: str) -> None:
    X, y = data_for(name, 600)
    model = learn_on(make(name, n_jobs=2), X, y)
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    child = context.Process(target=in_a_child, args=(model, X, y, there), daemon=True)
    child.start()
    assert here.poll(FOR_AN_ANSWER)
    assert np.array_equal(here.recv(), scores(learn_on(model, X, y), X))
    child.join(FOR_AN_ANSWER)
    assert child.exitcode == 0


def test_two_learners_in_two_threads() -> None:
    names = ("BSGDClassifier", "FOGDClassifier")
    data = {name: data_for(name, 3000) for name in names}
    alone = {name: scores(learn_on(make(name), *data[name]), data[name].X) for name in names}
    models = {name: make(name, n_jobs=2) for name in names}
    at_once(*(lambda name=name: learn_on(models[name], *data[name]) for name in names))
    for name, model in models.items():
        assert np.array_equal(scores(model, data[name].X), alone[name])


def test_many_threads_predict_at_once() -> None:
    X, y = data_for("BSGDClassifier", 3000)
    model = learn_on(make("BSGDClassifier", n_jobs=2), X, y)
    expected, found = scores(model, X), {}
    at_once(*(lambda k=k: found.update({k: scores(model, X)}) for k in range(4)))
    assert all(np.array_equal(each, expected) for each in found.values())


@pytest.mark.parametrize("name", ["RBPClassifier", "FOGDClassifier", "FourierRidgeClassifier"])
def test_an_interrupt_with_threads(name: str) -> None:
    X, y = data_for(name, 40_000)
    whole = learn_on(make(name), X, y)
    model = learn_on(make(name, n_jobs=2), X[:600], y[:600])
    main, over = threading.get_ident(), threading.Event()

    def interrupt() -> None:
        while model.t_ < 4000:
            if over.wait(1e-4):
                return
        signal.pthread_kill(main, signal.SIGINT)

    thread = threading.Thread(target=interrupt, daemon=True)
    try:
        with pytest.raises(KeyboardInterrupt):
            thread.start()
            learn_on(model, X[600:], y[600:])
            over.wait(FOR_AN_ANSWER)
    finally:
        over.set()
        thread.join(FOR_AN_ANSWER)
    assert model.t_ >= 4000
    assert_resumes(model, whole, X, y)


@pytest.mark.parametrize("name", [n for n in WALKED if n.endswith("Classifier")])
def test_rows_that_cannot_be_predicted_leave_no_thread_behind(name: str) -> None:
    X, y = data_for(name, 700)
    model = learn_on(make(name, n_jobs=2), X, y)
    with pytest.raises(ValueError, match="NaN"):
        model.predict(np.full((400, 3), np.nan))
    assert len(model.predict(X)) == 700


@pytest.mark.parametrize("name", ["FOGDClassifier", "NOGDClassifier"])
def test_room_of_blocks_ahead_is_used_again(name: str) -> None:
    """Fresh memory for every chunk would take longer than a second thread saves."""
    size = {"n_components": 400} if name == "FOGDClassifier" else {"budget": 200, "rank": 200}
    X, y = data_for(name, 2400)
    model = learn_on(make(name, n_jobs=2, **size), X[:1200], y[:1200])
    tracemalloc.start()
    try:
        learn_on(model, X[1200:], y[1200:])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < BLOCK_ROWS * model._machine.n * X.itemsize
