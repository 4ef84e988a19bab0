"""How many threads ``n_jobs`` means, also inside of others; and BLAS, which has one in each."""

from __future__ import annotations

import os
import threading
from typing import Any

import joblib
import pytest

from onkel.parallel.limits import TOLD_BY, at_work, threads_for
from tests.estimators.cases import EVERY, data_for, learn_on, make
from tests.estimators.test_shared_memory import blas_threads
from tests.patience import FOR_AN_ANSWER


@pytest.fixture(autouse=True)
def _told_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in TOLD_BY:
        monkeypatch.delenv(name, raising=False)


def test_the_threads_of_n_jobs() -> None:
    assert [threads_for(n) for n in (None, 1, 3)] == [1, 1, 3]
    assert threads_for(-1) == joblib.cpu_count()
    with joblib.parallel_config(n_jobs=3):
        assert [threads_for(n) for n in (None, 2)] == [3, 2]


@pytest.mark.parametrize("name", TOLD_BY)
def test_no_more_than_the_process_is_told(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for told, threads in (("1", 1), ("2", 2), ("2,1", 2), ("", 4), ("0", 4), ("many", 4)):
        monkeypatch.setenv(name, told)
        assert threads_for(4) == threads


def test_learners_in_processes_of_joblib_have_the_cores_of_one_each() -> None:
    cores = joblib.cpu_count()
    workers = max(2, cores)
    ask = joblib.delayed(threads_for)
    found = joblib.Parallel(n_jobs=workers, backend="loky")(ask(-1) for _ in range(workers))
    assert sum(found) <= workers


@pytest.mark.parametrize("name", EVERY)
def test_every_learner_has_n_jobs(name: str) -> None:
    assert make(name).n_jobs is None


@pytest.mark.parametrize("wrong", [0, 1.5, "two"])
def test_numbers_of_threads_that_there_are_not(wrong: Any) -> None:
    X, y = data_for("OGDClassifier", 20)
    with pytest.raises(ValueError, match="n_jobs"):
        make("OGDClassifier", n_jobs=wrong).fit(X, y)
    model = make("OGDClassifier").fit(X, y)
    model.n_jobs = wrong
    with pytest.raises(ValueError, match=rf"n_jobs={wrong!r} .*-1 for all cores"):
        model.predict(X)


def test_blas_has_one_thread_until_the_last_is_done() -> None:
    before, inside, leave = blas_threads(), threading.Event(), threading.Event()

    def other() -> None:
        with at_work(None, 100):
            inside.set()
            leave.wait(FOR_AN_ANSWER)

    thread = threading.Thread(target=other, daemon=True)
    with at_work(None, 100):
        thread.start()
        assert inside.wait(FOR_AN_ANSWER)
    assert set(blas_threads()) == {1}
    leave.set()
    thread.join(FOR_AN_ANSWER)
    assert blas_threads() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_lifts_the_limit_that_was_set_when_it_began() -> None:
    before = blas_threads()
    with at_work(None, 100):
        child = os.fork()
        if child == 0:
            with at_work(None, 100):
                limited = set(blas_threads()) == {1}
            os._exit(7 if limited and blas_threads() == before else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert blas_threads() == before


def test_few_rows_ask_for_nothing() -> None:
    X, y = data_for("OGDClassifier", 20)
    model = learn_on(make("OGDClassifier", n_jobs=-1), X, y)
    for first in range(20):
        learn_on(model, X[first : first + 1], y[first : first + 1])
    assert model.t_ == 40
