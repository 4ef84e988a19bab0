"""scikit-learn's pipelines that end in a model of onkel, converted by skl2onnx."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import skl2onnx
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from onkel import FOGDClassifier, FOGDRegressor, Nystrom, OGDClassifier, RandomFourier, SPAOneClass
from onkel.drift import DriftAware
from onkel.io import NotExportable, register_onnx_converters
from onkel.stream import Scaler
from tests.io.onnx_answers import assert_near, said, session_of, single

random = np.random.default_rng(0)
X = random.uniform(-1, 1, (120, 4)).astype(np.float32).astype(float)
Y = np.sin(3 * X[:, 0]) + X[:, 1]
TENSORS = {"zipmap": False}


@pytest.fixture(scope="module", autouse=True)
def registered() -> None:
    register_onnx_converters()
    register_onnx_converters()  # once more changes nothing


def answers(pipeline: Any, options: Any = None) -> dict[str, np.ndarray]:
    made = skl2onnx.to_onnx(pipeline, single(X[:1]), options=options)
    session = session_of(made)
    assert all(len(each) == 0 for each in said(session, X[:0]).values())
    return said(session, X)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("words", [False, True])
def test_classifiers(classes: int, words: bool) -> None:
    y = np.digitize(Y, [0.0] if classes == 2 else [-0.5, 0.5])
    y = np.array(["a", "b", "c"])[y] if words else y
    pipeline = make_pipeline(StandardScaler(), PCA(3), FOGDClassifier(n_components=20)).fit(X, y)
    found = answers(pipeline, {FOGDClassifier: TENSORS})
    assert np.array_equal(found["label"], pipeline.predict(X))
    assert_near(found["probabilities"], pipeline.predict_proba(X), 1e-5)


def test_by_default_there_is_a_dict_a_row_as_of_any_classifier() -> None:
    y = np.where(Y > 0, "up", "down")
    pipeline = make_pipeline(StandardScaler(), FOGDClassifier(n_components=20)).fit(X, y)
    label, probabilities = session_of(skl2onnx.to_onnx(pipeline, single(X[:1]))).run(
        None, {"X": single(X)}
    )
    assert np.array_equal(label, pipeline.predict(X))
    assert probabilities[0].keys() == {"up", "down"}


def test_scores_instead_of_probabilities() -> None:
    model = OGDClassifier(probabilities=False).fit(X, Y > 0)
    found = answers(model, {OGDClassifier: TENSORS | {"raw_scores": True}})
    assert_near(found["probabilities"][:, 1], model.decision_function(X), 1e-5)
    with pytest.raises(NotExportable, match=r"learn it with probabilities=True, or convert"):
        answers(model, {OGDClassifier: TENSORS})


def test_regressors_outliers_and_watched_learners() -> None:
    regressor = make_pipeline(StandardScaler(), FOGDRegressor(n_components=20)).fit(X, Y)
    assert_near(answers(regressor)["variable"][:, 0], regressor.predict(X), 1e-5)
    outliers = make_pipeline(StandardScaler(), SPAOneClass(gamma=0.5)).fit(X)
    found = answers(outliers)
    assert_near(found["scores"][:, 0], outliers.decision_function(X), 1e-5)
    assert (found["label"] == outliers.predict(X)).mean() > 0.97
    watched = DriftAware(FOGDClassifier(n_components=20)).fit(X, Y > 0)
    found = answers(watched)
    assert np.array_equal(found["label"], watched.predict(X))
    assert_near(found["probabilities"], watched.predict_proba(X), 1e-5)


@pytest.mark.parametrize(
    "step",
    [Scaler("unit_variance"), Nystrom(n_components=30), RandomFourier(n_components=30)],
    ids=lambda step: type(step).__name__,
)
def test_transformers_before_others(step: Any) -> None:
    pipeline = make_pipeline(step, LogisticRegression()).fit(X, Y > 0)
    found = answers(pipeline, {LogisticRegression: TENSORS})
    assert_near(found["probabilities"], pipeline.predict_proba(X), 1e-5)
