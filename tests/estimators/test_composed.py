"""Learners put together by hand: parts that do not fit are refused, parts that do are fitted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onkel import AVMClassifier, BSGDClassifier, ComposedClassifier
from onkel.budgets import Boxes, DropOldest, Sometimes, merging
from onkel.losses import Hinge
from onkel.rules import DecreasingStep


@pytest.fixture(scope="module")
def stream() -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(300, 2))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


@pytest.mark.parametrize("size", [-5, -1, 0, 2.5])
def test_a_budget_of_no_size_is_refused(size: Any, stream: tuple) -> None:
    with pytest.raises(ValueError, match="size must be an integer of at least 1"):
        ComposedClassifier(budget=DropOldest(size)).fit(*stream)


def test_a_class_that_is_no_tuple_is_refused(stream: tuple) -> None:
    class Loss:
        def value(self, m: float) -> float:
            return m

        slope = value

    with pytest.raises(ValueError, match=r"loss must be .* a NamedTuple with the methods"):
        ComposedClassifier(loss=Loss()).fit(*stream)


def test_boxes_are_boxes(stream: tuple) -> None:
    common: dict[str, Any] = {"gamma": 0.3, "random_state": 0}
    boxes = Boxes(0.5, 0, False, 0.0, 1.0)
    mine = ComposedClassifier(loss=Hinge(), rule=DecreasingStep(0.1), budget=boxes, **common)
    named = AVMClassifier(
        cells="box", diameter=np.sqrt(2.0), regularization=0.1, average=False, **common
    )
    mine.fit(*stream)
    named.fit(*stream)
    np.testing.assert_allclose(mine.support_vectors_, named.support_vectors_, atol=1e-12)
    np.testing.assert_allclose(mine.dual_coef_, named.dual_coef_, rtol=1e-9)


def test_merging_takes_the_gamma_of_the_kernel(stream: tuple) -> None:
    settings: dict[str, Any] = {"rule": DecreasingStep(0.1), "gamma": 0.3, "random_state": 0}
    right = ComposedClassifier(budget=merging(20, 0.3), **settings).fit(*stream)
    wrong = ComposedClassifier(budget=merging(20, 3.0), **settings).fit(*stream)
    np.testing.assert_array_equal(right.dual_coef_, wrong.dual_coef_)


def test_any_budget_may_act_sometimes(stream: tuple) -> None:
    budget = Sometimes(DropOldest(20), 100.0)
    assert ComposedClassifier(budget=budget, gamma=0.3, random_state=0).fit(*stream).n_support_ > 20


@pytest.mark.parametrize("loss", ["squared_hinge", "odm"])
def test_curved_losses_do_not_diverge_by_default(loss: str, stream: tuple) -> None:
    model = BSGDClassifier(loss=loss, gamma=0.5, random_state=0).fit(*stream)
    assert model.score(*stream) > 0.8
    assert model.progress_.loss < 1e3


def test_too_long_steps_are_an_error(stream: tuple) -> None:
    model = BSGDClassifier(loss="squared_hinge", regularization=1e-4, random_state=0)
    with pytest.raises(ValueError, match="diverged"):
        model.fit(*stream)
