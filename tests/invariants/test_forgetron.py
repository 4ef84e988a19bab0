"""The Forgetron's shrinking: in (0, 1], and the harm of forgetting stays within its allowance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onkel import ForgetronClassifier, ForgetronRegressor
from tests.invariants.streams import CLASSES, numbers, three_classes, two_classes

BUDGET, ROWS = 10, 400


def shrinks(model: Any, X: np.ndarray, y: np.ndarray, **first: Any) -> list[float]:
    """The factor that the coefficients of those that stayed got, at each drop."""
    found = []
    for i in range(len(y)):
        before = coefficients(model) if i else {}
        model.partial_fit(X[i : i + 1], y[i : i + 1], **first)
        after = coefficients(model)
        if len(before) == BUDGET and set(before) != set(after):
            kept = [b for b in after if b in before]
            factors = [after[b] / before[b] for b in kept if abs(before[b]) > 1e-200]
            assert min(before) not in after
            np.testing.assert_allclose(factors, factors[0], rtol=1e-9)
            found.append(factors[0])
        memory = model._fitted().model.budget_memory
        assert memory[0] <= 15 / 32 * memory[1] * (1 + 1e-9)  # Q: the harm done; M: the mistakes
    return found


def coefficients(model: Any) -> dict[int, float]:
    machine = model._fitted()
    coef = np.abs(model.dual_coef_).max(axis=0)
    return {int(b): c for b, c in zip(machine.model.born, coef, strict=False)}


@pytest.mark.parametrize("flipped", [0.1, 0.5])
def test_classification(flipped: float) -> None:
    X, y = two_classes(ROWS, flipped=flipped)
    found = shrinks(ForgetronClassifier(budget=BUDGET, gamma=1.0), X, y, classes=CLASSES)
    assert len(found) > 50
    assert 0 < min(found) <= max(found) <= 1
    assert min(found) < 0.999 or flipped < 0.5  # much to forget: it does shrink


def test_three_classes() -> None:
    X, y = three_classes(ROWS)
    found = shrinks(ForgetronClassifier(budget=BUDGET, gamma=1.0), X, y, classes=[0, 1, 2])
    assert len(found) > 50
    assert 0 < min(found) <= max(found) <= 1


def test_regression() -> None:
    X, y = numbers(ROWS)
    rules_of_the_paper = {"scale_targets": False, "intercept": False}  # no line over the scores
    model = ForgetronRegressor(budget=BUDGET, gamma=1.0, step=0.2, **rules_of_the_paper)
    found = shrinks(model, X, y)
    assert len(found) > 50
    assert 0 < min(found) <= max(found) <= 1
