"""Interrupts that wait: for the end of what is begun, and no longer."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import onkel
from onkel.calibration.calibrator import Calibrator
from onkel.engine import machine
from onkel.engine.tiles import InTiles
from onkel.parallel import crew
from onkel.parallel.interrupts import Uninterrupted
from tests.estimators.test_interrupt import assert_resumes


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


@pytest.fixture(autouse=True)
def _the_handler_stays() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    yield
    assert signal.getsignal(signal.SIGINT) is before


def test_it_comes_when_the_work_is_done() -> None:
    steps = []
    with pytest.raises(KeyboardInterrupt):
        with Uninterrupted():
            interrupt()
            steps.append("first")
            with Uninterrupted():
                interrupt()
                steps.append("second")
            steps.append("third")
        steps.append("after")
    assert steps == ["first", "second", "third"]


def test_it_is_let_through_once() -> None:
    with Uninterrupted() as interrupts:
        interrupts.let_through()
        interrupt()
        with pytest.raises(KeyboardInterrupt):
            interrupts.let_through()
        interrupts.let_through()


def test_an_error_is_not_lost() -> None:
    with pytest.raises(KeyboardInterrupt) as told, Uninterrupted():
        interrupt()
        raise KeyError("this first")
    assert isinstance(told.value.__context__, KeyError)


def test_who_ignores_interrupts_goes_on_ignoring_them() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Uninterrupted():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            interrupt()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_handler_that_is_not_of_python_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Python is a part of another program."""
    monkeypatch.setattr(signal, "getsignal", lambda number: None)
    monkeypatch.setattr(signal, "signal", lambda *told: pytest.fail("it was replaced"))
    with Uninterrupted() as interrupts:
        interrupts.let_through()
    monkeypatch.undo()


def test_in_other_threads_there_is_nothing_to_do() -> None:
    handlers = []

    def work() -> None:
        with Uninterrupted() as interrupts:
            handlers.append(signal.getsignal(signal.SIGINT))
            interrupts.let_through()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert handlers == [signal.getsignal(signal.SIGINT)]


def interrupted_in(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, at: int) -> None:
    """Let an interrupt come at the beginning of one call of a function."""
    function, calls = getattr(owner, name), iter(range(10**9))

    def told(*arguments: Any) -> Any:
        if next(calls) == at:
            interrupt()
        return function(*arguments)

    monkeypatch.setattr(owner, name, told)


WHERE = {
    "vectors follow": (InTiles, "expect_change"),
    "a pool gets room": (machine.kinds, "compacted_pool"),
    "scores are calibrated": (Calibrator, "observe"),
}


@pytest.mark.parametrize(
    ("where", "at"),
    [
        ("vectors follow", 0),
        ("vectors follow", 3),
        ("a pool gets room", 0),
        ("scores are calibrated", 0),
        ("scores are calibrated", 3),
    ],
)
def test_no_part_of_a_model_misses_a_block(
    where: str, at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, "WORTH_SHARING", 1)
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(3000, 40))
    X = sparse.hstack([sparse.csr_matrix(dense), sparse.csr_matrix((3000, 2000))]).tocsr()
    y = (dense[:, 0] * dense[:, 1] > 0).astype(int)
    settings = {"budget": 600, "gamma": 0.02, "class_weight": "balanced", "random_state": 0}
    model, whole = (onkel.RBPClassifier(n_jobs=n, **settings) for n in (2, 1))
    for learner in (model, whole):
        learner.partial_fit(X[:1000], y[:1000], classes=[0, 1])
    whole.partial_fit(X[1000:], y[1000:])
    interrupted_in(monkeypatch, *WHERE[where], at)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X[1000:], y[1000:])
    assert 1000 < model.t_ < 3000 and (model.t_ - 1000) % machine.BLOCK_ROWS == 0
    assert_resumes(model, whole, X, y)
    np.testing.assert_array_equal(model.predict_proba(X[:200]), whole.predict_proba(X[:200]))
