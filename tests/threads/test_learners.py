"""Two threads that learn with one model take turns: one chunk after the other, none torn, none lost."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.estimators.cases import data_for, learn_on, make, scores
from tests.threads.test_readers import PATIENCE

ROWS, HALF = 6000, 3000


def at_once(*tasks: Callable[[], Any]) -> None:
    """Call functions in a thread each, as nearly at once as can be; what one of them raised is raised."""
    barrier, errors = threading.Barrier(len(tasks)), []

    def run(task: Callable[[], Any]) -> None:
        try:
            barrier.wait(PATIENCE)
            task()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(task,), daemon=True) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    if errors:
        raise errors[0]


@pytest.mark.parametrize("first_call", [False, True], ids=["later", "first"])
@pytest.mark.parametrize("name", ["OGDClassifier", "FOGDClassifier", "SPAOneClass"])
def test_chunks_are_learned_one_after_the_other(name: str, first_call: bool) -> None:
    X, y = data_for(name, ROWS)
    y = np.zeros(ROWS) if y is None else y

    def learned(learn: Callable[..., Any]) -> Any:
        """What a model says after two chunks, learned so."""
        model = make(name) if first_call else learn_on(make(name), X[:100], y[:100])
        learn(
            lambda: learn_on(model, X[:HALF], y[:HALF]), lambda: learn_on(model, X[HALF:], y[HALF:])
        )
        assert model.t_ == ROWS + (0 if first_call else 100)
        return scores(model, X[:50])

    possible = (
        learned(lambda one, other: (one(), other())),
        learned(lambda one, other: (other(), one())),
    )
    for _ in range(5):
        found = learned(at_once)
        assert any(np.array_equal(found, one) for one in possible)


def test_fit_waits_for_a_chunk_and_a_chunk_for_fit() -> None:
    X, y = data_for("OGDClassifier", ROWS)
    model = learn_on(make("OGDClassifier"), X[:100], y[:100])
    at_once(lambda: model.fit(X[:HALF], y[:HALF]), lambda: learn_on(model, X[HALF:], y[HALF:]))
    assert model.t_ in (HALF, ROWS)


def test_learning_within_learning_is_refused() -> None:
    """It would wait for itself for ever, or tear the model."""
    X, y = data_for("OGDClassifier", 40)

    def kernel(A: Any, B: Any) -> Any:
        learn_on(model, X[:1], y[:1])
        return A @ B.T

    model = make("OGDClassifier", kernel=kernel)
    with pytest.raises(RuntimeError, match="told to learn while it learns"):
        at_once(lambda: learn_on(model, X, y))
    model.set_params(kernel="rbf")
    assert model.fit(X, y).t_ == 40


def test_no_model_is_kept_alive_by_its_turn() -> None:
    X, y = data_for("OGDClassifier", 40)
    model = learn_on(make("OGDClassifier"), X, y)
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None
