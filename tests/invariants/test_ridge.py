"""Ridge regression over streams: it stays exact, whatever the chunks, and knows classes that come later."""

from __future__ import annotations

import itertools
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from onkel import (
    FourierRidgeClassifier,
    FourierRidgeRegressor,
    NystromRidgeClassifier,
    datasets,
)
from onkel.engine.ridge import inverse, statistics
from onkel.io import load, save
from onkel.parallel.symmetric import add_products
from tests.invariants.ridges import LEARNERS, assert_same, learn, make, rows
from tests.reference.ridge import FourierRidge


def batch_scores(model: Any, X: np.ndarray, y: np.ndarray, w: np.ndarray, probes: Any) -> Any:
    """What all rows at once say, by numpy.linalg.solve."""
    U = model.components_
    maps = [np.hstack([np.sin(A @ U.T), np.cos(A @ U.T)]) / np.sqrt(len(U)) for A in (X, probes)]
    z_mean, y_mean = w @ maps[0] / w.sum(), w @ y / w.sum()
    z = maps[0] - z_mean
    regularized = (z.T * w) @ z + model.regularization_ * np.eye(z.shape[1])
    return y_mean + (maps[1] - z_mean) @ np.linalg.solve(regularized, (z.T * w) @ (y - y_mean))


@pytest.mark.parametrize("regularization", [1e-5, 0.1, "auto"])
def test_long_streams_stay_exact(regularization: Any) -> None:
    """Over many refreshments, at their places and between them."""
    X, y = rows(40_000)
    w = np.random.default_rng(1).uniform(0.1, 3.0, len(y))
    model = make(FourierRidgeRegressor, regularization=regularization)
    probes = rows(200, seed=5)[0]
    ends = [0, 100, 511, 512, 513, 2047, 2048, 8191, 8192, 8193, 20_000, 40_000]
    for start, stop in itertools.pairwise(ends):
        model.partial_fit(X[start:stop], y[start:stop], sample_weight=w[start:stop])
        expected = batch_scores(model, X[:stop], y[:stop], w[:stop], probes)
        gap = np.abs(model.predict(probes) - expected).max() / np.abs(expected).max()
        assert gap < 1e-8, f"after {stop} rows: {gap}"


def test_predictions_before_each_row_are_those_of_the_twin() -> None:
    X, y = rows(700)
    y = (y - 5.0) / 20.0
    model = make(FourierRidgeRegressor, scale_targets=False).partial_fit(X, y)
    loss = (lambda r: 0.0, lambda r: 0.0)
    twin = FourierRidge(
        "regression", 1, lambda a, b: 0.0, loss,
        regularization=0.05, directions=model.components_, intercept=True,
    )  # fmt: skip
    for x, target in zip(X, y, strict=True):
        twin.learn(x, float(target))
    before = np.array([shown[0] for shown, _, _ in twin.record])
    expected = np.square(before - y).mean()
    assert model.progress_.squared_error == pytest.approx(expected, rel=1e-10)
    np.testing.assert_allclose(model.coef_, twin.output_coef, rtol=0, atol=1e-8)


@pytest.mark.parametrize("half_life", [None, 300.0])
@pytest.mark.parametrize("cls", LEARNERS)
def test_any_chunking_is_the_same_model_with_everything_chosen(cls: Any, half_life: Any) -> None:
    X, y = rows(2600, cls=cls)
    settings = {"regularization": "auto", "gamma": "auto", "half_life": half_life}
    whole = learn(make(cls, **settings), X, y)
    random = np.random.default_rng(0)
    cuts = [0, *sorted(random.choice(np.arange(1, 2600), 40, replace=False).tolist()), 2600]
    pieces = make(cls, **settings)
    for start, stop in itertools.pairwise(cuts):
        learn(pieces, X[start:stop], y[start:stop])
    assert pieces.regularization_ == pytest.approx(whole.regularization_, rel=1e-12)
    assert pieces.gamma_ == whole.gamma_
    assert pieces.progress_.mistakes == whole.progress_.mistakes
    assert_same(pieces, whole)


