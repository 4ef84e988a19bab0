"""Candidates that learn as tasks of an executor: the race is the same, to the last byte of its file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dask.distributed import Client, LocalCluster
from scipy import sparse
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB

import onkel
from onkel.io import save
from onkel.race import machine, teams
from onkel.race import race as races
from tests.race.streams import stream

SMALL = {"n_components": 20, "random_state": 0}
WIDTHS = (0.01, 30.0, 0.5, 2.0)


@pytest.fixture(autouse=True)
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(races, "PATIENCE", 256)


@pytest.fixture(scope="module")
def executors() -> Iterator[Callable[[str], Any]]:
    """Executors by their names, each made when it is first asked for."""
    made: dict[str, Any] = {}
    with ExitStack() as stack:

        def executor(name: str) -> Any:
            if name not in made:
                made[name] = stack.enter_context(new_executor(name, stack))
            return made[name]

        yield executor


def new_executor(name: str, stack: ExitStack) -> Any:
    if name == "threads":
        return ThreadPoolExecutor(2)
    if name == "processes":
        return ProcessPoolExecutor(2, get_context("spawn"))
    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    return Client(stack.enter_context(LocalCluster(processes=False, **settings)))


class Counting(Executor):
    """Does every task at once, here; counts them, and fails at one of them if it is told to."""

    def __init__(self, fails_at: int = -1) -> None:
        self.tasks, self.fails_at = 0, fails_at
        self.stretches: dict[int, set[int]] = {}  # where they begin, and how many rows they have

    def submit(self, function: Any, /, *arguments: Any, **more: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.tasks += 1
        *_, t, (_, targets, _) = arguments
        self.stretches.setdefault(t, set()).add(len(targets))
        if self.tasks == self.fails_at:
            future.set_exception(OSError("the machine is gone"))
        else:
            future.set_result(function(*arguments))
        return future


def candidates(task: str) -> list[Any]:
    """Those that share directions, landmarks or cells, and one that shares nothing."""
    kind = "Regressor" if task == "regression" else "Classifier"
    names = "FOGD", "FourierRidge", "NystromRidge", "AVM", "OGD"
    fogd, ridge, nystrom, avm, ogd = (getattr(onkel, name + kind) for name in names)
    return [
        *(fogd(gamma=g, step=step, **SMALL) for step in (0.1, 1.0, 3.0) for g in WIDTHS),
        *(ridge(gamma=g, regularization=0.1, **SMALL) for g in (0.5, 30.0)),
        *(nystrom(gamma=g, regularization=0.1, **SMALL) for g in (0.5, 0.1)),
        *(avm(gamma=g, diameter=1.2, random_state=0) for g in (0.1, 0.5)),
        ogd(gamma=0.5, random_state=0),
    ]


def new_race(task: str, **settings: Any) -> Any:
    race = onkel.RaceRegressor if task == "regression" else onkel.RaceClassifier
    return race(**{"candidates": candidates(task), "random_state": 0, **settings})


def assert_told_alike(one: Any, other: Any, X: Any) -> None:
    """Nothing that can be asked differs."""
    assert str(one.results_) == str(other.results_)
    for name in ("rows", "leader", "answer", "loss"):
        np.testing.assert_array_equal(one.curves_[name], other.curves_[name])
    np.testing.assert_array_equal(one.predict(X), other.predict(X))
    assert one.progress_ == other.progress_


def assert_identical(one: Any, other: Any, X: Any, folder: Path) -> None:
    """Not a byte of the files differs either."""
    assert_told_alike(one, other, X)
    for number, race in enumerate((one, other)):
        save(race, folder / f"{number}.onkel")
    assert (folder / "0.onkel").read_bytes() == (folder / "1.onkel").read_bytes()


@pytest.mark.parametrize("name", ["threads", "processes", "dask"])
@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_it_is_the_same_race(
    name: str,
    task: str,
    executors: Callable[[str], Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = stream(task, 2600)
    here = new_race(task).fit(X, y)
    assert len(set(here.results_["left_at"])) > 3  # at several rows
    stretches = []

    def taught(*lesson: Any) -> Any:
        stretches.append(teams.taught(*lesson))
        return stretches[-1]

    monkeypatch.setattr(machine, "taught", taught)
    elsewhere = new_race(task).fit(X, y, executor=executors(name))
    assert len(stretches) > 2 and None not in stretches  # nothing was learned here
    assert_identical(elsewhere, here, X, tmp_path)


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_chunks_weights_and_balanced_classes(form: str, tmp_path: Path) -> None:
    X, y = stream("binary", 3000)
    X[np.abs(X) < 0.5] = 0.0
    rows = sparse.csr_matrix(X) if form == "sparse" else X
    weights = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.5)
    settings = {"class_weight": "balanced", "half_life": 700}
    here, elsewhere, executor = (
        new_race("binary", **settings),
        new_race("binary", **settings),
        Counting(),
    )
    for first, stop in ((0, 100), (100, 1100), (1100, 3000)):
        part = slice(first, stop)
        here.partial_fit(rows[part], y[part], None, weights[part])
        elsewhere.partial_fit(rows[part], y[part], None, weights[part], executor=executor)
    assert executor.tasks > 4
    assert_identical(elsewhere, here, rows, tmp_path)


def test_who_comes_back_learns_from_that_row_on(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, size=(6000, 2))
    y = (np.sin(6 * X[:, 0]) * np.sin(6 * X[:, 1]) > 0).astype(int)
    y[3000:] = (X[3000:, 0] + X[3000:, 1] > 0) ^ (random.random(3000) < 0.3)
    learners = [onkel.FOGDClassifier(gamma=g, n_components=60) for g in (0.3, 3.0, 10.0)]
    learners += [onkel.FourierRidgeClassifier(gamma=g, n_components=30) for g in (3.0, 10.0)]
    settings = {"candidates": learners, "half_life": 500}
    executor = Counting()
    here = new_race("binary", **settings).partial_fit(X, y, [0, 1])
    came_back = np.isfinite(here.curves_["loss"])[1:] & ~np.isfinite(here.curves_["loss"])[:-1]
    assert came_back.any()
    elsewhere = new_race("binary", **settings).partial_fit(X, y, [0, 1], executor=executor)
    assert any(len(rows) > 1 for rows in executor.stretches.values()), "no stretch was cut"
    assert_identical(elsewhere, here, X, tmp_path)


@pytest.mark.parametrize("declared", [True, False])
def test_pauses_and_labels_and_columns_that_come_later(declared: bool, tmp_path: Path) -> None:
    X, y = stream("multiclass", 4000)
    y[:1700] = np.minimum(y[:1700], 1)
    nogd = [onkel.NOGDClassifier(budget=60, gamma=g, random_state=0) for g in (0.5, 30.0)]
    entrants = [*candidates("binary")[:6], *candidates("binary")[12:16], *nogd]
    settings = {"candidates": entrants, "tolerance": 0.0, "grow_features": not declared}
    here, elsewhere = (new_race("multiclass", **settings) for _ in "ab")
    labels, executor = {"classes": [0, 1, 2]} if declared else {}, Counting()
    for race, more in ((here, {}), (elsewhere, {"executor": executor})):
        race.partial_fit(X[:1000, : 3 if declared else 2], y[:1000], **labels, **more)
        race.partial_fit(X[1000:], y[1000:], **more)
    assert len(executor.stretches) > 2
    assert_identical(elsewhere, here, X, tmp_path)


def test_candidates_that_are_not_onkels() -> None:
    X, y = stream("binary", 2000)
    entrants = [SGDClassifier(random_state=0), *candidates("binary")[1:4], GaussianNB()]
    settings = {"candidates": entrants, "tolerance": 0.0}
    here = new_race("binary", **settings).fit(X, y)
    elsewhere = new_race("binary", **settings).fit(X, y, executor=Counting())
    assert_told_alike(elsewhere, here, X)


def test_a_task_that_fails_changes_nothing(tmp_path: Path) -> None:
    X, y = stream("binary", 2600)
    race, same = (new_race("binary").partial_fit(X[:300], y[:300], [0, 1]) for _ in "ab")
    with pytest.raises(OSError, match="the machine is gone"):
        race.partial_fit(X[300:], y[300:], executor=Counting(fails_at=2))
    assert_identical(race, same, X, tmp_path)
    executor = Counting()
    same.partial_fit(X[300:], y[300:], executor=executor)
    with pytest.raises(OSError, match="the machine is gone"):
        race.partial_fit(X[300:], y[300:], executor=Counting(fails_at=executor.tasks))
    race.partial_fit(X[race.t_ :], y[race.t_ :])  # stretches before that are learned
    assert_identical(race, same, X, tmp_path)
    with pytest.raises(OSError):
        race.fit(X, y, executor=Counting(fails_at=1))
    assert_identical(race, same, X, tmp_path)


def test_what_is_no_executor_is_refused() -> None:
    X, y = stream("binary", 100)
    race = new_race("binary")
    for call in (race.fit, race.partial_fit):
        with pytest.raises(TypeError, match="executor=3 must be an executor"):
            call(X, y, executor=3)
    assert not hasattr(race, "classes_")


def test_little_work_stays_here() -> None:
    X, y = stream("binary", 1200)
    executor = Counting()
    race = new_race("binary").partial_fit(X[:16], y[:16], [0, 1], executor=executor)
    race.partial_fit(X[16:400], y[16:400], executor=executor)
    alone = new_race("binary", candidates=[onkel.FOGDClassifier(**SMALL)])
    alone.fit(X, y, executor=executor)
    assert executor.tasks == 0
