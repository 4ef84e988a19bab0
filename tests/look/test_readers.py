"""Readers in other threads during the first look: each sees the model after some row."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from tests.estimators.cases import learn_on, scores
from tests.look.streams import LOOK, default, pieces, stream
from tests.threads.test_readers import assert_each_is_one_of, reading

WAYS: dict[str, Any] = {
    "itself": lambda model: model,
    "pickle": lambda m: pickle.loads(pickle.dumps(m)),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["BSGDClassifier", "FOGDRegressor"])
def test_a_reader_sees_the_model_after_some_row(name: str, way: str) -> None:
    X, y = stream(name, rows=LOOK + 30)
    probe = X[:20]
    model, after = default(name), []
    for rows, targets in pieces(X, y, list(range(1, len(X)))):
        after.append(scores(learn_on(model, rows, targets), probe))
    model = learn_on(default(name), X[:1], y[:1])
    with (
        reading(lambda: scores(WAYS[way](model), probe)) as found,
        reading(lambda: scores(WAYS[way](model), probe)) as more,
    ):
        for rows, targets in pieces(X[1:], y[1:], list(range(3, len(X) - 1, 3))):
            learn_on(model, rows, targets)
    assert_each_is_one_of(found + more, np.array(after))
    np.testing.assert_allclose(scores(model, probe), after[-1], atol=1e-9)


def test_attributes_are_there_all_the_time() -> None:
    X, y = stream("AVMRegressor")
    model = learn_on(default("AVMRegressor"), X[:1], y[:1])
    with reading(lambda: (model.gamma_, model.diameter_, model.t_, model.progress_)) as found:
        for rows, targets in pieces(X[1:], y[1:], list(range(5, len(X) - 1, 5))):
            learn_on(model, rows, targets)
    assert all(isinstance(result, tuple) for result in found), found[-1]
    seen = [result[2] for result in found]
    assert seen == sorted(seen)
