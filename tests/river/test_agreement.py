"""``learn_one`` of each row is ``partial_fit`` of all of them, for every learner, during the look and after it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from onkel import river
from onkel.engine.single import Prepared
from tests.river.streams import LEARNERS, dicts, learn, make, make_learner, rows, said_by, targets

N = 90
#: Every learner, and as many classes as it is to tell apart.
CASES = [
    (name, n_classes)
    for name in LEARNERS
    for n_classes in ((2, 3) if name.endswith("Classifier") else (0,))
]


def ask(model: Any, x: dict[str, float]) -> Any:
    """What the model says of a row, in numbers."""
    if isinstance(model, river.SPAOneClass):
        return model.score_one(x)
    if hasattr(model, "predict_proba_one"):
        return sorted(model.predict_proba_one(x).items())
    return model.predict_one(x)


def says(learner: Any, x: np.ndarray) -> Any:
    """The same of the learner of onkel."""
    if not hasattr(learner, "classes_"):
        said = learner.predict if hasattr(learner, "target_mean_") else learner.score_samples
        value = float(said(x)[0])
        return value if hasattr(learner, "target_mean_") else 1.0 - value
    return sorted(zip(learner.classes_.tolist(), learner.predict_proba(x)[0].tolist()))


def assert_same(one: Any, other: Any) -> None:
    if isinstance(one, float):
        assert one == pytest.approx(other, rel=1e-9, abs=1e-9)
        return
    assert [label for label, _ in one] == [label for label, _ in other]
    np.testing.assert_allclose([p for _, p in one], [p for _, p in other], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("name", "n_classes"), CASES)
def test_row_by_row_is_the_stream(name: str, n_classes: int, look_rows: int) -> None:
    """After every row the same answer, though the river model is asked for one each time."""
    X = rows(N)
    y, xs = targets(name, X, n_classes), dicts(X)
    model, learner = make(name), make_learner(name)
    assert look_rows < N
    for i, x in enumerate(xs):
        if i:
            assert_same(ask(model, x), says(learner, X[i : i + 1]))
            if n_classes:
                assert model.predict_one(x) == learner.predict(X[i : i + 1])[0]
        learn(model, x, y[i].item())
        learner.partial_fit(X[i : i + 1], y[i : i + 1])
    whole = make_learner(name).partial_fit(X, y)
    np.testing.assert_allclose(said_by(model.learner_, X), said_by(whole, X), rtol=1e-9, atol=1e-9)
    assert model.learner_.progress_.seen == N
    assert model.learner_.progress_.mistakes == whole.progress_.mistakes


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("FOGDClassifier", {"half_life": 20.0}),
        ("FOGDClassifier", {"kernel": "laplacian"}),
        ("FOGDClassifier", {"average": True}),
        ("FOGDClassifier", {"average": False, "intercept": False}),
        ("BSGDRegressor", {"half_life": 20.0}),
        ("BSGDRegressor", {"average": 0.5, "intercept": False}),
        ("NOGDClassifier", {"kernel": "laplacian"}),
        ("NOGDClassifier", {"half_life": 20.0, "intercept": True}),
        ("SPAOneClass", {"average": False, "kernel": "laplacian"}),
        ("PAClassifier", {"kernel": "polynomial"}),
    ],
    ids=str,
)
def test_settings(name: str, settings: dict[str, Any]) -> None:
    learner = make_learner(name, **settings)
    X = rows(N, seed=1)
    y, model = targets(name, X), make(name, **settings)
    for x, label in zip(dicts(X), y):
        learn(model, x, label.item())
    learner.partial_fit(X, y)
    np.testing.assert_allclose(
        said_by(model.learner_, X), said_by(learner, X), rtol=1e-9, atol=1e-9
    )
    assert_same(ask(model, dicts(X)[0]), says(learner, X[:1]))


@pytest.mark.parametrize("settings", [{"class_weight": "balanced"}, {"half_life": "auto"}], ids=str)
def test_what_has_no_quick_way(settings: dict[str, Any]) -> None:
    X = rows(N)
    y = targets("FOGDClassifier", X, 3)
    model, learner = make("FOGDClassifier", **settings), make_learner("FOGDClassifier", **settings)
    for x, label in zip(dicts(X), y):
        model.learn_one(x, label.item())
    learner.partial_fit(X, y)
    assert_same(ask(model, dicts(X)[0]), says(learner, X[:1]))
    assert not isinstance(model._quick().lane, Prepared)


def test_there_is_a_quick_way() -> None:
    X = rows(N)
    for name in ("FOGDClassifier", "NOGDClassifier", "AVMRegressor", "SPAOneClass"):
        model = make(name)
        for x, y in zip(dicts(X), targets(name, X)):
            learn(model, x, y.item())
        assert isinstance(model._quick().lane, Prepared)


def test_weights() -> None:
    X, w = rows(N), np.random.default_rng(1).random(N) * (np.arange(N) % 5 > 0)
    y = targets("FOGDClassifier", X)
    model, learner = make("FOGDClassifier"), make_learner("FOGDClassifier")
    for x, label, weight in zip(dicts(X), y, w):
        model.learn_one(x, label.item(), w=weight)
    learner.partial_fit(X, y, sample_weight=w)
    np.testing.assert_allclose(
        said_by(model.learner_, X), said_by(learner, X), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("name", ["BSGDClassifier", "FOGDRegressor", "SPAOneClass"])
def test_many_rows(name: str) -> None:
    """In frames and one by one, in turn, and with columns that come later."""
    X = rows(N)
    X[:40, 3] = 0.0
    y, xs = targets(name, X), dicts(X)
    frame = pd.DataFrame(xs)
    model, learner = make(name), make_learner(name, grow_features=True)
    pieces = [(slice(0, 30), 3), (slice(30, 40), 3), (slice(40, 60), 4), (slice(60, N), 4)]
    for number, (piece, width) in enumerate(pieces):
        ask(model, xs[piece.stop - 1])  # what is learned next is not what was asked
        if number % 2:
            for x, label in zip(xs[piece], y[piece]):
                learn(model, dict(list(x.items())[:width]), label.item())
        elif name == "SPAOneClass":
            model.learn_many(frame.iloc[piece, :width])
        else:
            model.learn_many(frame.iloc[piece, :width], pd.Series(y[piece]))
        learner.partial_fit(X[piece, :width], y[piece])
    np.testing.assert_allclose(
        said_by(model.learner_, X), said_by(learner, X), rtol=1e-9, atol=1e-9
    )
    if name == "SPAOneClass":
        expected = [model.score_one(x) for x in xs]
        np.testing.assert_allclose(model.score_many(frame), expected, rtol=1e-9)
        return
    many, singly = model.predict_many(frame), [model.predict_one(x) for x in xs]
    assert many.index.equals(frame.index)
    assert many.tolist() == (pytest.approx(singly) if name.endswith("Regressor") else singly)
    if name.endswith("Classifier"):
        likely = model.predict_proba_many(frame)
        assert likely.index.equals(frame.index)
        for shown, x in zip(likely.to_dict("records"), xs):
            assert shown == pytest.approx(model.predict_proba_one(x))
