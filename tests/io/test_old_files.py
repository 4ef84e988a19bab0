"""Models saved by this and by former versions still load, predict the same, and learn on."""

from __future__ import annotations

import numpy as np
import pytest

from onkel.io import load_with_extras
from tests.io.make_models import FOLDER, ROWS, stream

FILES = sorted(path.name for path in FOLDER.glob("*.onkel"))


def test_there_are_files_of_the_first_version():
    assert {"classifier_1.onkel", "regressor_1.onkel"} <= set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_old_files_load(name):
    model, extras = load_with_extras(FOLDER / name)
    classifies = hasattr(model, "classes_")
    scores = (model.decision_function if classifies else model.predict)(ROWS)
    np.testing.assert_allclose(scores, extras["expected"], rtol=1e-6, atol=1e-9)
    X, y = stream(1)
    assert model.t_ == 150
    model.partial_fit(X, np.where(y > 0, "same", "other") if classifies else y)
    assert model.t_ == 300
