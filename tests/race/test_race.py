"""Races as estimators: any chunking, copies and files in mid-race, labels that come later, candidates."""

from __future__ import annotations

import pickle
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

import onkel
from onkel.io import load, save
from onkel.race import race as races
from onkel.race.standings import BROKEN, ROWS
from tests.race.streams import learn_on, stream

SMALL = {"n_components": 20}
GRID = {"gamma": [0.01, 0.5, 30.0]}


@pytest.fixture(autouse=True)
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(races, "PATIENCE", 128)


def small_race(task: str = "binary", **settings: Any) -> Any:
    """Gradient descent and ridge regression of several widths on the same directions."""
    if task == "regression":
        made = onkel.RaceRegressor, onkel.FOGDRegressor, onkel.FourierRidgeRegressor
    else:
        made = onkel.RaceClassifier, onkel.FOGDClassifier, onkel.FourierRidgeClassifier
    race, fogd, ridge = made
    candidates = [fogd(gamma=g, **SMALL) for g in GRID["gamma"]]
    candidates += [ridge(gamma=g, regularization=0.1, **SMALL) for g in (0.5, 30.0)]
    return race(**{"candidates": candidates, "random_state": 0, **settings})


def known(model: Any, X: Any) -> list[Any]:
    """All that must be the same in two races that are the same."""
    said = model.predict(X) if hasattr(model, "predict_interval") else model.decision_function(X)
    more = (
        model.predict_interval(X) if hasattr(model, "predict_interval") else model.predict_proba(X)
    )
    results = model.results_
    told = [results[key] for key in ("candidate", "status", "rows", "left_at", "reason")]
    return [said, more, *told, model.curves_["rows"], model.curves_["leader"], model.progress_[:3]]


def assert_same(one: Any, other: Any, X: Any) -> None:
    for mine, others in zip(known(one, X), known(other, X), strict=True):
        if isinstance(mine, np.ndarray):
            np.testing.assert_allclose(mine, others, rtol=1e-9, atol=1e-9)
        else:
            assert mine == others


@pytest.mark.parametrize("task", ["multiclass", "regression"])
def test_any_chunking_is_the_same_race(task: str) -> None:
    X, y = stream(task)
    whole = learn_on(small_race(task), X, y)
    assert "left" in whole.results_["status"]
    for sizes in ([1] * 20 + [300, 7, 373], [129, 255, 316]):
        pieces, first = small_race(task), 0
        more = {} if task == "regression" else {"classes": np.unique(y)}
        for size in sizes:
            pieces.partial_fit(X[first : first + size], y[first : first + size], **more)
            more, first = {}, first + size
        assert_same(pieces, whole, X[:50])


@pytest.mark.parametrize("half_life", [None, 200])
def test_copies_and_files_go_on_in_mid_race(half_life: Any, tmp_path: Path) -> None:
    X, y = stream("binary")
    race = learn_on(small_race(half_life=half_life), X[:300], y[:300])
    assert 1 < race.n_racing_ < 5
    save(race, tmp_path / "race.onkel")
    others = [pickle.loads(pickle.dumps(race)), load(tmp_path / "race.onkel")]
    race.partial_fit(X[300:], y[300:])
    for other in others:
        assert_same(other.partial_fit(X[300:], y[300:]), race, X[:50])


def test_sparse_rows_weights_and_balanced_classes() -> None:
    X, y = stream("binary", 400)
    X[np.abs(X) < 0.5] = 0.0
    weights = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.5)
    settings = {"class_weight": "balanced"}
    dense = learn_on(small_race(**settings), X, y, sample_weight=weights)
    rows = sparse.csr_matrix(X)
    wanted = small_race(**settings).partial_fit(rows, y, classes=[0, 1], sample_weight=weights)
    kept = weights > 0
    without = learn_on(small_race(**settings), X[kept], y[kept], sample_weight=weights[kept])
    assert_same(dense, wanted, X[:50])
    assert_same(dense, without, X[:50])
    plain = learn_on(small_race(), X, y)
    assert np.abs(plain.decision_function(X) - dense.decision_function(X)).max() > 1e-3


def test_labels_and_columns_that_come_later() -> None:
    X, y = stream("multiclass")
    y[:200] = np.minimum(y[:200], 1)
    race = small_race(grow_features=True)
    lone = int(np.argmax(y != y[0]))  # rows of the first label alone, from which nothing is learned
    race.partial_fit(X[:300, :2], y[:300]).partial_fit(X[300:], y[300:])
    assert race.classes_.tolist() == [0, 1, 2] and race.n_features_in_ == 3
    assert race.score(X[300:], y[300:]) > 0.7
    assert race.results_["rows"][0] == 700 - lone > min(race.results_["rows"])


