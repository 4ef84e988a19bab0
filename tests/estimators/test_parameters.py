"""Parameters: a wrong value is refused by name, with what is allowed; get, set, clone."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import onkel
from onkel.estimators.parameters import Constraint
from tests.estimators.cases import (
    EVERY,
    ONLINE,
    assert_knows,
    data_for,
    knowledge,
    learn_on,
    learned,
    make,
    scores,
)


class Nothing:
    """Has no method that a part needs."""

    def __repr__(self) -> str:
        return "Nothing()"


def wrong_values(constraint: Constraint) -> Iterator[Any]:
    """Values that break the declared constraint, each in its own way."""
    yield from ("no such word", Nothing(), [1.0], 1j)
    if None not in constraint.one_of:
        yield None
    if not any(isinstance(word, bool) for word in constraint.one_of):
        yield True  # which Python takes for 1
    if constraint.kind is None:
        yield from (1, 0.5)
        return
    yield from (math.nan, math.inf, -math.inf, 10**400, np.array([1.0, 2.0]))
    if constraint.kind is int:
        yield 2.5
    unit = 1 if constraint.kind is int else 1e-9
    if constraint.above is not None:
        yield from (constraint.above, constraint.above - unit)
    if constraint.at_least is not None:
        yield constraint.at_least - unit
    if constraint.below is not None:
        yield from (constraint.below, constraint.below + unit)
    if constraint.at_most is not None:
        yield constraint.at_most + unit


def constrained(name: str) -> list[tuple[str, Constraint]]:
    fields = dataclasses.fields(getattr(onkel, name))
    return [(f.name, f.metadata["constraint"]) for f in fields if "constraint" in f.metadata]


CASES = [
    pytest.param(name, field, constraint, id=f"{name}-{field}")
    for name in EVERY
    for field, constraint in constrained(name)
]


def allowed_words(constraint: Constraint) -> list[str]:
    bounds = {">": constraint.above, ">=": constraint.at_least, "<": constraint.below,
              "<=": constraint.at_most}  # fmt: skip
    words = [repr(word) for word in constraint.one_of]
    words += [f"{sign} {bound:g}" for sign, bound in bounds.items() if bound is not None]
    words += ["a callable"] if constraint.or_callable else []
    return words + list(constraint.or_having)


@pytest.mark.parametrize(("name", "field", "constraint"), CASES)
def test_wrong_value_is_refused(name: str, field: str, constraint: Constraint) -> None:
    X, y = data_for(name)
    for wrong in wrong_values(constraint):
        model = make(name, **{field: wrong})
        with pytest.raises(ValueError) as error:
            learn_on(model, X, y)
        told = str(error.value)
        assert told.startswith(f"{field}={wrong!r} is not allowed in {name}"), told
        for word in allowed_words(constraint):
            assert word in told.split(" must be ")[1], (word, told)
        assert not hasattr(model, "n_features_in_") and not hasattr(model, "classes_")


@pytest.mark.parametrize("name", EVERY)
def test_wrong_value_leaves_the_model(name: str) -> None:
    model = learned(name)
    before = knowledge(model)
    good = model.gamma
    with pytest.raises(ValueError, match="gamma=-1"):
        model.set_params(gamma=-1).fit(*data_for(name, seed=2))
    assert_knows(model.set_params(gamma=good), before)


@pytest.mark.parametrize("wrong", ["seed", -1, 1.5, 2**32, np.random.default_rng(0)])
@pytest.mark.parametrize("name", EVERY)
def test_wrong_random_state(name: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=f"random_state=.* is not allowed in {name}.*RandomState"):
        learn_on(make(name, random_state=wrong), *data_for(name))


COMBINATIONS = [
    ("AVMClassifier", {"kernel": "laplacian"}, "kernel='laplacian'.*'rbf'"),
    ("BSGDClassifier", {"kernel": "linear"}, "kernel='linear'.*merging.*'rbf'"),
    ("BSGDClassifier", {"kernel": np.dot}, "kernel=.*dot.*merging.*'rbf'"),
    ("FOGDClassifier", {"kernel": "polynomial"}, "kernel='polynomial'.*'rbf', 'laplacian', 'mat"),
    ("FOGDClassifier", {"kernel": np.dot}, "kernel=.*dot.*'rbf', 'laplacian', 'matern32'"),
    ("FOGDClassifier", {"kernel": "laplacian", "orthogonal": True}, "orthogonal=True needs.*'rbf'"),
    ("OGDClassifier", {"step": 2.0, "regularization": 0.5}, "step=2.0.*regularization=0.5"),
    ("NORMARegressor", {"step": 2.0, "regularization": 0.5}, "step=2.0.*regularization=0.5"),
    ("SPAOneClass", {"sampling": 1.0, "loss_cap": 2.0}, "sampling=1.0.*loss_cap=2.0"),
    ("ProjectronPPClassifier", {"budget": None, "tolerance": 0.0}, "U='auto'.*tolerance is 0"),
    (
        "ComposedClassifier",
        {"budget": onkel.budgets.Spheres(0.5, 0, False, 0.0, 1.0), "kernel": "linear"},
        "budget=Spheres.*Euclidean.*Linear.*'rbf'",
    ),
]


@pytest.mark.parametrize(("name", "settings", "says"), COMBINATIONS)
def test_values_that_do_not_go_together(name: str, settings: dict[str, Any], says: str) -> None:
    model = make(name, **settings)
    with pytest.raises(ValueError, match=says):
        learn_on(model, *data_for(name))
    assert not hasattr(model, "n_features_in_")


def test_odm_is_for_two_classes() -> None:
    X, _ = data_for("OGDClassifier")
    with pytest.raises(ValueError, match=r"loss='odm' is for two classes, got 3.*CSVRG"):
        make("OGDClassifier", loss="odm").fit(X, np.arange(60) % 3)


@pytest.mark.parametrize("name", EVERY)
def test_get_and_set_params(name: str) -> None:
    model = make(name, gamma=0.7)
    assert model.get_params()["gamma"] == 0.7
    assert set(model.get_params()) == {f.name for f in dataclasses.fields(model)}
    assert f"{name}(" in repr(model) and "gamma=0.7" in repr(model)
    with pytest.raises(ValueError, match="Invalid parameter 'gama'"):
        model.set_params(gama=1.0)
    with pytest.raises(TypeError):
        getattr(onkel, name)(0.5)
    before = model.get_params()
    learn_on(model, *data_for(name))
    assert model.get_params() == before


@pytest.mark.parametrize("name", EVERY)
def test_clones_are_independent(name: str) -> None:
    model = learned(name)
    before = knowledge(model)
    other = clone(model)
    assert not hasattr(other, "n_features_in_")
    learn_on(other, *data_for(name, seed=5))
    assert_knows(model, before)


@pytest.mark.parametrize(
    ("value", "boolean"),
    [(np.True_, True), (1, True), (1.0, True), (np.False_, False), (0, False), (0.0, False)],
)
@pytest.mark.parametrize("name", ["OGDClassifier", "FOGDRegressor", "NOGDClassifier"])
def test_average_is_a_share_and_booleans_are_all_or_none(
    name: str, value: Any, boolean: bool
) -> None:
    X, y = data_for(name)
    model = learn_on(make(name, average=value), X, y)
    same = learn_on(make(name, average=boolean), X, y)
    np.testing.assert_array_equal(scores(model, X), scores(same, X))
    assert model._machine.parts.average == float(boolean)
    assert model.get_params()["average"] is value


def test_the_larger_the_share_the_farther_from_the_last_iterate() -> None:
    X, y = data_for("OGDClassifier")
    at = [
        scores(learn_on(make("OGDClassifier", average=share), X, y), X)
        for share in (0.0, 0.01, 0.3, 0.6, 0.99)
    ]
    apart = [float(np.abs(at[0] - other).max()) for other in at[1:]]
    assert apart[0] <= 2 * 0.2  # the mean of one or two iterates, each a step of 0.2 away
    assert apart == sorted(apart) and apart[-1] > 2 * apart[0]


@pytest.mark.parametrize("name", ONLINE)
def test_params_set_in_mid_stream_start_with_the_next_fit(name: str) -> None:
    model, same = learned(name), learned(name)
    X, y = data_for(name, seed=6)
    model.set_params(gamma=3.0)
    assert_knows(learn_on(model, X, y), knowledge(learn_on(same, X, y)))
    assert model.fit(X, y).gamma_ == 3.0
