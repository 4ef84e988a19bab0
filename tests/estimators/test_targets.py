"""Estimators room: targets with an offset and a unit, intercepts, and steps that start small."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import r2_score

import onkel
from onkel.estimators.regressor import OnlineRegressor

REGRESSORS = [
    name
    for name in onkel.__all__
    if name.endswith("Regressor") and issubclass(getattr(onkel, name), OnlineRegressor)
]


def rows(n: int = 900, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 3))
    return X, np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2 + 0.1 * random.normal(size=n)


@pytest.mark.parametrize("name", REGRESSORS)
def test_neither_unit_nor_offset_of_the_targets_matters(name: str) -> None:
    X, y = rows()
    model = getattr(onkel, name)(random_state=0)
    plain = clone(model).fit(X, y)
    moved = clone(model).fit(X, 1000.0 * y + 1e6)
    np.testing.assert_allclose(
        (moved.predict(X) - 1e6) / 1000.0, plain.predict(X), rtol=0, atol=1e-6
    )
    assert moved.progress_.squared_error == pytest.approx(1e6 * plain.progress_.squared_error)
    assert r2_score(y, plain.predict(X)) > 0.15


@pytest.mark.parametrize("name", REGRESSORS)
def test_scaling_is_learning_scaled_targets(name: str) -> None:
    X, y = rows()
    scaled = getattr(onkel, name)(random_state=0).fit(X, y)
    by_hand = getattr(onkel, name)(random_state=0, scale_targets=False)
    by_hand.fit(X, (y - scaled.target_mean_) / scaled.target_scale_)
    assert scaled.target_mean_ == pytest.approx(y.mean())
    assert scaled.target_scale_ == pytest.approx(y.std())
    expected = scaled.target_mean_ + scaled.target_scale_ * by_hand.predict(X)
    np.testing.assert_array_equal(scaled.predict(X), expected)


def test_equal_targets_are_learned() -> None:
    X, _ = rows(100)
    for value in (0.0, 5.0, -1e9):
        model = onkel.FOGDRegressor(random_state=0).fit(X, np.full(100, value))
        np.testing.assert_allclose(model.predict(X), value)


def test_the_expansion_and_the_intercept_are_in_the_unit_of_the_targets() -> None:
    X, y = rows()
    model = onkel.OGDRegressor(random_state=0, gamma=0.7).fit(X, 50.0 * y + 300.0)
    square = ((X[:, None] - model.support_vectors_[None]) ** 2).sum(axis=2)
    by_hand = np.exp(-0.7 * square) @ model.dual_coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(by_hand, model.predict(X))


def test_an_intercept_is_what_is_left_far_from_all_rows() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(2000, 2))
    y = (random.random(2000) < 0.9).astype(int)
    far = np.full((1, 2), 1e3)
    model = onkel.AVMClassifier(random_state=0).fit(X, y)
    assert model.intercept_.shape == (1,) and model.predict(far) == [1]
    assert model.decision_function(far) == model.intercept_
    without = onkel.AVMClassifier(random_state=0, intercept=False).fit(X, y)
    assert without.decision_function(far) == [0.0] == without.intercept_
    many = onkel.FOGDClassifier(random_state=0).fit(X, y + (X[:, 0] > 1))
    assert many.intercept_.shape == (3,)


def test_bounded_first_steps_make_small_first_scores() -> None:
    X, y = np.zeros((1, 3)), np.array([2.0])
    as_papers = {"intercept": False, "scale_targets": False, "average": 0, "random_state": 0}
    long = onkel.AVMRegressor(first_step=None, regularization=1e-4, **as_papers)
    short = onkel.AVMRegressor(first_step=0.5, regularization=1e-4, **as_papers)
    assert long.partial_fit(X, y).predict(X) == pytest.approx([1e4])
    assert short.partial_fit(X, y).predict(X) == pytest.approx([0.5], rel=1e-3)