def test_candidates_that_are_not_onkels() -> None:
    X, y = stream("binary")
    learner = onkel.FOGDClassifier(random_state=0, **SMALL)
    pipeline = onkel.make_stream_pipeline(StandardScaler(), learner)
    candidates = [
        ("linear", SGDClassifier(random_state=0)),
        ("bayes", GaussianNB()),
        ("constant", onkel.FOGDClassifier(gamma=1e-9, **SMALL)),
        ("pipeline", pipeline),
    ]
    race = onkel.RaceClassifier(candidates=candidates, random_state=0)
    whole = learn_on(race, X, y)
    assert whole.results_["candidate"][0] != "constant" and whole.score(X, y) > 0.75
    pieces = onkel.RaceClassifier(candidates=candidates, random_state=0)
    for first in range(0, len(y), 90):
        learn_on(pieces, X[first : first + 90], y[first : first + 90])
    assert_same(pieces, whole, X[:50])
    X, y = stream("regression")
    numbers = onkel.RaceRegressor(candidates=[SGDRegressor(random_state=0)], random_state=0)
    assert numbers.partial_fit(X, y).score(X, y) > 0.5
    assert isinstance(numbers.leader_, SGDRegressor)


class Breaking(RegressorMixin, BaseEstimator):
    """Predicts 0 for a while, then NaN."""

    rows = 0

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return self.partial_fit(X, y)

    def partial_fit(self, X: Any, y: Any) -> Any:  # takes no weights, although fit does
        self.rows += len(y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.full(len(X), np.nan if self.rows >= 128 else 0.0)


class Stumbling(ClassifierMixin, BaseEstimator):
    """Knows only two of three classes after a while, and cannot learn rows with a 9 in them."""

    rows = 0

    def partial_fit(self, X: Any, y: Any, classes: Any) -> Any:
        if (np.asarray(X) == 9.0).any():
            raise ValueError("9 is not to be learned")
        self.rows += len(y)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        scores = np.tile([3.0, 2.0, 1.0], (len(X), 1))
        scores[:, 2] = np.nan if self.rows >= 128 else 1.0
        return scores


def test_who_says_what_is_not_finite_leaves_and_never_leads() -> None:
    """Even where its rivals lose more than a variance of the first targets, as here after a change of scale."""
    X, y = stream("regression")
    y[128:] *= 1000.0
    fogd = onkel.FOGDRegressor(gamma=0.5, **SMALL)
    race = onkel.RaceRegressor(candidates=[("fogd", fogd), ("odd", Breaking())], random_state=0)
    race.partial_fit(X, y)
    assert race.results_["candidate"] == ["fogd", "odd"]
    assert "not finite" in race.results_["reason"][1] and np.isfinite(race.predict(X)).all()
    X, y = stream("multiclass")
    y[:] = np.minimum(y, 1)  # of the third class there is no row that would tell
    fogd = onkel.FOGDClassifier(gamma=0.5, **SMALL)
    race = onkel.RaceClassifier(candidates=[fogd, Stumbling()], alpha=1e-9, random_state=0)
    race.partial_fit(X, y, classes=[0, 1, 2])
    assert race.n_racing_ == 1 and "not finite" in race.results_["reason"][1]


def test_a_candidate_that_fails_has_each_row_once() -> None:
    X, y = stream("multiclass", 150)
    race = onkel.RaceClassifier(candidates=[Stumbling(), GaussianNB()], random_state=0)
    race.partial_fit(X[:100], y[:100], classes=[0, 1, 2])
    wrong = X[100:].copy()
    wrong[0] = 9.0
    with pytest.raises(ValueError, match="9 is not"):
        race.partial_fit(wrong, y[100:])
    foreign = race._machine.machines[0]
    assert foreign.t == 100 == foreign.estimator.rows + sum(len(each[1]) for each in foreign.kept)


def test_the_end_of_fit_settles_the_last_round_once() -> None:
    X, y = stream("binary", 1280)
    y[1150:] = 1 - y[1150:]  # noticed in the last round: who dropped out comes back, fresh
    grid = {"gamma": [0.1, 1.0, 1000.0]}
    learner = onkel.FOGDClassifier(**SMALL)
    settings = {"half_life": 500, "shuffle": False, "random_state": 0}
    race = onkel.RaceClassifier(candidates=grid, learner=learner, **settings).fit(X, y)
    assert race.n_racing_ == 3 and race.curves_["rows"].tolist() == list(range(128, 1281, 128))
    table = race._machine.standings.table
    assert table[:, ROWS].min() == 0 < table[race._machine.standings.leader, ROWS]


def test_what_cannot_race_is_refused_and_nothing_changes() -> None:
    X, y = stream("binary", 200)
    for candidates, error in (
        ([], "candidates="),
        ("best", "candidates="),
        (GRID, "learner="),
        ([onkel.FOGDRegressor()], "no classifier"),
        ([onkel.FOGDClassifier(step=-1.0)], "step=-1.0"),
        ([onkel.FOGDClassifier(class_weight="balanced")], "give it to the race"),
        ([object()], "partial_fit"),
    ):
        with pytest.raises((TypeError, ValueError), match=error):
            onkel.RaceClassifier(candidates=candidates).fit(X, y)
    race = learn_on(small_race(), X, y)
    before = known(race, X)
    for rows, labels in ((X * np.nan, y), (X[:, :2], y), (X, y + 7), (X, y[:3])):
        with pytest.raises(ValueError):
            race.partial_fit(rows, labels)
    assert str(known(race, X)) == str(before)


def test_a_forgetting_race_brings_candidates_back() -> None:
    """A narrow kernel is best for fields of a chessboard; then the border is straight, and labels are uncertain."""
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, size=(5000, 2))
    y = (np.sin(6 * X[:, 0]) * np.sin(6 * X[:, 1]) > 0).astype(int)
    y[2500:] = (X[2500:, 0] + X[2500:, 1] > 0) ^ (random.random(2500) < 0.3)
    grid = {"gamma": [0.3, 10.0]}
    learner = onkel.FOGDClassifier(n_components=60)
    race = onkel.RaceClassifier(candidates=grid, learner=learner, half_life=500, random_state=0)
    learn_on(race, X[:2500], y[:2500])
    assert race.best_params_ == {"gamma": 10.0} and race.n_racing_ == 1
    race.partial_fit(X[2500:], y[2500:])
    assert race.best_params_ == {"gamma": 0.3}
    rows = dict(zip((p["gamma"] for p in race.results_["params"]), race.results_["rows"]))
    assert rows[10.0] == 5000 > rows[0.3] > 2000


