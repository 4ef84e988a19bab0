"""Models saved by this and by former versions still load, predict the same, and learn on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from onkel.io import load_with_extras
from tests.io import model_cases

FOLDER = Path(__file__).parent / "models"
OLDEST = ("classifier_1", "regressor_1")
FIRST_VERSION = sorted(path.stem for path in (FOLDER / "version_1").glob("*.onkel"))
#: Their maintenance shared its draws with sampling rules, and has some of its own since: what these
#: learn on differs from what was written down, and is not compared with it.
DRAWS_CHANGED = ("NBSGDClassifier", "NBSGDRegressor")
#: What another processor may round otherwise.
CLOSE = {"float64": {"rtol": 1e-10, "atol": 1e-12}, "float32": {"rtol": 1e-4, "atol": 1e-5}}


def learn(model: Any, X: Any, y: np.ndarray) -> Any:
    """Learn on; who can only learn all at once does so."""
    if not hasattr(model, "partial_fit"):
        return model.fit(X, y)
    first = type(model).__name__.endswith("Classifier") and not hasattr(model, "classes_")
    return model.partial_fit(X, y, **{"classes": np.unique(y)} if first else {})


def scores(model: Any, X: Any) -> np.ndarray:
    ask = model.decision_function if hasattr(model, "decision_function") else model.predict
    return np.asarray(ask(X))


def test_no_file_of_the_first_version_is_gone():
    assert len(FIRST_VERSION) == 78


@pytest.mark.parametrize("name", FIRST_VERSION)
def test_files_of_the_first_version(name):
    model, extras = load_with_extras(FOLDER / "version_1" / f"{name}.onkel")
    close = CLOSE[extras["probes"].dtype.name]
    np.testing.assert_allclose(scores(model, extras["probes"]), extras["scores"], **close)
    if hasattr(model, "partial_fit"):
        learn(model, extras["more_X"], extras["more_y"])
        found = scores(model, extras["probes"])
        assert model.t_ == model_cases.CASES[name].rows + model_cases.MORE_ROWS
        if name not in DRAWS_CHANGED:
            np.testing.assert_allclose(found, extras["scores_after"], **close)
        assert not np.allclose(found, extras["scores"], **close), "it learned nothing"


@pytest.mark.parametrize("name", OLDEST)
def test_the_oldest_files(name):
    model, extras = load_with_extras(FOLDER / f"{name}.onkel")
    rows = np.array([[0.1, -0.2], [0.8, 0.5], [-0.6, 0.3], [0.0, 0.9]])
    np.testing.assert_allclose(scores(model, rows), extras["expected"], rtol=1e-6, atol=1e-9)
    X = np.random.default_rng(1).uniform(-1, 1, size=(150, 2)).round(3)
    y = X[:, 0] * X[:, 1]
    assert model.t_ == 150
    model.partial_fit(X, np.where(y > 0, "same", "other") if hasattr(model, "classes_") else y)
    assert model.t_ == 300


def test_models_from_before_there_were_probabilities_say_so():
    model, extras = load_with_extras(FOLDER / "version_1" / "FOGDClassifier.onkel")
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError) as error:
        _ = model.predict_proba
    assert "by a version of onkel without them. Learn it anew" in str(error.value.__cause__)
    learn(model, extras["more_X"], extras["more_y"])
    assert not hasattr(model, "predict_proba")
    assert model.fit(extras["more_X"], extras["more_y"]).predict_proba(extras["probes"]).all()
    model, extras = load_with_extras(FOLDER / "version_1" / "FOGDRegressor.onkel")
    with pytest.raises(ValueError, match="by a version of onkel without intervals: learn it anew"):
        model.predict_interval(extras["probes"])
