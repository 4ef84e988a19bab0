"""half_life="auto": every learner takes it, goes on after copies, files and interrupts, and follows a change."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import numpy as np
import pytest

import onkel
from onkel.engine import lessons, machine
from tests.estimators.cases import ONLINE, data_for, learn_on, make, scores
from tests.estimators.test_interrupt import Fails, assert_resumes

#: All that walk, and are told what was right.
AUTO = [name for name in ONLINE if "Ridge" not in name and name != "SPAOneClass"]
#: Of one map, with vectors of its own, and one that turns from vectors to features.
KINDS = ["FOGDClassifier", "RBPClassifier", "NOGDClassifier"]
ROWS = 600


class Counted(Fails):
    """Every call comes through here: the machine code behind it is not to be had."""

    def __getattr__(self, name: str) -> Any:
        if name == "get_overload":
            raise AttributeError(name)
        return super().__getattr__(name)


def saved_and_loaded(model: Any, folder: Any) -> Any:
    onkel.io.save(model, folder / "model.onkel")
    return onkel.io.load(folder / "model.onkel")


@pytest.mark.parametrize("name", AUTO)
def test_every_learner_takes_it_and_goes_on_after_a_file(name: str, tmp_path: Any) -> None:
    X, y = data_for(name, 80)
    model = learn_on(make(name, half_life="auto"), X[:50], y[:50])
    again = saved_and_loaded(model, tmp_path)
    for each in (model, again):
        learn_on(each, X[50:], y[50:])
    np.testing.assert_array_equal(scores(again, X), scores(model, X))
    assert again.progress_ == model.progress_ and model.t_ == 80
    assert list(model.half_lives_) == [None, 1024.0, 64.0]
    assert sum(model.half_lives_.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
@pytest.mark.parametrize("name", KINDS)
def test_copies_go_on_by_themselves(name: str, copied: Any) -> None:
    X, y = data_for(name, 400)
    model = learn_on(make(name, half_life="auto"), X[:200], y[:200])
    before, again = scores(model, X), copied(model)
    learn_on(again, X[200:], y[200:])
    np.testing.assert_array_equal(scores(model, X), before)
    np.testing.assert_array_equal(scores(learn_on(model, X[200:], y[200:]), X), scores(again, X))


def test_a_map_is_in_a_file_and_in_memory_once(tmp_path: Any) -> None:
    X, y = data_for("FOGDClassifier", 60)
    model = saved_and_loaded(learn_on(make("FOGDClassifier", half_life="auto"), X, y), tmp_path)
    first, *others = model._machine.machines
    assert all(other.frequencies is first.frequencies for other in others)
    learn_on(model, X, y)
    assert all(other._workspace is first._workspace for other in others)


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("calls", [0, 1, 5])
@pytest.mark.parametrize("name", KINDS)
def test_an_interrupt_between_two_machines(
    name: str, calls: int, after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = data_for(name, ROWS)
    whole = learn_on(make(name, half_life="auto"), X, y)
    room = lessons if name.startswith("FOGD") else machine
    monkeypatch.setattr(room, "walk", Counted(room.walk, calls, KeyboardInterrupt(), after))
    model = make(name, half_life="auto")
    with pytest.raises(KeyboardInterrupt):
        learn_on(model, X, y)
    assert model.t_ < ROWS
    resumed = pickle.loads(pickle.dumps(model))
    assert_resumes(model, whole, X, y)
    assert_resumes(resumed, whole, X, y)


def test_a_kernel_that_raises_in_one_machine() -> None:
    name = "RBPClassifier"
    X, y = data_for(name, ROWS)

    def rbf(a: Any, b: Any) -> np.ndarray:
        return np.exp(-0.5 * ((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2))

    whole = learn_on(make(name, kernel=rbf, half_life="auto"), X, y)
    for calls in (4, 7, 8, 9):
        model = make(name, kernel=Fails(rbf, calls, RuntimeError("no"), after=False))
        model.set_params(half_life="auto")
        with pytest.raises(RuntimeError, match="no"):
            learn_on(model, X, y)
        assert_resumes(model, whole, X, y)


@pytest.mark.parametrize("name", ["FOGDClassifier", "RBPClassifier"])
def test_readers_see_all_machines_after_the_same_row(name: str) -> None:
    X, y = data_for(name, 1500)
    probe = data_for(name, 50, seed=1).X
    model, expected = make(name, half_life="auto"), []
    for first in range(0, len(y), 4):  # blocks of the model below end at some of these rows
        learn_on(model, X[first : first + 4], y[first : first + 4])
        expected.append(scores(model, probe))
    model, over, found = (
        learn_on(make(name, half_life="auto"), X[:100], y[:100]),
        threading.Event(),
        [],
    )

    def read() -> None:
        while not over.is_set():
            found.append(scores(model, probe))

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    learn_on(model, X[100:], y[100:])
    over.set()
    thread.join(60)
    assert found
    for seen in found:
        assert np.abs(np.array(expected) - seen).max(axis=1).min() < 1e-8


def test_it_follows_a_change_that_none_does_not() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 2))
    y = np.where((X[:, 0] * X[:, 1] > 0) ^ (np.arange(3000) > 1500), 1, -1)
    late = {}
    for half_life in ("auto", None):
        model = onkel.FOGDClassifier(half_life=half_life, gamma=0.5, random_state=0)
        model.partial_fit(X[:2500], y[:2500], classes=[-1, 1])
        late[half_life] = model.score(X[2500:], y[2500:])
    assert late["auto"] > 0.9 > 0.8 > late[None]


@pytest.mark.parametrize("name", sorted(set(ONLINE) - set(AUTO)))
def test_who_cannot_tell_which_is_the_best(name: str) -> None:
    with pytest.raises(ValueError, match="half_life='auto' is not allowed"):
        make(name, half_life="auto").fit(*data_for(name))


def test_a_setting_in_mid_stream_counts_from_the_next_fit_on() -> None:
    X, y = data_for("FOGDClassifier", 100)
    model = learn_on(make("FOGDClassifier"), X[:50], y[:50]).set_params(half_life="auto")
    assert list(learn_on(model, X[50:], y[50:]).half_lives_) == [None]
    assert list(model.fit(X, y).half_lives_) == [None, 1024.0, 64.0]


@pytest.mark.parametrize("name", ["FOGDClassifier", "OGDClassifier"])
def test_it_grows_with_labels_and_columns(name: str) -> None:
    X, wave = data_for("OGDRegressor", 300)
    y = np.array(["low", "mid", "high", "top"])[np.digitize(wave, [-0.6, 0.0, 0.6])]
    y[:40] = np.where(wave[:40] > 0, "high", "low")
    narrow = X.copy()
    narrow[:100, 2] = 0.0
    whole, pieces = (make(name, half_life="auto", grow_features=True) for _ in range(2))
    whole.partial_fit(narrow, y)
    for first in range(0, 300, 20):
        columns = 2 if first < 100 else 3
        pieces.partial_fit(narrow[first : first + 20, :columns], y[first : first + 20])
    assert whole.classes_.tolist() == pieces.classes_.tolist() == ["high", "low", "mid", "top"]
    np.testing.assert_allclose(scores(pieces, X), scores(whole, X), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(pieces.predict_proba(X), whole.predict_proba(X), atol=1e-9)
