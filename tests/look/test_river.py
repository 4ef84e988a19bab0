"""Models of river go through the whole look row by row: the same answers, and no model made anew for each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onkel.estimators.look import LOOK_ROWS, FirstRows
from tests.river.streams import dicts, make, make_learner, rows, said_by, targets

N = LOOK_ROWS + 40


@pytest.mark.parametrize("name", ["FOGDClassifier", "BSGDRegressor"])
def test_row_by_row_through_the_look(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """After 100 rows, and after all, the model is that of ``partial_fit``; about one is made for each doubling."""
    made: list[int] = []
    composed = FirstRows.composed

    def counted(look: FirstRows, learner: Any, count: int) -> Any:
        made.append(count)
        return composed(look, learner, count)

    X = rows(N)
    y, model = targets(name, X), make(name)
    whole, begun = (
        make_learner(name).partial_fit(X, y),
        make_learner(name).partial_fit(X[:100], y[:100]),
    )
    expected = said_by(begun, X)
    monkeypatch.setattr(FirstRows, "composed", counted)
    for i, (x, label) in enumerate(zip(dicts(X), y)):
        model.predict_one(x)
        if i == 100:
            np.testing.assert_allclose(said_by(model.learner_, X), expected, rtol=1e-9, atol=1e-9)
        model.learn_one(x, label.item())
    assert made == [2**k for k in range(10)]
    np.testing.assert_allclose(said_by(model.learner_, X), said_by(whole, X), rtol=1e-9, atol=1e-9)
