"""DriftAware grows as its learner does: with labels that nobody declared, and with rows that get wider."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import numpy as np
import pytest

import onkel
from onkel.drift import DriftAware
from onkel.estimators.hearing import listening
from onkel.evaluate import prequential
from tests.reference.adwin import AdwinTwin
from tests.reference.drift import DriftAwareTwin

ROWS, THIRD, CHANGE = 2000, 300, 1000
CHUNKS = [[ROWS], [5, 3, 30, 1, 961, 33, 67, ROWS - 1100], [64] * 31 + [16]]
SMALL = {"n_components": 20, "gamma": 0.5, "random_state": 0}


@cache
def stream() -> tuple[np.ndarray, np.ndarray]:
    """One label, from row 40 on two, then three; what they mean changes."""
    random = np.random.default_rng(0)
    X = random.normal(size=(ROWS, 2))
    numbers = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.7)
    numbers[:THIRD] = np.minimum(numbers[:THIRD], 1)
    numbers[:40] = 0
    numbers[CHANGE:] = (numbers[CHANGE:] + 1) % 3
    return X, np.array(["no", "yes", "maybe"])[numbers]


def learner(**changes: Any) -> Any:
    return onkel.FOGDClassifier(**SMALL | changes)


def learned(model: Any, sizes: list[int]) -> Any:
    X, y = stream()
    first = 0
    for size in sizes:
        model.partial_fit(X[first : first + size], y[first : first + size])
        first += size
    return model


class Judged:
    """A learner that learns row by row, and tells whether it was wrong about a row before."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def learn(self, x: np.ndarray, y: str) -> float:
        with listening(self.model) as listener:
            self.model.partial_fit(x[None], np.array([y]))
            scores = listener.take().scores[0]
        classes = self.model.classes_.tolist()
        place = classes.index(y)
        if len(classes) == 1:
            return 0.0
        if len(classes) == 2:
            return float(scores[0] * (2 * place - 1) <= 0)
        return float(scores[place] <= np.delete(scores, place).max())


def test_equals_its_twin(look_rows: int) -> None:
    X, y = stream()
    model = learned(DriftAware(learner()), CHUNKS[1])
    first = learner().partial_fit(X[:look_rows], y[:look_rows])
    twin = DriftAwareTwin(
        Judged(first),
        lambda: Judged(twin.old.model._started_over()),
        lambda: AdwinTwin(0.002, 0.05),
    )
    twin.row = look_rows
    for x, label in zip(X[look_rows:], y[look_rows:]):
        twin.learn(x, label)
    np.testing.assert_allclose(model.drifts_, twin.drifts, rtol=1e-6)
    assert any(CHANGE < drift.row < CHANGE + 400 for drift in model.drifts_ if drift.taken_over)
    assert model.classes_.tolist() == ["maybe", "no", "yes"]
    expected = twin.old.model.decision_function(X[:50])
    np.testing.assert_allclose(model.decision_function(X[:50]), expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("changes", [{}, {"class_weight": "balanced"}, {"half_life": "auto"}])
def test_any_chunking_gives_the_same_model(changes: dict[str, Any]) -> None:
    X, y = stream()
    first, *others = (learned(DriftAware(learner(**changes)), sizes) for sizes in CHUNKS)
    for model in others:
        assert model.drifts_ == first.drifts_ and model.progress_[:2] == first.progress_[:2]
        expected = first.decision_function(X)
        np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-9, atol=1e-9)
    assert any(drift.taken_over for drift in first.drifts_)
    assert first.score(X[-300:], y[-300:]) > 0.8
    assert np.isfinite(first.progress_.loss) and np.isfinite(first.progress_.squared_error)


@pytest.mark.parametrize("rows", [10, 100, THIRD + 1, CHANGE + 40])
def test_goes_on_after_a_file(rows: int, tmp_path: Any) -> None:
    X, y = stream()
    model = DriftAware(learner()).partial_fit(X[:rows], y[:rows])
    onkel.io.save(model, tmp_path / "model.onkel")
    again = onkel.io.load(tmp_path / "model.onkel")
    for each in (model, again):
        each.partial_fit(X[rows:], y[rows:])
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.drifts_ == model.drifts_ and again.progress_ == model.progress_


def test_a_run_is_judged_by_all_labels() -> None:
    model = DriftAware(learner())
    X, y = stream()
    chunks = ((X[i : i + 100], y[i : i + 100]) for i in range(0, ROWS, 100))
    run = prequential(model, chunks, metrics=["accuracy", "log_loss"], warm_up=False)
    assert run.metrics["accuracy"] == pytest.approx(1 - model.progress_.mistake_rate)
    assert 0 < run.metrics["log_loss"] < 2


def test_rows_may_get_wider(tmp_path: Any) -> None:
    X, y = stream()
    early = np.c_[X[:600, 0], np.zeros(600)]
    known = DriftAware(learner(grow_features=True)).partial_fit(early, y[:600])
    grown = DriftAware(learner(grow_features=True)).partial_fit(X[:600, :1], y[:600])
    for model in (known, grown):
        model.partial_fit(X[600:], y[600:])
    assert grown.n_features_in_ == 2 and any(drift.taken_over for drift in grown.drifts_)
    expected = known.decision_function(X)
    np.testing.assert_allclose(grown.decision_function(X), expected, rtol=1e-9, atol=1e-9)
    onkel.io.save(grown, tmp_path / "model.onkel")
    again = onkel.io.load(tmp_path / "model.onkel")
    np.testing.assert_array_equal(again.predict(X), grown.predict(X))
    plain = DriftAware(learner()).partial_fit(X[:600, :1], y[:600])
    before = copy.deepcopy(plain).predict(X[:9, :1])
    with pytest.raises(ValueError, match="grow_features=True"):
        plain.partial_fit(X[600:], y[600:])
    assert plain.predict(X[:9, :1]).tolist() == before.tolist()


def test_behind_an_encoder_whose_rows_widen() -> None:
    encoder = onkel.TableEncoder(fixed_width=False, look=64)
    model = onkel.make_stream_pipeline(encoder, DriftAware(learner()))
    jobs = np.array(["cook", "clerk"] * 200 + ["smith", "clerk"] * 600)
    for first in range(0, len(jobs), 100):
        some = jobs[first : first + 100]
        model.partial_fit({"job": some.tolist()}, np.where(some == "clerk", "low", "high"))
    assert model.predict({"job": ["smith", "clerk", "cook"]}).tolist() == ["high", "low", "high"]
