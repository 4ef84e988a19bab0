"""Models of ridge regression add up, and rows can be taken back."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from onkel import (
    FourierRidgeClassifier,
    FourierRidgeRegressor,
    NystromRidgeClassifier,
)
from onkel.engine.ridge import inverse
from onkel.io import load, save
from tests.invariants.ridges import CLASSES, LEARNERS, assert_same, learn, make, rows, scores


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("cls", LEARNERS)
def test_merged_is_the_model_of_both_streams(cls: Any, intercept: bool) -> None:
    X, y = rows(900, cls=cls)
    w = np.random.default_rng(1).uniform(0.2, 2.0, 900)
    settings: dict[str, Any] = {"intercept": intercept}
    if not intercept and "Regressor" in cls.__name__:  # without one, it matters what is taken for 0
        settings["scale_targets"] = False

    def learned(part: slice) -> Any:
        return learn(make(cls, **settings), X[part], y[part], sample_weight=w[part])

    whole, one, two = (learned(part) for part in (slice(900), slice(500), slice(500, 900)))
    other = copy.deepcopy(two)
    assert one.merge(two) is one
    assert_same(one, whole)
    assert one.t_ == whole.t_ == 900
    np.testing.assert_array_equal(scores(two, X), scores(other, X))
    assert_same(two.merge(learned(slice(500))), whole)
    more_X, more_y = rows(300, seed=8, cls=cls)
    assert_same(learn(one, more_X, more_y), learn(whole, more_X, more_y))


def test_merging_adds_up_the_record() -> None:
    X, y = rows(600)
    one, two = (
        make(FourierRidgeRegressor).partial_fit(X[s], y[s]) for s in (slice(400), slice(400, 600))
    )
    squares = [m.progress_.squared_error * m.t_ for m in (one, two)]
    widths = [np.diff(m.predict_interval(X[:1], 0.8))[0, 0] for m in (one, two)]
    one.merge(two)
    assert one.progress_.squared_error * 600 == pytest.approx(sum(squares))
    width = np.diff(one.predict_interval(X[:1], 0.8))[0, 0]
    # Less is added for what so few rows do not know of their own unit.
    assert width == pytest.approx((400 * widths[0] + 200 * widths[1]) / 600, rel=0.01)


@pytest.mark.parametrize("cls", LEARNERS)
def test_a_merged_model_makes_its_inverse_when_it_learns_on(cls: Any, tmp_path: Path) -> None:
    X, y = rows(900, cls=cls)
    one, two = learn(make(cls), X[:400], y[:400]), learn(make(cls), X[400:800], y[400:800])
    merged = one.merge(two)
    assert merged._machine.inverse is None
    save(merged, tmp_path / "merged.onkel")
    others = [load(tmp_path / "merged.onkel"), pickle.loads(pickle.dumps(merged))]
    known = merged._machine.statistics
    made = copy.deepcopy(merged)
    made._machine.inverse, coef = inverse.solved(known.gram, known.cross, merged._machine.strength)
    np.testing.assert_array_equal(coef, merged._machine.coef)
    for model in (merged, made, *others):
        learn(model, X[800:], y[800:])
    for model in (made, *others):
        np.testing.assert_array_equal(model._machine.coef, merged._machine.coef)
        np.testing.assert_array_equal(model._machine.inverse, merged._machine.inverse)


def test_merged_probabilities_are_between_those_of_the_shards() -> None:
    X, y = rows(900, cls=FourierRidgeClassifier)
    one, two = (
        learn(make(FourierRidgeClassifier), X[s], y[s]) for s in (slice(600), slice(600, 900))
    )
    found = learn(make(FourierRidgeClassifier), X, y).predict_proba(X[:50])
    np.testing.assert_allclose(one.merge(two).predict_proba(X[:50]), found, atol=0.1)


def test_class_counts_add_up() -> None:
    X, y = rows(600, cls=FourierRidgeClassifier)
    one, two = (
        learn(make(FourierRidgeClassifier, class_weight="balanced"), X[s], y[s])
        for s in (slice(400), slice(400, 600))
    )
    one.merge(two)
    np.testing.assert_array_equal(one._machine.class_weights.counts, np.bincount(y))


def test_a_model_that_still_keeps_its_first_rows_is_merged_by_learning_them(look_rows: int) -> None:
    X, y = rows(100, cls=FourierRidgeClassifier)
    y[look_rows - 2] = 2
    few = learn(make(FourierRidgeClassifier), X[: look_rows - 1], y[: look_rows - 1])
    many = learn(make(FourierRidgeClassifier), X[look_rows - 1 :], y[look_rows - 1 :])
    with pytest.raises(ValueError, match="merge it into the other"):
        few.merge(many)
    assert_same(many.merge(few), learn(make(FourierRidgeClassifier), X, y))
    third = learn(make(FourierRidgeClassifier), X[:3], y[:3])
    assert learn(make(FourierRidgeClassifier), X[3:6], y[3:6]).merge(third).t_ == 6


DIFFERENT: dict[str, dict[str, Any]] = {
    "gamma": {"gamma": 0.5},
    "seed": {"random_state": 4},
    "components": {"n_components": 13},
    "orthogonal": {"orthogonal": True},
    "kernel": {"kernel": "laplacian"},
    "intercept": {"intercept": False},
    "half life": {"half_life": 100.0},
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_other_features_cannot_be_merged(what: str) -> None:
    X, y = rows(60)
    model = make(FourierRidgeRegressor).partial_fit(X, y)
    before = model.predict(X)
    with pytest.raises(ValueError, match="random_state"):
        model.merge(make(FourierRidgeRegressor, **DIFFERENT[what]).partial_fit(X, y))
    np.testing.assert_array_equal(model.predict(X), before)


def test_other_models_cannot_be_merged() -> None:
    X, y = rows(60, cls=FourierRidgeClassifier)
    model = learn(make(FourierRidgeClassifier), X, y)
    with pytest.raises(ValueError, match="landmarks"):
        one = learn(make(NystromRidgeClassifier), X, y)
        one.merge(learn(make(NystromRidgeClassifier, landmarks="random"), X, y))
    with pytest.raises(TypeError, match="its own class"):
        model.merge(learn(make(NystromRidgeClassifier), X, y))
    with pytest.raises(ValueError, match="with itself"):
        model.merge(model)
    with pytest.raises(ValueError, match="classes"):
        model.merge(make(FourierRidgeClassifier).partial_fit(X, y, classes=[0, 1, 2, 3]))
    with pytest.raises(ValueError, match="features"):
        model.merge(make(FourierRidgeClassifier).partial_fit(X[:, :3], y, classes=CLASSES))


# -- unlearning ------------------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("cls", LEARNERS)
def test_unlearned_rows_never_came(cls: Any, form: Any, intercept: bool) -> None:
    X, y = rows(900, cls=cls)
    w = np.random.default_rng(1).uniform(0.2, 2.0, 900)
    gone = np.random.default_rng(2).random(900) < 0.3
    settings: dict[str, Any] = {"intercept": intercept}
    if "Regressor" in cls.__name__:
        settings["scale_targets"] = False
    model = learn(make(cls, **settings), form(X), y, sample_weight=w)
    without = learn(make(cls, **settings), form(X[~gone]), y[~gone], sample_weight=w[~gone])
    seen = model.progress_
    assert model.unlearn(form(X[gone]), y[gone], sample_weight=w[gone]) is model
    assert_same(model, without)
    assert model.progress_ == seen
    more_X, more_y = rows(300, seed=8, cls=cls)
    assert_same(learn(model, more_X, more_y), learn(without, more_X, more_y))


def test_merging_and_unlearning_are_inverse() -> None:
    X, y = rows(2000)
    one, two = (
        make(FourierRidgeRegressor).partial_fit(X[s], y[s]) for s in (slice(900), slice(900, 2000))
    )
    before = copy.deepcopy(one)
    assert_same(one.merge(two).unlearn(X[900:], y[900:]), before)


def test_class_weights_of_a_dict_are_taken_back() -> None:
    X, y = rows(300, cls=FourierRidgeClassifier)
    settings = {"class_weight": {0: 3.0, 2: 0.5}}
    model = learn(make(FourierRidgeClassifier, **settings), X, y).unlearn(X[100:], y[100:])
    assert_same(model, learn(make(FourierRidgeClassifier, **settings), X[:100], y[:100]))


def test_all_rows_can_be_unlearned() -> None:
    X, y = rows(200)
    model = make(FourierRidgeRegressor, scale_targets=False).partial_fit(X, y)
    model.unlearn(X[::-1], y[::-1])
    assert (model.predict(X) == 0.0).all()
    again = make(FourierRidgeRegressor, scale_targets=False).partial_fit(X[:100], y[:100])
    assert_same(model.partial_fit(X[:100], y[:100]), again)


IMPOSSIBLE: dict[str, Any] = {
    "more rows": lambda X, y: (np.vstack([X, X]), np.r_[y, y], None, "rows are to be unlearned"),
    "more weight": lambda X, y: (X[:50], y[:50], np.full(50, 9.0), "of weight"),
    "no weight left": lambda X, y: (X[:50], y[:50], np.full(50, 4.0), "of weight"),
    "other features": lambda X, y: (X[:150] + 9.0, y[:150], None, "features would have a negative"),
    "other targets": lambda X, y: (X[:150], y[:150] * 9.0, None, "targets would have a negative"),
    "all, but others": lambda X, y: (X, y + 3.0, None, "but others"),
}


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_what_cannot_have_been_learned_is_an_error(case: str) -> None:
    X, y = rows(200)
    model = make(FourierRidgeRegressor).partial_fit(X, y)
    before, progress = model.predict(X), model.progress_
    gone_X, gone_y, weights, words = IMPOSSIBLE[case](X, y)
    with pytest.raises(ValueError, match=f"cannot be unlearned: .*{words}"):
        model.unlearn(gone_X, gone_y, sample_weight=weights)
    np.testing.assert_array_equal(model.predict(X), before)
    assert model.progress_ == progress
    assert_same(
        model.partial_fit(X, y), make(FourierRidgeRegressor).partial_fit(X, y).partial_fit(X, y)
    )


def test_unlearning_needs_to_know_the_weights(look_rows: int) -> None:
    X, y = rows(60, cls=FourierRidgeClassifier)
    with pytest.raises(ValueError, match="half_life"):
        learn(make(FourierRidgeClassifier, half_life=50.0), X, y).unlearn(X[:5], y[:5])
    with pytest.raises(ValueError, match="balanced"):
        learn(make(FourierRidgeClassifier, class_weight="balanced"), X, y).unlearn(X[:5], y[:5])
    few = slice(look_rows - 1)
    with pytest.raises(ValueError, match="has not learned yet"):
        learn(make(FourierRidgeClassifier), X[few], y[few]).unlearn(X[:5], y[:5])
