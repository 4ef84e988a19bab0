"""A race equals its twin after every instance, and every candidate the learner that learns alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onkel
from onkel.race import race as races
from onkel.race.standings import MIXES, USELESS, WEALTH
from tests.race.streams import said_alone, stream
from tests.reference.race import Race

PATIENCE = 256
TASKS = ("binary", "multiclass", "regression")
TERMS = {"alpha": 0.05, "tolerance": 0.01}


@pytest.fixture(autouse=True)
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(races, "PATIENCE", PATIENCE)


def candidates(task: str) -> list[Any]:
    """Those that share a product, or features, and one that shares nothing."""
    kind = "Regressor" if task == "regression" else "Classifier"
    names = "FOGD", "FourierRidge", "NystromRidge", "AVM", "OGD"
    fogd, ridge, nystrom, avm, ogd = (getattr(onkel, name + kind) for name in names)
    settings = {"n_components": 20, "random_state": 0}
    cells = {"diameter": 1.2, "random_state": 0}
    return [
        fogd(gamma=0.01, **settings),
        fogd(gamma=0.5, **settings),
        fogd(gamma=0.5, step=0.2, **settings),
        ridge(gamma=0.5, regularization=0.1, **settings),
        ridge(gamma=30.0, regularization=0.1, **settings),
        nystrom(gamma=0.5, regularization=0.1, **settings),
        nystrom(gamma=0.5, regularization=1.0, **settings),
        nystrom(gamma=0.1, regularization=0.1, **settings),
        avm(gamma=0.5, regularization=0.01, **cells),
        avm(gamma=2.0, regularization=0.05, **cells),
        ogd(gamma=0.5, random_state=0),
    ]


def new_race(task: str) -> Any:
    race = onkel.RaceRegressor if task == "regression" else onkel.RaceClassifier
    return race(candidates=candidates(task), random_state=0, **TERMS)


@pytest.mark.parametrize("task", TASKS)
def test_equals_its_twin_and_learners_alone(task: str) -> None:
    data = stream(task)
    alone = candidates(task)
    weights = np.where(np.arange(len(data.y)) % 5 == 0, 2.0, 1.0)
    said = [said_alone(model, data, weights) for model in alone]
    race = new_race(task)
    labels = {} if task == "regression" else {"classes": np.unique(data.y)}
    first = {"sample_weight": weights[:16], **labels}
    race.partial_fit(data.X[:16], data.y[:16], **first)  # the first look of these tests
    twin = Race(len(alone), task, patience=PATIENCE, **TERMS)
    unit = race.target_scale_ if task == "regression" else 1.0
    offset = race.target_mean_ if task == "regression" else 0.0
    targets = (data.y - offset) / unit if task == "regression" else race._targets(data.y)
    standings = race._machine.standings
    for row, target in enumerate(targets):
        if row >= 16:
            one = slice(row, row + 1)
            race.partial_fit(data.X[one], data.y[one], sample_weight=weights[one])
        scores = [(each[row] - offset) / unit for each in said]
        twin.follow(scores, target, weights[row])
        if row < 15:
            continue
        assert race.t_ == twin.t
        assert standings.leader == twin.leader and bool(standings.sums[MIXES]) == twin.mixes
        assert race._machine.racing == [k for k, e in enumerate(twin.entrants) if e.racing]
        wealth = np.log([[e.wealth, e.useless] for e in twin.entrants])
        np.testing.assert_allclose(standings.table[:, [WEALTH, USELESS]], wealth, atol=1e-9)
    left = sorted(row for row in race.results_["left_at"] if row is not None)
    assert left == sorted(e.left_at for e in twin.entrants if e.left_at is not None)
    assert left, "nobody left: the stream is too easy to tell anything"
    assert_candidates_equal(race, alone, data.X[:40])


def assert_candidates_equal(race: Any, alone: list[Any], X: np.ndarray) -> None:
    """Those that race know what they would know alone."""
    for place, number in enumerate(race._machine.racing):
        mine = race._machine._scorer_of(place, X)(X)
        own = alone[number]._machine.scores(X)
        np.testing.assert_allclose(mine, own, rtol=1e-9, atol=1e-9, err_msg=str(alone[number]))


def test_who_shares_what() -> None:
    """Directions of all widths, landmarks of all kernels, and cells; who shares nothing learns alone."""
    X, y = stream("binary", 40)
    race = new_race("binary").partial_fit(X, y, classes=[0, 1])
    groups = {type(lesson).__name__: lesson.numbers for lesson in race._machine.lessons}
    assert groups == {
        "OnFourierFeatures": [0, 1, 2, 3, 4],
        "OnLandmarks": [5, 6, 7],
        "OnCells": [8, 9],
        "Lesson": [10],
    }


def test_the_leader_is_an_estimator_of_its_own() -> None:
    data = stream("regression")
    race = new_race("regression").set_params(mix=False).partial_fit(*data)
    number = race._machine.standings.leader
    alone = candidates("regression")[number].partial_fit(*data)
    np.testing.assert_allclose(race.leader_.predict(data.X), alone.predict(data.X), atol=1e-9)
    np.testing.assert_allclose(race.predict(data.X), alone.predict(data.X), atol=1e-9)