def test_who_leaves_and_comes_back_in_one_round_is_fresh() -> None:
    X, y = stream("binary", 100)
    grid = {"gamma": [0.5, 5.0]}
    learner = onkel.FOGDClassifier(n_components=20)
    race = onkel.RaceClassifier(candidates=grid, learner=learner, half_life=500, random_state=0)
    machine = learn_on(race, X, y)._machine
    assert machine.racing == [0, 1]
    other = 1 - machine.standings.leader
    machine.standings.table[other, BROKEN] = 1.0
    machine.got_worse = True
    machine.finish_round()
    assert machine.racing == [0, 1]
    assert machine.machines[other].t == machine.standings.table[other, ROWS] == 0


def test_equal_candidates_leave_as_useless_only_where_that_is_wanted() -> None:
    X, y = stream("binary", 1500)
    twins = [onkel.FOGDClassifier(gamma=0.5, **SMALL) for _ in range(3)]
    strict = onkel.RaceClassifier(candidates=twins, tolerance=0.0, random_state=0)
    assert learn_on(strict, X, y).n_racing_ == 3
    tolerant = onkel.RaceClassifier(candidates=twins, tolerance=0.02, random_state=0)
    assert learn_on(tolerant, X, y).n_racing_ == 1
    assert "no better" in tolerant.results_["reason"][1]


def test_readers_see_a_whole_race() -> None:
    X, y = stream("binary", 3000)
    race = learn_on(small_race(), X[:200], y[:200])
    failed: list[BaseException] = []

    def read() -> None:
        try:
            for _ in range(20):
                race.predict_proba(X[:20])
                assert len(race.results_["rank"]) == 5
        except BaseException as error:
            failed.append(error)

    readers = [Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    race.partial_fit(X[200:], y[200:])
    for reader in readers:
        reader.join()
    assert not failed


def test_the_usual_candidates() -> None:
    X, y = stream("binary", 300)
    race = onkel.RaceClassifier(random_state=0).fit(X, y)
    assert race.score(X, y) > 0.8
    assert {"learner", "gamma"} <= race.best_params_.keys()
    assert len(race.results_["rank"]) == len(race.candidates_)
