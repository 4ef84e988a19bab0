"""A loss is the same by its name and as a part: one model, one refusal."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
import pytest

import onkel
from onkel.losses import (
    L1,
    L2,
    EpsilonInsensitive,
    Hinge,
    Logistic,
    Odm,
    SmoothHinge,
    SquaredHinge,
    declares,
)
from tests.estimators.cases import EVERY, composition, data_for, make, scores

#: Names, and parts of the same parameters as the learners' defaults (epsilon is given: 0.1).
PARTS: dict[str, Any] = {
    "hinge": Hinge(),
    "squared_hinge": SquaredHinge(),
    "smooth_hinge": SmoothHinge(0.5),
    "logistic": Logistic(),
    "odm": Odm(0.2, 0.5),
    "l1": L1(),
    "l2": L2(),
    "epsilon_insensitive": EpsilonInsensitive(0.1),
}


@pytest.mark.parametrize(
    ("name", "loss", "words"),
    [
        ("BSGDRegressor", Hinge(), r"loss=Hinge\(\) is a loss of a margin.*sees a residual.*L2"),
        ("ComposedRegressor", SquaredHinge(), "of a margin"),
        ("BSGDClassifier", L2(), "loss=L2.* is a loss of a residual.*sees a margin.*Hinge"),
        ("FOGDClassifier", EpsilonInsensitive(0.1), "of a residual"),
        ("ComposedClassifier", L1(), "of a residual"),
    ],
)
def test_a_loss_of_the_other_task_is_refused(name: str, loss: Any, words: str) -> None:
    X, y = data_for(name)
    with pytest.raises(ValueError, match=words):
        make(name, loss=loss).fit(X, y)


def names_of_losses(name: str) -> list[str]:
    """The losses that a learner takes by name."""
    fields = {field.name: field for field in dataclasses.fields(getattr(onkel, name))}
    if "loss" not in fields:
        return []
    constraint = fields["loss"].metadata["constraint"]
    return [word for word in constraint.one_of if word is not None] if constraint.or_having else []


CASES = [(name, loss) for name in EVERY for loss in names_of_losses(name)]


def test_there_are_cases() -> None:
    assert {loss for _, loss in CASES} == set(PARTS)
    assert {"AVMClassifier", "BSGDRegressor", "OSKLClassifier"} < {name for name, _ in CASES}


@pytest.mark.parametrize(("name", "loss"), CASES)
def test_a_loss_by_name_is_its_part(name: str, loss: str) -> None:
    # The number of rows decides the automatic regularization, and targets in thousands its unit.
    X, y = data_for(name, n_rows=100)
    if y is not None and y.dtype.kind == "f":
        y = 1000 * y
    chosen = {"regularization": "auto"} if "regularization" in make(name).get_params() else {}
    if name.startswith(("OGD", "BOGD")):
        chosen = {"step": 0.01}
    by_name, by_part = (make(name, loss=one, **chosen) for one in (loss, PARTS[loss]))
    assert composition(by_name, X, y) == composition(by_part, X, y)


@pytest.mark.parametrize(
    ("name", "loss"), [("BSGDClassifier", "squared_hinge"), ("AVMRegressor", "l2")]
)
def test_a_loss_by_name_learns_as_its_part(name: str, loss: str) -> None:
    X, y = data_for(name, n_rows=100)
    by_name, by_part = (
        make(name, loss=one, regularization="auto").fit(X, y) for one in (loss, PARTS[loss])
    )
    np.testing.assert_array_equal(scores(by_name, X), scores(by_part, X))


def test_a_curved_part_does_not_step_too_far() -> None:
    X, y = data_for("BSGDClassifier", n_rows=500)
    model = onkel.BSGDClassifier(loss=SquaredHinge(), random_state=0).fit(X, y)
    assert model._machine.parts.rule.regularization == 0.3
    assert model.progress_.loss < 10


@pytest.mark.parametrize("loss", ["odm", Odm(0.2, 0.5)])
@pytest.mark.parametrize("name", ["OGDClassifier", "BSGDClassifier", "ComposedClassifier"])
def test_what_needs_two_classes_is_refused_for_three(name: str, loss: Any) -> None:
    if name == "ComposedClassifier" and loss == "odm":
        loss = Odm(0.1, 0.5)
    X, _ = data_for(name)
    model = make(name, loss=loss)
    with pytest.raises(ValueError, match=r"loss=.*(odm|Odm).* is for two classes, got 3.*CSVRG"):
        model.fit(X, np.arange(60) % 3)
    assert not hasattr(model, "classes_")


class Plain(NamedTuple):
    """A loss that declares nothing."""

    def value(self, m: float) -> float:
        return max(0.0, 1.0 - m)

    def slope(self, m: float) -> float:
        return -1.0 if m < 1.0 else 0.0


class PlainSquare(NamedTuple):
    """A user's loss that declares that it is curved."""

    curved = True

    def value(self, m: float) -> float:
        return max(0.0, 1.0 - m) ** 2

    def slope(self, m: float) -> float:
        return -2.0 * max(0.0, 1.0 - m)


def test_losses_that_declare_nothing_have_the_usual_answers() -> None:
    assert declares(Plain(), "curved") is False
    assert declares(Plain(), "needs_two_classes") is False
    assert declares(Plain(), "unit_slope") is False
    assert declares(Plain(), "curvature") is None
    assert declares(Plain(), "solution_norm") is None
    with pytest.raises(KeyError):
        declares(Plain(), "colour")


def test_a_users_loss_may_declare() -> None:
    X, y = data_for("BSGDClassifier", n_rows=100)
    own = make("BSGDClassifier", loss=PlainSquare(), regularization="auto").fit(X, y)
    same = make("BSGDClassifier", loss="squared_hinge", regularization="auto").fit(X, y)
    np.testing.assert_allclose(scores(own, X), scores(same, X), rtol=1e-9)


@pytest.mark.parametrize("loss", [part for part in PARTS.values() if declares(part, "curvature")])
def test_declared_curvature_bounds_the_slopes(loss: Any) -> None:
    m = np.linspace(-5, 5, 2001)
    slopes = np.array([loss.slope(float(at)) for at in m])
    steepest = np.abs(np.diff(slopes) / np.diff(m)).max()
    assert steepest <= loss.curvature * (1 + 1e-9)
    assert steepest > 0.98 * loss.curvature


@pytest.mark.parametrize("loss", PARTS.values(), ids=list(PARTS))
def test_declared_growth(loss: Any) -> None:
    """Curved losses have slopes without bound; those of unit slope no others than -1, 0 and 1."""
    slopes = {abs(loss.slope(m)) for m in (-1e6, -7.0, 0.3, 7.0, 1e6)}
    assert declares(loss, "curved") == (max(slopes) > 1e5)
    assert declares(loss, "unit_slope") == (slopes <= {0.0, 1.0} and has_no_slope_between(loss))


def has_no_slope_between(loss: Any) -> bool:
    """Slopes between 0 and 1 near the kink tell a rounded loss from one with a kink."""
    return all(abs(loss.slope(1.0 - small)) in (0.0, 1.0) for small in (1e-3, 0.01, 0.1))
