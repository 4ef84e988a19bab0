"""Features that come and go, labels that nobody declared, and what cannot be learned."""

from __future__ import annotations

import copy
import pickle
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pandas as pd
import pytest

import onkel
from onkel import river
from tests.river.streams import dicts, make, make_learner, rows, said_by, targets


def learned(name: str = "FOGDClassifier", n: int = 60, **settings: Any) -> Any:
    X, model = rows(n), make(name, **settings)
    for x, y in zip(dicts(X), targets(name, X)):
        model.learn_one(x, y.item())
    return model


@pytest.mark.parametrize("name", ["FOGDClassifier", "AVMClassifier", "NOGDRegressor"])
@pytest.mark.parametrize("late", [5, 40])
def test_features_come_and_go(name: str, late: int) -> None:
    """As columns of zeros, wherever they come: during the look, and after it."""
    X = rows(80, 6)
    X[:late, 4:] = 0.0  # two columns that nobody knows yet
    X[rows(80, 6, seed=1) > 0.8] = 0.0
    y = targets(name, X)
    model, learner = make(name), make_learner(name, grow_features=True)
    for i, x in enumerate(dicts(X)):
        first = i == 0 or i == late  # the row in which they are met has all of them
        width = 4 if i < late else 6
        shown = {k: v for k, v in list(x.items())[:width] if v or first}
        model.predict_one(shown)
        model.learn_one(shown, y[i].item())
        learner.partial_fit(X[i : i + 1, :width], y[i : i + 1])
    assert model.features_ == [f"f{j:03}" for j in range(6)]
    np.testing.assert_allclose(
        said_by(model.learner_, X), said_by(learner, X), rtol=1e-9, atol=1e-9
    )


def test_many_features_cost_few_copies() -> None:
    """A word more in nearly every row: the model grows in leaps."""
    model, widths = make("FOGDClassifier"), set()
    for i in range(400):
        model.learn_one({f"w{i}": 1.0, f"w{i // 2}": 2.0}, bool(i % 2))
        widths.add(model.learner_.n_features_in_)
    assert len(model.features_) == 400
    assert model.learner_.n_features_in_ < 400 * 1.2
    assert len(widths) < 16 + 40  # one each during the look


def test_the_order_within_a_dict_does_not_matter() -> None:
    model, other = make("FOGDClassifier"), make("FOGDClassifier")
    X = rows(40)
    for x, y in zip(dicts(X), targets("FOGDClassifier", X)):
        model.learn_one(x, y.item())
        other.learn_one(dict(reversed(x.items())), y.item())
    x = dicts(X)[3]
    assert model.predict_proba_one(x) == other.predict_proba_one(dict(reversed(x.items())))


def test_strange_features_are_left_out_of_a_prediction() -> None:
    model, x = learned(), dicts(rows(3))[2]
    assert model.predict_proba_one(x | {"strange": 5.0}) == model.predict_proba_one(x)
    assert model.features_ == list(x)


def test_any_mapping_and_any_name() -> None:
    model = make("FOGDClassifier")
    for i in range(40):
        model.learn_one({1: i % 3, "1": i % 5, ("a", 2): True}, i % 2)
    made_up: Any = defaultdict(float, {1: 1.0})
    answers = [model.predict_proba_one(x) for x in ({1: 1.0}, made_up, Counter([1]))]
    assert answers[0] == answers[1] == answers[2] and len(made_up) == 1
    assert model.features_ == [1, "1", ("a", 2)]


def test_no_features_at_all() -> None:
    model = make("FOGDClassifier")
    assert model.predict_one({}) is None and model.predict_proba_one({}) == {}
    model.learn_one({"y": 1.0}, "a", w=0.0)
    assert model.predict_one({}) is None
    model.learn_one({}, "a")
    assert model.predict_one({}) == "a" and model.predict_proba_one({}) == {"a": 1.0}
    model.learn_one({"x": 1.0}, "b")
    assert set(model.predict_proba_one({})) == {"a", "b"}


@pytest.mark.parametrize("labels", [("a", "long"), (False, True), (1, 5), (np.True_, np.False_)])
def test_labels_stay_what_they_are(labels: Any) -> None:
    model = make("FOGDClassifier")
    for i in range(40):
        model.learn_one({"x": (-1.0) ** i}, labels[i % 2])
    assert model.predict_one({"x": 1.0}) == labels[0]
    assert type(model.predict_one({"x": 1.0})) in (str, bool, int)
    assert set(model.predict_proba_one({"x": 1.0})) == set(labels)


