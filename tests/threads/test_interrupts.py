"""Interrupts that wait: for the end of what is begun, and no longer."""

from __future__ import annotations

import os
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
from onkel.engine.ridge import machine as ridge_machine
from onkel.engine.ridge.statistics import Statistics
from onkel.engine.tiles import InTiles
from onkel.parallel import crew
from onkel.parallel.interrupts import Uninterrupted
from onkel.stream.interrupts import held_back
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


def test_who_holds_the_first_back_is_told_of_it_and_the_second_is_raised() -> None:
    for let_through in (True, False):
        with pytest.raises(KeyboardInterrupt), held_back() as came:
            with Uninterrupted() as interrupts:
                interrupt()
                if let_through:
                    interrupts.let_through()
                    assert came == [signal.SIGINT]
                interrupt()
                last = "waits, too"
        assert came == [signal.SIGINT] and last == "waits, too"


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="there are no alarms")
def test_other_signals_wait_too() -> None:
    def too_late(*told: Any) -> None:
        raise TimeoutError

    before, steps = signal.signal(signal.SIGALRM, too_late), []
    try:
        with pytest.raises(TimeoutError), Uninterrupted():
            signal.raise_signal(signal.SIGALRM)
            steps.append("waits")
        assert steps == ["waits"] and signal.getsignal(signal.SIGALRM) is too_late
    finally:
        signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_of_another_thread_is_told_at_once() -> None:
    children: list[int] = []

    def make_child() -> None:
        child = os.fork()
        if child == 0:
            try:
                interrupt()
            except KeyboardInterrupt:
                os._exit(7)
            os._exit(1)
        children.append(child)

    with Uninterrupted():
        thread = threading.Thread(target=make_child)
        thread.start()
        thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]) == 7


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


@pytest.mark.parametrize("where", ["follow", "add_to_gram", "observe"])
def test_no_part_of_ridge_regression_misses_a_block_by_any_error(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even by one that does not wait."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 5))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    settings = {"n_components": 20, "gamma": 0.2, "regularization": 0.1, "random_state": 0}
    model, whole = (onkel.FourierRidgeClassifier(**settings) for _ in range(2))
    for learner in (model, whole):
        learner.partial_fit(X[:700], y[:700], classes=[0, 1])
    whole.partial_fit(X[700:], y[700:])
    owner = {"follow": ridge_machine, "add_to_gram": Statistics, "observe": Calibrator}[where]
    function, calls = getattr(owner, where), iter(range(10**9))

    def told(*arguments: Any) -> Any:
        found = function(*arguments)
        if next(calls) == 2:
            raise MemoryError
        return found

    monkeypatch.setattr(owner, where, told)
    with pytest.raises(MemoryError):
        model.partial_fit(X[700:], y[700:])
    assert 700 < model.t_ < 2000
    assert_resumes(model, whole, X, y)
    np.testing.assert_array_equal(model.predict_proba(X[:200]), whole.predict_proba(X[:200]))
