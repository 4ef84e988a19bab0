"""What a model tells of itself in a notebook."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import config_context
from sklearn.datasets import make_moons
from sklearn.preprocessing import StandardScaler

from onkel import (
    AVMClassifier,
    CSVRGClassifier,
    FOGDClassifier,
    FOGDRegressor,
    SPAOneClass,
    make_stream_pipeline,
)
from onkel.drift import DriftAware
from onkel.estimators import look

X, Y = make_moons(200, noise=0.1, random_state=0)
AVM = {"diameter": 0.5, "gamma": 2.0, "random_state": 0}


def told(model: Any) -> list[str]:
    """What it says of itself, which stands in the plain text and below the diagram."""
    bundle = model._repr_mimebundle_()
    plain, html = bundle["text/plain"], bundle["text/html"]
    assert plain.startswith(repr(model)) and "sk-container" in html
    lines = [line[2:] for line in plain[len(repr(model)) :].splitlines() if line]
    assert all(line.replace("'", "&#x27;") in html for line in lines)
    assert model._repr_html_().endswith(html[html.rindex("<p ") :])
    return lines


def test_size_and_progress_of_a_classifier() -> None:
    model = AVMClassifier(**AVM)
    assert told(model)[1:] == ["It has learned nothing yet."]
    model.fit(X, Y)
    what, size, seen = told(model)
    assert what.startswith("Approximation vector machine: kernel SGD")
    assert size == f"{model.n_support_} vectors (2 columns, 2 classes)."
    rate = model.progress_.mistake_rate
    assert seen == f"200 rows seen, {rate:.2%} mistaken before they were learned."


def test_rows_of_the_look_are_counted_without_learning_them() -> None:
    model = FOGDClassifier(random_state=0).partial_fit(X[:3], Y[:3], classes=[0, 1])
    assert told(model)[1].startswith(f"3 rows so far, kept until there are {look.LOOK_ROWS}")
    assert "_machine" not in vars(model)


def test_features_errors_and_outliers() -> None:
    regressor = FOGDRegressor(gamma=2.0, n_components=30, random_state=0).fit(X[:, :1], 5 * X[:, 0])
    error = np.sqrt(regressor.progress_.squared_error)
    assert told(regressor)[1] == "60 features (1 column)."
    assert f"root mean squared error of {error:.4g} before" in told(regressor)[2]
    assert told(SPAOneClass(gamma=2.0, random_state=0).fit(X))[2] == "200 rows seen."


def test_batch_learners_pipelines_and_watched_learners() -> None:
    assert len(told(CSVRGClassifier(diameter=0.5, random_state=0))) == 2
    assert "vectors" in told(CSVRGClassifier(diameter=0.5, random_state=0).fit(X, Y))[1]
    pipe = make_stream_pipeline(StandardScaler(), AVMClassifier(**AVM)).fit(X, Y)
    assert told(pipe) == told(pipe[-1])
    assert told(DriftAware(AVMClassifier(**AVM)))[1] == "It has learned nothing yet."
    watched = DriftAware(FOGDClassifier(gamma=2.0, n_components=50, random_state=0))
    watched.fit(np.vstack([X] * 10), np.concatenate([Y] * 5 + [1 - Y] * 5))
    assert "2,000 rows seen" in told(watched)[2] and "took over" in told(watched)[2]


def test_where_scikit_learn_draws_no_diagram_neither_do_we() -> None:
    with config_context(display="text"):
        assert list(AVMClassifier()._repr_mimebundle_()) == ["text/plain"]
        with pytest.raises(AttributeError):
            _ = AVMClassifier()._repr_html_