@pytest.mark.parametrize("late", [10, 30])
def test_labels_grow(late: int) -> None:
    X = rows(60)
    y = targets("BSGDClassifier", X, 3)
    y[:late][y[:late] == "three"] = "one"
    model, learner = make("BSGDClassifier"), make_learner("BSGDClassifier").partial_fit(X, y)
    seen: set[str] = set()
    for x, label in zip(dicts(X), y.tolist()):
        model.learn_one(x, label)
        seen.add(label)
        assert set(model.predict_proba_one(x)) == seen
    np.testing.assert_allclose(
        said_by(model.learner_, X), said_by(learner, X), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("n", [5, 60])
@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"f000": "blue"}, "'f000' is 'blue', which is no number"),
        ({"f000": None}, "'f000' is None"),
        ({"f001": float("nan")}, "'f001' is nan: impute it"),
        ({"new": float("inf")}, "'new' is inf"),
        ({"f000": 1e200}, "scale the features"),
    ],
)
def test_bad_values(n: int, bad: dict[str, Any], words: str) -> None:
    """They are refused by name, and leave the model as it was."""
    for name in ("FOGDClassifier", "NOGDRegressor"):
        model, x = learned(name, n), dicts(rows(1, seed=9))[0]
        before, features = model.predict_one(x), model.features_
        with pytest.raises(ValueError, match=words):
            model.learn_one(x | bad, "one" if name == "FOGDClassifier" else 1.0)
        assert model.predict_one(x) == before and model.features_ == features
        if "new" not in bad:
            with pytest.raises(ValueError, match=words):
                model.predict_one(x | bad)


@pytest.mark.parametrize("n", [5, 60])
def test_bad_targets_and_weights(n: int) -> None:
    x = dicts(rows(1, seed=9))[0]
    model = learned("FOGDClassifier", n)
    before = model.predict_proba_one(x)
    with pytest.raises(ValueError, match="another kind"):
        model.learn_one(x | {"new": 1.0}, 5)
    for w in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="sample_weight"):
            model.learn_one(x, "one", w=w)
    model.learn_one(x, "one", w=0.0)
    assert model.predict_proba_one(x) == before and "new" not in model.features_
    regressor = learned("FOGDRegressor", n)
    guess = regressor.predict_one(x)
    for y in (float("nan"), float("inf"), 1e200):
        with pytest.raises(ValueError):
            regressor.learn_one(x, y)
    assert regressor.predict_one(x) == guess


def test_frames_with_gaps_are_refused() -> None:
    model, frame = learned(), pd.DataFrame(dicts(rows(4)))
    frame.iloc[1, 1] = np.nan
    before = model.predict_proba_one({"f000": 1.0})
    with pytest.raises(ValueError, match="NaN"):
        model.learn_many(frame, pd.Series(["one"] * 4))
    assert model.predict_proba_one({"f000": 1.0}) == before


def test_without_probabilities() -> None:
    model = learned(probabilities=False)
    with pytest.raises(NotImplementedError, match="probabilities=True"):
        model.predict_proba_one({"f000": 1.0})
    assert model.predict_one({"f000": 1.0}) in ("one", "two")


@pytest.mark.parametrize("n", [5, 60])
def test_copies_go_on_alike(n: int) -> None:
    model, more = learned("AVMClassifier", n), rows(20, seed=5)
    copies = [
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
        model.clone(include_attributes=True),
    ]
    for each in (model, *copies):
        for x, y in zip(dicts(more), targets("AVMClassifier", more)):
            each.learn_one(x, y.item())
    x = dicts(more)[0]
    assert all(each.predict_proba_one(x) == model.predict_proba_one(x) for each in copies)
    assert model.clone().predict_one(x) is None


def test_parts_as_parameters_are_cloned() -> None:
    """Parts without parameters are empty tuples."""
    from onkel.kernels import Linear
    from onkel.losses import Hinge

    model = river.ComposedClassifier(loss=Hinge(), kernel=Linear(), seed=0)
    assert model.clone().loss == Hinge() and not model._is_stochastic
    assert model.clone({"seed": None})._is_stochastic


def test_the_learner_can_be_saved(tmp_path: Any) -> None:
    model, X = learned(), rows(5, seed=2)
    onkel.io.save(model.learner_, tmp_path / "model.onkel")
    loaded = onkel.io.load(tmp_path / "model.onkel")
    assert [model.predict_one(x) for x in dicts(X)] == loaded.predict(X).tolist()


def test_unknown_parameters() -> None:
    with pytest.raises(TypeError, match="epochs"):
        river.FOGDClassifier(epochs=2)
    model = river.FOGDClassifier(step=-1.0)
    with pytest.raises(ValueError, match="is not allowed"):
        model.learn_one({"x": 1.0}, True)
