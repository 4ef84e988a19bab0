"""An exception or interrupt in mid-stream: a usable model at a block boundary, and no row lost."""

from __future__ import annotations

import signal
import threading
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from onkel.engine import knowledge, machine
from tests.estimators.cases import WALKED, data_for, learn_on, make, scores, size_of
from tests.patience import FOR_AN_ANSWER
from tests.systems import posix

ROWS = 1100
KERNEL_VALUES_ONLY = [
    "OGDClassifier", "RBPClassifier", "ProjectronClassifier", "SPAClassifier", "NOGDClassifier",
    "SPAOneClass", "OGDRegressor",
]  # fmt: skip


class Fails:
    """Calls a function so many times, then raises once, before or after doing the work."""

    def __init__(self, function: Any, good_calls: int, error: BaseException, after: bool) -> None:
        self.function, self.left = function, good_calls
        self.error, self.after = error, after

    def __call__(self, *arguments: Any) -> Any:
        self.left -= 1
        if self.left == -1 and not self.after:
            raise self.error
        result = self.function(*arguments)
        if self.left == -1:
            raise self.error
        return result

    def __getattr__(self, name: str) -> Any:  # the compiler's side of a compiled function
        if name == "get_overload":
            raise AttributeError(name)  # nobody calls the machine code without being counted
        return getattr(self.function, name)


