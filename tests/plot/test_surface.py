"""The decision surface: what is drawn is what the model says, with its vectors and cells."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from sklearn.datasets import make_blobs, make_moons
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from onkel import AVMClassifier, AVMRegressor, FOGDClassifier, SPAOneClass
from onkel.plot import DecisionSurfaceDisplay
from onkel.plot.looks import COLOURS

X, Y = make_moons(200, noise=0.1, random_state=0)
SETTINGS = {"diameter": 0.5, "gamma": 2.0, "random_state": 0}
DRAW = DecisionSurfaceDisplay.from_estimator


@pytest.fixture(scope="module")
def model() -> AVMClassifier:
    return AVMClassifier(**SETTINGS).fit(X, Y)


def test_scores_vectors_cells_and_points_are_drawn(model: AVMClassifier) -> None:
    shown = DRAW(model, X, Y, resolution=20)
    grid = np.column_stack([shown.xx0.ravel(), shown.xx1.ravel()])
    np.testing.assert_array_equal(shown.response.ravel(), model.decision_function(grid))
    np.testing.assert_array_equal(shown.vectors_.get_offsets(), model.support_vectors_)
    assert len(shown.cells_.get_paths()) == model.n_support_
    assert [len(dots.get_offsets()) for dots in shown.points_] == [100, 100]
    assert shown.boundary_ is not None and shown.ax_.figure is shown.figure_
    assert len({to_hex(dots.get_facecolor()[0]) for dots in shown.points_}) == 2
    assert X[:, 0].min() > shown.ax_.get_xlim()[0] and X[:, 0].max() < shown.ax_.get_xlim()[1]


def test_a_ball_has_its_diameter_and_a_box_its_diagonal(model: AVMClassifier) -> None:
    ball = DRAW(model, X, resolution=10).cells - model.support_vectors_[:, None, :]
    np.testing.assert_allclose(np.linalg.norm(ball, axis=2), 0.25)
    boxes = AVMClassifier(cells="box", **SETTINGS).fit(X, Y)
    corners = DRAW(boxes, X, resolution=10).cells - boxes.support_vectors_[:, None, :]
    np.testing.assert_allclose(np.abs(corners), 0.5 / np.sqrt(2) / 2)


def test_where_some_vectors_are_no_cores_there_are_no_cells() -> None:
    shown = DRAW(AVMClassifier(exact_rate=5.0, **SETTINGS).fit(X, Y), X, resolution=10)
    assert shown.cells_ is None and shown.vectors_ is not None


def test_it_draws_where_it_is_told_and_leaves_out_what_it_shall(model: AVMClassifier) -> None:
    _, ax = plt.subplots()
    shown = DRAW(model, X, Y, resolution=10, ax=ax, points=False, vectors=False, cells=False)
    assert shown.ax_ is ax and shown.points_ == []
    assert shown.vectors_ is None and shown.cells_ is None


def test_a_pipeline_is_drawn_in_the_units_of_its_rows() -> None:
    wide = X * [100.0, 0.01] + [5.0, 7.0]
    pipe = make_pipeline(StandardScaler(), AVMClassifier(**SETTINGS)).fit(wide, Y)
    shown = DRAW(pipe, wide, Y, resolution=10)
    back = pipe[0].inverse_transform(pipe[-1].support_vectors_)
    np.testing.assert_allclose(shown.vectors_.get_offsets(), back)
    np.testing.assert_allclose(shown.cells.mean(axis=1), back)


def test_classes_values_and_outliers() -> None:
    rows, labels = make_blobs(150, centers=3, random_state=0)
    three = DRAW(FOGDClassifier(gamma=0.5, random_state=0).fit(rows, labels), rows, labels)
    assert three.kind == "class" and set(np.unique(three.response)) <= {0.0, 1.0, 2.0}
    assert three.vectors_ is None and len(three.points_) == 3
    assert [to_hex(dots.get_facecolor()[0]) for dots in three.points_] == [
        colour.lower() for colour in COLOURS[:3]
    ]
    values = DRAW(AVMRegressor(**SETTINGS).fit(X, X[:, 0]), X, X[:, 0], resolution=10)
    assert values.kind == "value" and values.boundary_ is None
    assert DRAW(SPAOneClass(gamma=2.0, random_state=0).fit(X), X).kind == "score"


def test_other_than_two_features_are_refused(model: AVMClassifier) -> None:
    with pytest.raises(ValueError, match=r"shape \(200, 3\), but a surface is drawn of two"):
        DRAW(model, np.column_stack([X, Y]), Y)