def test_single_precision_rows_have_statistics_in_double() -> None:
    X, y = rows(3000)
    single = make(FourierRidgeRegressor).partial_fit(X.astype(np.float32), y)
    double = make(FourierRidgeRegressor).partial_fit(X.astype(np.float32).astype(float), y)
    assert_same(single, double, 1e-4)
    assert single._fitted().statistics.gram.dtype == np.float64


@pytest.mark.parametrize("calls", range(9))
def test_an_interrupt_leaves_a_model_of_whole_blocks(
    calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C comes when the statistics have changed, or the inverse."""
    X, y = rows(700)
    made = []

    def interrupted(*arguments: Any) -> None:
        add_products(*arguments)
        made.append(len(made))
        if len(made) == calls + 1:
            signal.raise_signal(signal.SIGINT)

    model = make(FourierRidgeRegressor)
    model.partial_fit(X[:16], y[:16])
    monkeypatch.setattr(statistics, "add_products", interrupted)
    monkeypatch.setattr(inverse, "add_products", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X[16:], y[16:])
    assert model.t_ == 128 * (calls // 2 + 1)
    whole = make(FourierRidgeRegressor).partial_fit(X[:16], y[:16]).partial_fit(X[16:], y[16:])
    assert_same(model.partial_fit(X[model.t_ :], y[model.t_ :]), whole)
    assert model.progress_.squared_error == pytest.approx(whole.progress_.squared_error)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("cls", [FourierRidgeClassifier, NystromRidgeClassifier])
def test_classes_that_nobody_declared_are_as_if_they_had_been(
    cls: Any, intercept: bool, tmp_path: Path
) -> None:
    """But for the rows that came before the second class."""
    X, y = rows(300, cls=cls)
    y = np.where(np.arange(300) < 150, np.minimum(y, 1), y + (X[:, 3] > 1.0))
    y[:2] = 1, 0
    grown = make(cls, intercept=intercept).partial_fit(X[:151], y[:151])
    declared = make(cls, intercept=intercept)
    declared.partial_fit(X[1:151], y[1:151], classes=[0, 1, y[150]] if y[150] > 1 else [0, 1])
    assert_same(grown, declared)
    grown.partial_fit(X[151:], y[151:])
    save(grown, tmp_path / "grown.onkel")
    whole = make(cls, intercept=intercept).partial_fit(X[1:], y[1:], classes=[0, 1, 2, 3])
    assert_same(load(tmp_path / "grown.onkel"), whole)


@pytest.mark.data("satimage")
def test_few_rows_of_many_features_are_not_learned_by_heart() -> None:
    """Plain generalised cross-validation takes the weakest regularization here, and loses points."""
    X, y = datasets.load("satimage")
    X = getattr(X, "toarray", lambda: X)()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:670], order[670:2670]
    fits = {
        strength: FourierRidgeClassifier(
            n_components=500, regularization=strength, random_state=0
        ).fit(X[train], y[train])
        for strength in ("auto", 1e-4, 1e-2, 0.1, 1.0)
    }
    found = {strength: fit.score(X[test], y[test]) for strength, fit in fits.items()}
    assert found["auto"] > max(found.values()) - 0.01
    assert fits["auto"].regularization_ > 1e-3


@pytest.mark.parametrize("cls", LEARNERS)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize("unit", [1e-8, 1e6])
def test_a_regularization_that_is_chosen_has_the_unit_of_the_weights(
    cls: Any, method: str, unit: float
) -> None:
    X, y = rows(300, cls=cls)
    models = [make(cls, regularization="auto") for _ in range(2)]
    for model, weight in zip(models, (1.0, unit)):
        getattr(model, method)(X, y, sample_weight=np.full(len(y), weight))
    assert models[1].regularization_ == pytest.approx(unit * models[0].regularization_)
    np.testing.assert_allclose(models[1].predict(X), models[0].predict(X), rtol=1e-6)
