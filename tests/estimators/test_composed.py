"""Learners put together by hand: parts that do not fit are refused, parts that do are fitted."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from onkel import AVMClassifier, BSGDClassifier, ComposedClassifier, NBSGDClassifier
from onkel.budgets import (
    Boxes,
    DropOldest,
    DropRandomUnbiased,
    Explicit,
    ProjectNewest,
    Sometimes,
    Unbounded,
    merging,
)
from onkel.losses import Hinge
from onkel.model.questions import absorb
from onkel.rules import DecreasingStep


class Around(NamedTuple):
    """A budget of a user's that leaves all to another one."""

    budget: Any

    def absorb(self, model, workspace, instance, step):
        absorb(self.budget, model, workspace, instance, step)


@pytest.fixture(scope="module")
def stream() -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(300, 2))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


@pytest.mark.parametrize("size", [-5, -1, 0, 2.5])
def test_a_budget_of_no_size_is_refused(size: Any, stream: tuple) -> None:
    with pytest.raises(ValueError, match="size must be an integer of at least 1"):
        ComposedClassifier(budget=DropOldest(size)).fit(*stream)


def test_what_makes_up_for_a_vector_needs_another_one(stream: tuple) -> None:
    with pytest.raises(ValueError, match="size must be an integer of at least 2"):
        ComposedClassifier(budget=DropRandomUnbiased(1, 1.0)).fit(*stream)


def test_a_budget_of_explicit_features_is_refused(stream: tuple) -> None:
    with pytest.raises(ValueError, match=r"budget=Explicit\(\) is for explicit features"):
        ComposedClassifier(budget=Explicit()).fit(*stream)


def test_a_class_that_is_no_tuple_is_refused(stream: tuple) -> None:
    class Loss:
        def value(self, m: float) -> float:
            return m

        slope = value

    with pytest.raises(ValueError, match=r"loss must be .* a NamedTuple with value and slope"):
        ComposedClassifier(loss=Loss()).fit(*stream)


def test_boxes_are_boxes(stream: tuple) -> None:
    common: dict[str, Any] = {"gamma": 0.3, "random_state": 0}
    boxes = Boxes(0.5, 0, False, 0.0, 1.0)
    mine = ComposedClassifier(loss=Hinge(), rule=DecreasingStep(0.1), budget=boxes, **common)
    named = AVMClassifier(
        cells="box",
        diameter=np.sqrt(2.0),
        regularization=0.1,
        first_step=None,
        average=False,
        **common,
    )
    mine.fit(*stream)
    named.fit(*stream)
    np.testing.assert_allclose(mine.support_vectors_, named.support_vectors_, atol=1e-12)
    np.testing.assert_allclose(mine.dual_coef_, named.dual_coef_, rtol=1e-9)


@pytest.mark.parametrize("rate", [None, 100.0])
def test_merging_takes_the_gamma_of_the_kernel(rate: float | None, stream: tuple) -> None:
    """Also where it is wrapped: then it is NBSGD."""
    common: dict[str, Any] = {"gamma": 0.3, "random_state": 0}
    named: dict[str, Any] = {"regularization": 0.1, "average": False, "maintenance": "merging"}
    named["first_step"] = None
    if rate is None:
        expected = BSGDClassifier(budget=20, **named, **common).fit(*stream)
        budget: Any = merging(20)
    else:
        expected = NBSGDClassifier(budget=20, maintenance_rate=rate, **named, **common).fit(*stream)
        budget = Sometimes(merging(20)._replace(gamma=7.0), rate)
    model = ComposedClassifier(rule=DecreasingStep(0.1), budget=budget, **common).fit(*stream)
    np.testing.assert_array_equal(model.dual_coef_, expected.dual_coef_)
    np.testing.assert_array_equal(model.support_vectors_, expected.support_vectors_)


def test_boxes_are_boxes_inside_another_budget(stream: tuple) -> None:
    """A budget of a user around cells that are cubes: the wrapper declares what they do."""
    boxes = Boxes(0.5, 0, False, 0.0, 1.0)
    common: dict[str, Any] = {"rule": DecreasingStep(0.1), "gamma": 0.3, "random_state": 0}
    plain = ComposedClassifier(budget=boxes, **common).fit(*stream)
    wrapped = ComposedClassifier(budget=Around(boxes), **common).fit(*stream)
    np.testing.assert_array_equal(wrapped.support_vectors_, plain.support_vectors_)
    np.testing.assert_allclose(wrapped.dual_coef_, plain.dual_coef_)


@pytest.mark.parametrize(
    "inner",
    [
        Unbounded(),
        Boxes(0.5, 0, False, 0.0, 1.0),
        ProjectNewest(9, 0.0, -1.0, 1e-10),
        Sometimes(DropOldest(5), 10.0),
    ],
    ids=lambda inner: type(inner).__name__,
)
def test_what_has_no_size_cannot_grow_beyond_it(inner: Any, stream: tuple) -> None:
    with pytest.raises(ValueError, match=r"budget=Sometimes.*has no size to go beyond"):
        ComposedClassifier(budget=Sometimes(inner, 10.0)).fit(*stream)


@pytest.mark.parametrize("budget", [merging(9), Sometimes(merging(9), 10.0), Around(merging(9))])
def test_merging_needs_the_gaussian_kernel(budget: Any, stream: tuple) -> None:
    with pytest.raises(ValueError, match=r"budget=.* needs .*kernel"):
        ComposedClassifier(budget=budget, kernel="laplacian").fit(*stream)


def test_any_budget_may_act_sometimes(stream: tuple) -> None:
    budget = Sometimes(DropOldest(20), 100.0)
    assert ComposedClassifier(budget=budget, gamma=0.3, random_state=0).fit(*stream).n_support_ > 20


@pytest.mark.parametrize("loss", ["squared_hinge", "odm"])
def test_curved_losses_do_not_diverge_by_default(loss: str, stream: tuple) -> None:
    model = BSGDClassifier(loss=loss, gamma=0.5, random_state=0).fit(*stream)
    assert model.score(*stream) > 0.8
    assert model.progress_.loss < 1e3


def test_too_long_steps_are_an_error(stream: tuple) -> None:
    steps = {"regularization": 1e-4, "first_step": None}
    model = BSGDClassifier(loss="squared_hinge", random_state=0, **steps)
    with pytest.raises(ValueError, match="diverged"):
        model.fit(*stream)
