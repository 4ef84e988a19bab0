"""Progress, drift, reliability and intervals: the artists hold the figures."""

from __future__ import annotations

from itertools import islice

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.linear_model import SGDClassifier

from onkel import BSGDClassifier, FOGDClassifier, FOGDRegressor
from onkel.datasets import gaussian_mixture
from onkel.drift import Drift, DriftAware
from onkel.evaluate import prequential
from onkel.plot import DriftDisplay, IntervalDisplay, ProgressDisplay, ReliabilityDisplay
from onkel.plot.looks import COLOURS, DASHES, linestyle_and_colour

X, Y = gaussian_mixture(1500, random_state=0)
FOGD = FOGDClassifier(gamma=0.4, n_components=50, random_state=0)
BSGD = BSGDClassifier(gamma=0.4, budget=20, random_state=0)
RANDOM = np.random.default_rng(0)
GUESSED = np.where(RANDOM.random(1500) < 0.3, -Y, Y)


def test_colours_come_before_dashes_and_none_twice() -> None:
    looks = [(look["color"], look["linestyle"]) for look in islice(linestyle_and_colour(), 32)]
    assert len(set(looks)) == len(COLOURS) * len(DASHES) == 32
    assert [colour for colour, _ in looks[:8]] == list(COLOURS)


# ---- progress ----------------------------------------------------------------------------------


def test_progress_draws_the_curves_of_runs() -> None:
    learners = {"FOGD": FOGD, "BSGD": BSGD}
    measures = ("rate", "window_rate", "loss", "size", "seconds")
    shown = ProgressDisplay.from_estimator(learners, X, Y, measures=measures)
    assert not FOGD.__sklearn_is_fitted__()  # copies have learned
    assert len(shown.axes_) == 5 and [len(lines) for lines in shown.lines_] == [2] * 5
    run = prequential(FOGDClassifier(**FOGD.get_params()), (X, Y))
    for lines, key, times in zip(shown.lines_, measures[:4], (100, 100, 1, 1)):
        np.testing.assert_allclose(lines[0].get_ydata(), times * np.array(run.curve[key]))
    assert run.curve["loss"][-1] == pytest.approx(run.metrics["loss"])
    assert [line.get_color() for line in shown.lines_[0]] == list(COLOURS[:2])
    assert [text.get_text() for text in shown.ax_.get_legend().get_texts()] == ["FOGD", "BSGD"]
    again = ProgressDisplay.from_runs({"FOGD": run}, measures="size", against="seconds")
    np.testing.assert_array_equal(again.lines_[0][0].get_xdata(), run.curve["seconds"])


def test_progress_of_predictions_is_their_running_mean() -> None:
    shown = ProgressDisplay.from_predictions(Y, {"noisy": GUESSED})
    (line,) = shown.lines_[0]
    seen, mistakes = line.get_xdata(), np.cumsum(GUESSED != Y)
    np.testing.assert_allclose(line.get_ydata(), 100 * mistakes[seen - 1] / seen)
    squares = ProgressDisplay.from_predictions(X[:, 0], {"nil": 0 * X[:, 0]}, regression=True)
    assert squares.lines_[0][0].get_ydata()[-1] == pytest.approx(np.mean(X[:, 0] ** 2))
    assert squares.ax_.get_ylabel() == "mean squared error so far"


def test_progress_says_what_it_cannot_draw() -> None:
    with pytest.raises(ValueError, match="measures='speed' is not known: choose of rate"):
        ProgressDisplay.from_predictions(Y, {"noisy": GUESSED}, measures="speed")
    with pytest.raises(ValueError, match="noisy does not tell its size; it tells seen, rate"):
        ProgressDisplay.from_predictions(Y, {"noisy": GUESSED}, measures="size")
    with pytest.raises(ValueError, match="SGD does not tell its loss"):
        sgd = {"SGD": SGDClassifier(random_state=0)}
        ProgressDisplay.from_estimator(sgd, X, Y, measures="loss")
    with pytest.raises(ValueError, match="ax has 1 axes, but 2 are drawn on"):
        both = ("rate", "window_rate")
        ProgressDisplay.from_estimator(FOGD, X, Y, measures=both, ax=plt.subplots()[1])


# ---- drift -------------------------------------------------------------------------------------


def test_drifts_are_marked_where_they_were_noticed() -> None:
    turned = np.concatenate([Y, -Y])
    model = DriftAware(FOGD)
    shown = DriftDisplay.from_estimator(model, np.vstack([X, X]), turned, changes=[1500])
    drifts = DriftAware(FOGD).fit(np.vstack([X, X]), turned).drifts_
    rows = [drift.row for drift in drifts if drift.taken_over]
    assert rows and [line.get_xdata()[0] for line in shown.takeovers_] == rows
    assert [line.get_xdata()[0] for line in shown.changes_] == [1500]
    assert shown.line_.get_label() == "DriftAware"


