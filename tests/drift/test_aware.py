"""DriftAware: equals its twin, whatever the chunks; goes on after copies and files; takes river's detectors."""

from __future__ import annotations

import copy
import pickle
import re
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError

import onkel
from onkel.drift import Adwin, DriftAware
from onkel.drift import contest as contests
from onkel.estimators.hearing import listening
from onkel.evaluate import prequential
from onkel.report import page_of_run, write_report
from tests.reference.adwin import AdwinTwin
from tests.reference.drift import DriftAwareTwin

ROWS, CHANGE = 2000, 1000
SMALL = {"n_components": 20, "gamma": 0.5, "random_state": 0}


@cache
def stream(regression: bool = False) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.normal(size=(ROWS, 2))
    late = np.arange(ROWS) >= CHANGE
    signal = np.where(late, -1, 1) * np.sin(1.5 * X[:, 0])
    if regression:
        return X, signal + 0.1 * random.normal(size=ROWS)
    flipped = random.random(ROWS) < 0.05
    return X, np.where((signal > 0) ^ flipped, "yes", "no")


def learner(regression: bool = False, **changes: Any) -> Any:
    make = onkel.FOGDRegressor if regression else onkel.FOGDClassifier
    return make(**SMALL | changes)


def learned(model: Any, sizes: list[int], regression: bool = False) -> Any:
    X, y = stream(regression)
    first, labels = 0, {} if regression else {"classes": ["no", "yes"]}
    for size in sizes:
        model.partial_fit(X[first : first + size], y[first : first + size], **labels)
        first += size
    return model


