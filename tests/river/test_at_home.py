"""In river's pipelines, evaluations, selections, ensembles; Fourier features."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpydoc.validate import validate
from river import (
    anomaly,
    compose,
    datasets,
    drift,
    ensemble,
    evaluate,
    feature_extraction,
    linear_model,
    metrics,
    model_selection,
    optim,
    preprocessing,
)

from onkel import river

SMALL = {"n_components": 30, "seed": 0}


def accuracy(model: Any) -> float:
    stream = datasets.Phishing().take(600)
    return evaluate.progressive_val_score(stream, model, metrics.Accuracy()).get()


def test_pipeline() -> None:
    model = preprocessing.StandardScaler() | river.FOGDClassifier(n_components=100, seed=0)
    assert accuracy(model) > 0.83
    assert accuracy(model.clone()) == accuracy(model.clone())


@pytest.mark.parametrize(
    "around",
    [
        lambda model: ensemble.BaggingClassifier(model, n_models=3, seed=0),
        lambda model: ensemble.ADWINBaggingClassifier(model, n_models=3, seed=0),
        lambda model: ensemble.AdaBoostClassifier(model, n_models=3, seed=0),
        lambda model: drift.DriftRetrainingClassifier(model, drift.binary.DDM()),
    ],
    ids=["bagging", "adwin bagging", "boosting", "drift"],
)
def test_around_a_model(around: Any) -> None:
    model = preprocessing.StandardScaler() | around(river.FOGDClassifier(**SMALL))
    assert accuracy(model) > 0.8


def test_selection() -> None:
    models = [river.FOGDRegressor(step=step, **SMALL) for step in (0.01, 0.5)]
    chosen = preprocessing.StandardScaler() | model_selection.SuccessiveHalvingRegressor(
        models, metric=metrics.MAE(), budget=400
    )
    score = evaluate.progressive_val_score(
        datasets.TrumpApproval().take(300), chosen, metrics.MAE()
    )
    assert score.get() < 3.0


def test_words() -> None:
    """One-hot words, of which new ones come."""
    model = compose.SelectType(str) | preprocessing.OneHotEncoder() | river.BSGDClassifier(seed=0)
    words = ["red", "green", "blue", "black"]
    for i in range(200):
        word = words[i % (1 + i // 50)]
        model.learn_one({"colour": word}, word in ("red", "blue"))
    assert [model.predict_one({"colour": word}) for word in words] == [True, False, True, False]


def test_filter_of_anomalies() -> None:
    detector = river.SPAOneClass(seed=0)
    assert detector.score_one({0: 9.0}) == 0.0  # nothing is odd yet
    model = anomaly.QuantileFilter(detector, q=0.95, protect_anomaly_detector=False)
    random = np.random.default_rng(0)
    for x in random.normal(size=(300, 2)).tolist():
        model.learn_one(dict(enumerate(x)))
    assert model.classify(model.score_one({0: 9.0, 1: 9.0}))
    assert not model.classify(model.score_one({0: 0.0, 1: 0.0}))


# -- Fourier features ---------------------------------------------------------------------------


def errors(transformer: Any, scale: float) -> np.ndarray:
    """How far inner products of features, times a scale, are from the kernel exp(-d²/2)."""
    X = np.random.default_rng(0).normal(size=(20, 3))
    Z = pd.DataFrame(
        [transformer.transform_one(dict(zip("abc", x))) for x in X.tolist()]
    ).to_numpy()
    squares = np.square(X[:, None] - X[None]).sum(axis=2)
    return np.abs(scale * Z @ Z.T - np.exp(-0.5 * squares))


def test_fourier_features_approximate_the_kernel() -> None:
    """And river's sampler does not, whatever its number of components and its scale."""
    for n_components in (1000, 4000):
        ours = errors(river.RandomFourier(gamma=0.5, n_components=n_components, seed=0), 1.0)
        assert ours.max() < 5.0 / math.sqrt(n_components)
        sampler = feature_extraction.RBFSampler(gamma=0.5, n_components=n_components, seed=0)
        scales = [scale / n_components for scale in (0.5, 2 / 3, 1.0, 2.0)]
        assert min(errors(sampler, scale).max() for scale in scales) > 0.3


def test_fourier_features_belong_to_names() -> None:
    early, late = river.RandomFourier(seed=3), river.RandomFourier(seed=3)
    late.transform_one({"z": 1.0, 7: 2.0})
    x = {"a": 0.5, "b": -1.0}
    assert late.transform_one(x) == pytest.approx(early.transform_one(x))
    assert early.transform_one(x) == pytest.approx(early.transform_one(x | {"c": 0.0}))
    assert early.transform_one(x) != river.RandomFourier(seed=4).transform_one(x)
    frame = late.transform_many(pd.DataFrame([x, {"a": 1.0, "b": 2.0}], index=[4, 9]))
    assert frame.loc[4].to_dict() == pytest.approx(late.transform_one(x))


def test_fourier_features_make_a_linear_model_a_kernel_machine() -> None:
    stream = [
        ({"a": a, "b": b}, a * b > 0)
        for a, b in np.random.default_rng(0).normal(size=(800, 2)).tolist()
    ]
    linear, metric = linear_model.LogisticRegression(), metrics.Accuracy()
    assert evaluate.progressive_val_score(stream, linear, metric).get() < 0.6
    kernel = river.RandomFourier(gamma=0.5, seed=0) | linear_model.LogisticRegression(
        optim.SGD(0.1)
    )
    assert evaluate.progressive_val_score(stream, kernel, metrics.Accuracy()).get() > 0.8


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"gamma": -1.0}, "gamma=-1.0 is not allowed"),
        ({"gamma": "scale"}, "no rows"),
        ({"n_components": 0}, "n_components=0 is not allowed"),
        ({"kernel": "linear"}, "kernel"),
    ],
)
def test_fourier_parameters(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        river.RandomFourier(**settings)
    with pytest.raises(ValueError, match="'a' is nan"):
        river.RandomFourier().transform_one({"a": math.nan})


# -- documentation, imports ---------------------------------------------------------------------


@pytest.mark.parametrize("name", river.__all__)
def test_documentation(name: str) -> None:
    """In numpydoc's form; a model has no extended summary nor relatives to name."""
    found = [validate(f"onkel.river.{name}")]
    cls = getattr(river, name)
    for method in ("learn_one", "predict_one", "score_one", "transform_one", "learn_many", "clone"):
        if getattr(getattr(cls, method, None), "__module__", "").startswith("onkel."):
            found.append(validate(f"onkel.river.{name}.{method}"))
    off = {"ES01", "SA01", "EX01"}
    assert not [error for report in found for error in report["errors"] if error[0] not in off]


def test_onkel_does_not_import_river() -> None:
    code = "import sys, onkel; onkel.FOGDClassifier; onkel.drift; sys.exit('river' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_memory_is_that_of_the_model_alone() -> None:
    """Not that of the compiler, which every compiled function refers to."""
    model = river.FOGDClassifier(n_components=10, seed=0)
    for x, y in datasets.Phishing().take(100):
        model.predict_one(x)
        model.learn_one(x, y)
    assert 1_000 < model._raw_memory_usage < 50_000
    assert model._memory_usage.endswith("KiB")