def test_drift_of_predictions_looks_back_on_a_window() -> None:
    drifts = [Drift(700, 0.4, 0.1, True), Drift(900, 0.2, 0.2, False)]
    shown = DriftDisplay.from_predictions(Y, GUESSED, window=100, drifts=drifts, name="noisy")
    wrong = GUESSED != Y
    for seen, rate in zip(shown.line_.get_xdata()[::50], shown.line_.get_ydata()[::50]):
        assert rate == pytest.approx(100 * wrong[max(0, seen - 100) : seen].mean())
    assert [line.get_xdata()[0] for line in shown.takeovers_] == [700]
    assert [line.get_xdata()[0] for line in shown.alarms_] == [900]
    assert len({line.get_linestyle() for line in [*shown.takeovers_, *shown.alarms_]}) == 2
    texts = [text.get_text() for text in shown.ax_.get_legend().get_texts()]
    assert texts[0] == "noisy" and len(texts) == 3


# ---- reliability ---------------------------------------------------------------------------------


def test_reliability_is_scikit_learns_calibration_curve() -> None:
    said = RANDOM.random(1500)
    happened, mean = calibration_curve(Y > 0, said, n_bins=10)
    shown = ReliabilityDisplay.from_predictions(Y, said)
    np.testing.assert_allclose(shown.line_.get_xdata(), mean)
    np.testing.assert_allclose(shown.line_.get_ydata(), happened)
    assert shown.rows.sum() == 1500 and len(shown.dots_.get_sizes()) == 10
    assert shown.error_ == pytest.approx(shown.rows @ np.abs(mean - happened) / 1500)


def test_reliability_of_a_model_and_of_a_run() -> None:
    model = FOGDClassifier(**FOGD.get_params()).fit(X[:1000], Y[:1000])
    shown = ReliabilityDisplay.from_estimator(model, X[1000:], Y[1000:])
    said = model.predict_proba(X[1000:])[:, 1]
    again = ReliabilityDisplay.from_predictions(Y[1000:], said, ax=shown.ax_)
    np.testing.assert_allclose(again.happened, shown.happened)
    assert again.ideal_ is shown.ideal_ and again.line_.get_color() != shown.line_.get_color()
    run = prequential(FOGDClassifier(**FOGD.get_params()), (X, Y))
    assert ReliabilityDisplay.from_run(run).rows.sum() == run.metrics["seen"]


def test_reliability_says_what_are_no_probabilities() -> None:
    with pytest.raises(ValueError, match="from -1 to 2: these are no probabilities"):
        ReliabilityDisplay.from_predictions([0, 1], [-1.0, 2.0])
    with pytest.raises(ValueError, match="these are no probabilities"):
        ReliabilityDisplay.from_predictions([0, 1], [0.5, np.nan])
    with pytest.raises(ValueError, match="tells of 3 classes, but there are 2"):
        ReliabilityDisplay.from_predictions([0, 1], np.full((2, 3), 1 / 3))
    run = prequential(BSGD.set_params(probabilities=False), (X[:600], Y[:600]))
    with pytest.raises(ValueError, match="this run of BSGDClassifier has no probabilities"):
        ReliabilityDisplay.from_run(run)


# ---- intervals -------------------------------------------------------------------------------------


def test_intervals_tell_inside_from_outside_and_follow_x() -> None:
    x = RANDOM.permutation(50)
    y = np.where(np.arange(50) % 10 == 0, 5.0, 0.0)
    interval = np.tile([-1.0, 2.0], (50, 1))
    shown = IntervalDisplay.from_predictions(y, interval, x=x, coverage=0.9)
    assert shown.share_ == 0.9
    assert sorted(shown.outside_.get_xdata()) == sorted(x[::10])
    assert len(shown.inside_.get_xdata()) == 45
    np.testing.assert_array_equal(shown.line_.get_xdata(), np.arange(50))
    assert set(shown.line_.get_ydata()) == {0.5}
    assert "90.0% inside, 90% asked for" in shown.band_.get_label()
    with pytest.raises(ValueError, match=r"interval has shape \(50,\), but there are 50 targets"):
        IntervalDisplay.from_predictions(y, y)


def test_intervals_of_a_model() -> None:
    model = FOGDRegressor(gamma=0.4, n_components=50, random_state=0).fit(X, X[:, 0])
    shown = IntervalDisplay.from_estimator(model, X[:99], X[:99, 0], coverage=0.8)
    np.testing.assert_array_equal(shown.interval, model.predict_interval(X[:99], coverage=0.8))
    np.testing.assert_array_equal(shown.y_pred, model.predict(X[:99]))