class Judged:
    """A learner of onkel that learns row by row, and tells what it made of a row before."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def learn(self, x: Any, y: Any) -> float:
        with listening(self.model) as listener:
            self.model.partial_fit(x[None], np.array([y]))
            said = listener.take().scores[0, 0]
        if is_regressor(self.model):
            return abs(said - y) / self.model.target_scale_
        return float(said * (1 if y == "yes" else -1) <= 0)


@pytest.mark.parametrize("regression", [False, True])
def test_equals_its_twin(regression: bool, look_rows: int) -> None:
    X, y = stream(regression)
    model = learned(DriftAware(learner(regression)), [700, 1, 130, ROWS - 831], regression)
    labels = {} if regression else {"classes": ["no", "yes"]}
    first = learner(regression).partial_fit(X[:look_rows], y[:look_rows], **labels)
    twin = DriftAwareTwin(
        Judged(copy.deepcopy(first)),
        lambda: Judged(first._started_over()),
        lambda: AdwinTwin(0.002, 0.05),
    )
    twin.row = look_rows
    for x, target in zip(X[look_rows:], y[look_rows:]):
        twin.learn(x, target)
    assert [drift.row for drift in model.drifts_] == [row for row, *_ in twin.drifts]
    np.testing.assert_allclose(model.drifts_, twin.drifts, rtol=1e-6)
    taken = [drift.row for drift in model.drifts_ if drift.taken_over]
    assert any(CHANGE < row < CHANGE + 300 for row in taken)
    expected, found = twin.old.model.predict(X[:50]), model.predict(X[:50])
    if regression:
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    else:
        assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("half_life", [None, "auto"])
def test_any_chunking_gives_the_same_model(half_life: Any) -> None:
    X, _ = stream()
    models = [
        learned(DriftAware(learner(half_life=half_life)), sizes)
        for sizes in ([ROWS], [5, 3, 30, 1, 961, 33, 67, ROWS - 1100], [64] * 31 + [16])
    ]
    for model in models[1:]:
        np.testing.assert_allclose(
            model.decision_function(X), models[0].decision_function(X), rtol=1e-9, atol=1e-9
        )
        assert model.drifts_ == models[0].drifts_ and model.progress_.mistakes
        assert model.progress_[:2] == models[0].progress_[:2]
    assert models[0].progress_.seen == models[0].t_ == ROWS


def in_file(model: Any, folder: Any) -> Any:
    onkel.io.save(model, folder / "model.onkel")
    return onkel.io.load(folder / "model.onkel")


@pytest.mark.parametrize("rows", [10, 500, CHANGE + 40, ROWS - 100])
@pytest.mark.parametrize("way", [lambda m, _: pickle.loads(pickle.dumps(m)), in_file])
def test_goes_on_after_a_copy(way: Any, rows: int, tmp_path: Any) -> None:
    X, y = stream()
    model = learned(DriftAware(learner(), detector=Adwin(0.01)), [rows])
    again = way(model, tmp_path)
    for each in (model, again):
        each.partial_fit(X[rows:], y[rows:])
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.drifts_ == model.drifts_ and again.progress_ == model.progress_
    assert model.drifts_


@pytest.mark.parametrize("name", ["ADWIN", "PageHinkley", "KSWIN"])
def test_detectors_of_river(name: str) -> None:
    river = pytest.importorskip("river.drift")
    detector = getattr(river, name)(**({"seed": 1} if name == "KSWIN" else {}))
    model = learned(DriftAware(learner(), detector=detector), [ROWS])
    taken = [drift.row for drift in model.drifts_ if drift.taken_over]
    assert any(CHANGE < row < CHANGE + 400 for row in taken)
    assert not detector.drift_detected  # it is a copy that watched
    assert model.score(*(part[-300:] for part in stream())) > 0.85


def test_a_fresh_learner_that_is_no_better_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contests, "PATIENCE", 200)

    class Alarming:
        """Sees a drift in row 100, wherever there is one."""

        drift_detected, rows = False, 0

        def update(self, x: float) -> None:
            self.rows += 1
            self.drift_detected = self.rows == 100

    X, y = stream()
    model = DriftAware(learner(), detector=Alarming()).partial_fit(X[:900], y[:900], ["no", "yes"])
    plain = learner().partial_fit(X[:900], y[:900], ["no", "yes"])
    (drift,) = model.drifts_
    assert not drift.taken_over and drift.before < drift.after
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    assert model.progress_.mistakes == plain.progress_.mistakes
    assert model.progress_.loss == pytest.approx(plain.progress_.loss)


def test_what_goes_wrong_leaves_it_as_it_was() -> None:
    X, y = stream()
    model = learned(DriftAware(learner()), [1200])
    before = model.predict_proba(X), model.progress_, list(model.drifts_)
    strange = np.where(np.arange(100) == 99, "what", y[:100])
    for bad in (strange, y[:99]):
        with pytest.raises(ValueError):
            model.partial_fit(X[:100], bad)
    with pytest.raises(ValueError):
        model.partial_fit(X[:100, :1], y[:100])
    np.testing.assert_array_equal(model.predict_proba(X), before[0])
    assert (model.progress_, model.drifts_) == before[1:]


def test_what_it_cannot_be_around() -> None:
    from sklearn.linear_model import SGDClassifier

    X, y = stream()
    for bad in (SGDClassifier(), onkel.SPAOneClass(), onkel.FOGDClassifier):
        with pytest.raises(TypeError, match="learner="):
            DriftAware(bad).partial_fit(X, y, classes=["no", "yes"])
    for bad in (onkel.FourierRidgeClassifier(), onkel.RaceClassifier()):
        with pytest.raises(TypeError, match="has no fresh start"):
            DriftAware(bad).partial_fit(X, y, classes=["no", "yes"])
    for bad in (Adwin, object(), 3):
        with pytest.raises(TypeError, match="detector="):
            DriftAware(learner(), detector=bad).partial_fit(X, y, classes=["no", "yes"])
    with pytest.raises(NotFittedError):
        DriftAware(learner()).predict(X)
    for name in ("progress_", "t_", "classes_"):
        with pytest.raises(NotFittedError, match="before it has learned something"):
            getattr(DriftAware(learner()), name)
        assert not hasattr(DriftAware(learner()), name)


def test_it_is_what_its_learner_is() -> None:
    X, y = stream()
    model = DriftAware(learner())
    assert is_classifier(model) and is_regressor(DriftAware(learner(True)))
    assert not hasattr(model, "predict_interval") and hasattr(model, "predict_proba")
    assert hasattr(DriftAware(learner(True)), "predict_interval")
    assert clone(model).set_params(learner__gamma=2.0).learner.gamma == 2.0
    assert model.fit(X, y).fit(X[:600], y[:600]).t_ == 600
    assert model.classes_.tolist() == ["no", "yes"] and model.drifts_ == []
    weighted = clone(model).fit(X, y, sample_weight=(np.arange(ROWS) < 600).astype(float))
    np.testing.assert_array_equal(weighted.predict_proba(X), model.predict_proba(X))


def test_a_run_tells_and_marks_its_drifts(tmp_path: Any) -> None:
    model = DriftAware(learner())
    run = prequential(model, stream(), metrics=["accuracy", "log_loss"], warm_up=False)
    assert run.drifts == [drift._asdict() for drift in model.drifts_]
    assert run.metrics["accuracy"] == pytest.approx(1 - model.progress_.mistake_rate)
    assert 0 < run.metrics["log_loss"] < 1
    chart = next(c for c in page_of_run(run).charts if c.title == "Convergence")
    taken = [drift.row for drift in model.drifts_ if drift.taken_over]
    assert [list(series.drifts) for series in chart.series] == [taken, []]
    written = write_report(tmp_path / "page.html", page_of_run(run)).read_text(encoding="utf-8")
    assert re.search(rf'"drifts": ?\[{taken[0]}', written)