def rbf(a: Any, b: Any) -> np.ndarray:
    gaps = ((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2)
    return np.exp(-0.5 * gaps)


def assert_resumes(model: Any, whole: Any, X: Any, y: Any) -> None:
    """Go on from row ``t_``, and compare with a model that was never interrupted."""
    rest = slice(model.t_, None)
    assert np.isfinite(scores(model, X[:50])).all()  # usable as it is
    assert model.progress_.seen == model.t_
    learn_on(model, X[rest], None if y is None else y[rest])
    assert model.t_ == whole.t_
    assert size_of(model) == size_of(whole)
    assert model.progress_.mistakes == whole.progress_.mistakes
    np.testing.assert_allclose(scores(model, X), scores(whole, X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("calls", [0, 1, 6, 13])
@pytest.mark.parametrize("name", KERNEL_VALUES_ONLY)
def test_a_kernel_that_raises(name: str, calls: int, look_rows: int) -> None:
    X, y = data_for(name, ROWS)
    whole = learn_on(make(name, kernel=rbf), X, y)
    kernel = Fails(rbf, calls, RuntimeError("no more"), after=False)
    model = make(name, kernel=kernel)
    with pytest.raises(RuntimeError, match="no more"):
        learn_on(model, X, y)
    # One question for the rows of the first look, when there are no vectors yet; then two a block.
    learned = model.t_ - look_rows
    if calls == 0:
        assert learned == -1  # the rows of the look are kept, but for the last
    else:
        assert 0 <= learned <= 128 * (calls - 1) // 2 and (calls < 3 or learned > 0)
        if not name.startswith("NOGD"):
            assert learned % machine.BLOCK_ROWS == 0 or model.t_ >= machine.FIRST_CAPACITY
    assert_resumes(model, whole, X, y)


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("calls", [0, 1, 4, 9])
@pytest.mark.parametrize("name", WALKED)
def test_an_interrupt_between_stretches(
    name: str, calls: int, after: bool, look_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = data_for(name, ROWS)
    whole = learn_on(make(name), X, y)
    monkeypatch.setattr(knowledge, "STRETCH_ROWS", 64)
    walk = Fails(machine.walk, calls, KeyboardInterrupt(), after)
    monkeypatch.setattr(machine, "walk", walk)
    model = make(name)
    with pytest.raises(KeyboardInterrupt):
        learn_on(model, X, y)
    learned = model.t_ - look_rows
    if calls == 0:
        assert learned == -1  # the rows of the look are kept, but for the last
    else:
        assert after <= learned <= 64 * (calls - 1 + after)
    assert_resumes(model, whole, X, y)


@pytest.mark.parametrize("calls", range(7))
@pytest.mark.parametrize("name", ["OGDClassifier", "BSGDClassifier"])
def test_an_interrupt_while_a_pool_lacks_room(
    name: str, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = data_for(name, ROWS, n_features=40)
    wide = sparse.hstack([sparse.csr_matrix(X), sparse.csr_matrix((ROWS, 2000))]).tocsr()
    settings = {"gamma": 0.02}
    whole = learn_on(make(name, **settings), wide, y)
    # The pool starts with room for 25 vectors: the first blocks all have to enlarge it.
    monkeypatch.setattr(knowledge, "STRETCH_ROWS", 64)
    walk = Fails(machine.walk, calls, KeyboardInterrupt(), after=True)
    monkeypatch.setattr(machine, "walk", walk)
    model = make(name, **settings)
    with pytest.raises(KeyboardInterrupt):
        learn_on(model, wide, y)
    assert 0 < model.t_ < ROWS
    assert_resumes(model, whole, wide, y)


def test_an_interrupt_while_growing(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = data_for("OGDClassifier", ROWS)
    whole = learn_on(make("OGDClassifier"), X, y)
    for step, calls in [("enlarged_store", 0), ("enlarged", 0), ("enlarged", 3), ("enlarged", 8)]:
        with monkeypatch.context() as patch:
            grow = Fails(getattr(machine.kinds, step), calls, KeyboardInterrupt(), after=True)
            patch.setattr(machine.kinds, step, grow)
            model = make("OGDClassifier")
            with pytest.raises(KeyboardInterrupt):
                learn_on(model, X, y)
        assert machine.FIRST_CAPACITY <= model.n_support_ < whole.n_support_
        assert_resumes(model, whole, X, y)


def test_an_interrupt_of_fit_leaves_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = data_for("RBPClassifier", ROWS)
    model = make("RBPClassifier", epochs=3, budget=200)
    monkeypatch.setattr(knowledge, "STRETCH_ROWS", 128)
    monkeypatch.setattr(machine, "walk", Fails(machine.walk, 10, KeyboardInterrupt(), True))
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.t_ == ROWS + 2 * 128  # nine stretches in the first epoch, two in the next
    assert model.score(X, y) > 0.6


def test_a_kernel_that_fails_in_fit_leaves_the_old_model() -> None:
    X, y = data_for("OGDClassifier", 300)
    model = make("OGDClassifier", kernel=rbf).fit(X, y)
    before = scores(model, X)
    model.set_params(kernel=Fails(rbf, 3, RuntimeError("no more"), after=False))
    with pytest.raises(RuntimeError, match="no more"):
        model.fit(X, y)
    np.testing.assert_array_equal(scores(model, X), before)
    assert model.t_ == 300


@posix
@pytest.mark.parametrize("name", ["RBPClassifier", "AVMClassifier", "FOGDClassifier"])
def test_a_real_interrupt(name: str) -> None:
    X, y = data_for(name, 60_000)
    whole = learn_on(make(name), X, y)
    model = learn_on(make(name), X[:1], y[:1])
    main, over = threading.get_ident(), threading.Event()

    def interrupt() -> None:
        while model.t_ < 5000:
            if over.wait(1e-4):
                return  # learning failed: there is nothing to interrupt
        signal.pthread_kill(main, signal.SIGINT)  # a real one: it also ends a wait

    thread = threading.Thread(target=interrupt, daemon=True)
    try:
        with pytest.raises(KeyboardInterrupt):
            thread.start()
            learn_on(model, X[1:], y[1:])
            over.wait(FOR_AN_ANSWER)  # where all was learned before the interrupt came
    finally:
        over.set()
        thread.join(FOR_AN_ANSWER)
    assert model.t_ >= 5000
    assert_resumes(model, whole, X, y)
