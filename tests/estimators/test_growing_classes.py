"""Classes that nobody declared: the model grows as their labels appear."""

from __future__ import annotations

import itertools
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError

from onkel import FOGDClassifier, KernelSGDClassifier
from onkel.engine import workspace
from onkel.io import load, save
from tests.estimators.cases import HANDFUL, ONLINE_CLASSIFIERS, make, scores

CLASSIFIERS = [name for name in HANDFUL if name.endswith("Classifier")]
LABELS = np.array(["m", "c", "x", "a"])
ROWS = 60
#: Where labels first come: within the first look, and beyond it.
STARTS = ((0, 3, 7, 12), (0, 4, 25, 41), (0, 30, 31, 33))


def stream(starts: tuple[int, ...] = STARTS[1]) -> tuple[np.ndarray, np.ndarray]:
    """Four classes, each of which comes from its row on."""
    random = np.random.default_rng(0)
    X = random.normal(size=(ROWS, 3))
    y = np.digitize(X[:, 0], [-0.7, 0.0, 0.7])
    known = np.searchsorted(starts, np.arange(ROWS), "right") - 1
    y = np.minimum(y, known)
    y[list(starts)] = np.arange(4)
    return X, LABELS[y]


def learned(model: Any, X: np.ndarray, y: np.ndarray, sizes: list[int], **more: Any) -> Any:
    ends = np.cumsum([0, *sizes])
    for first, stop in itertools.pairwise(ends):
        given = {key: value[first:stop] for key, value in more.items()}
        model.partial_fit(X[first:stop], y[first:stop], **given)
    return model


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("starts", STARTS)
def test_chunks_do_not_matter(name: str, starts: tuple[int, ...]) -> None:
    X, y = stream(starts)
    whole = learned(make(name), X, y, [ROWS])
    for sizes in ([1] * ROWS, [10, 20, 1, 29], [59, 1]):
        model = learned(make(name), X, y, sizes)
        np.testing.assert_allclose(scores(model, X), scores(whole, X), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), atol=1e-9)
        assert model.progress_[:2] == whole.progress_[:2] and model.progress_.seen == ROWS


@pytest.mark.parametrize("rows", [5, 30])
def test_a_single_class(rows: int) -> None:
    X, _ = stream()
    for name in CLASSIFIERS:
        model = make(name).partial_fit(X[:rows], np.full(rows, "yes"))
        assert model.classes_.tolist() == ["yes"] and set(model.predict(X)) == {"yes"}
        assert model.predict_proba(X).tolist() == [[1.0]] * ROWS
        assert model.predict_log_proba(X).tolist() == [[0.0]] * ROWS
        assert model.t_ == 0 and model.decision_function(X).tolist() == [0.0] * ROWS
        assert (model.progress_.seen, model.progress_.mistakes) == (rows, 1)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_the_order_of_appearance_does_not_show(order: tuple[int, ...]) -> None:
    X, _ = stream()
    names = np.array(["a", "b", "c"])[list(order)]
    y = names[np.arange(ROWS) % 3]
    model = make("FOGDClassifier").partial_fit(X, y)
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert scores(model, X).shape == (ROWS, 3)


def test_from_the_third_label_on_it_is_a_pair() -> None:
    """Whose difference is what the one output was."""
    X, y = stream()
    model = learned(make("OGDClassifier"), X, y, [25])
    before = scores(model, X)
    chances = model.predict_proba(X)
    model._meet(np.array([*model._appeared, "b"]))
    after = scores(model, X)
    assert model.classes_.tolist() == ["b", "c", "m"]
    np.testing.assert_allclose(after[:, 2] - after[:, 1], before, atol=1e-12)
    assert (after[:, 0] == 0.0).all()
    told = model.predict_proba(X)
    np.testing.assert_allclose(told[:, 2] / told[:, 1], chances[:, 1] / chances[:, 0])
    assert (told[:, 0] > 0).all() and (told[:, 0] < 0.1).all()


@pytest.mark.parametrize("name", ["FOGDClassifier", "BSGDClassifier"])
def test_as_accurate_as_if_all_were_declared(name: str) -> None:
    """Ten digits, of which a new one comes every thirty rows."""
    X, digits = load_digits(return_X_y=True)
    X = X / 16.0
    order = np.random.default_rng(0).permutation(len(X))
    train, test = order[:1200], order[1200:]
    late = np.minimum(np.arange(1200) // 30, 9)
    early = digits[train] > late
    first = np.concatenate([train[~early], train[early]])  # those that came too early, at the end
    kept = {"gamma": 0.05, "n_components": 300, "budget": 300}
    grown = make(name, **{k: v for k, v in kept.items() if k in make(name).get_params()})
    declared = make(name, **{k: v for k, v in kept.items() if k in make(name).get_params()})
    declared.partial_fit(X[first], digits[first], classes=range(10))
    grown.partial_fit(X[first], digits[first])
    accuracy = grown.score(X[test], digits[test])
    assert accuracy > 0.9 and accuracy > declared.score(X[test], digits[test]) - 0.01
    chances = [
        m.predict_proba(X[test])[np.arange(len(test)), digits[test]] for m in (grown, declared)
    ]
    losses = [-np.log(chance).mean() for chance in chances]
    assert losses[0] < losses[1] + 0.02


def test_growing_to_many_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """From so many on, scores are worked out otherwise: they are the same."""
    X = np.random.default_rng(0).normal(size=(300, 3))
    y = np.minimum(np.arange(300) // 3, np.random.default_rng(1).integers(0, 100, 300))
    for name in ("OGDClassifier", "BSGDClassifier", "FOGDClassifier"):
        whole = make(name).partial_fit(X, y)
        pieces = learned(make(name), X, y, [50, 1, 149, 100])
        with monkeypatch.context() as patch:
            patch.setattr(workspace, "MANY_OUTPUTS", 10**9)
            plain = make(name).partial_fit(X, y)
        assert len(whole.classes_) > workspace.MANY_OUTPUTS
        for model in (pieces, plain):
            np.testing.assert_allclose(scores(model, X), scores(whole, X), rtol=1e-6, atol=1e-9)


# -- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [10, 30])
def test_strangers_among_declared_labels(rows: int) -> None:
    X, y = stream(STARTS[2])
    model = make("OGDClassifier").partial_fit(X[:rows], y[:rows], classes=["m", "c"])
    before = scores(model, X)
    with pytest.raises(ValueError, match=r"never declared: \['x', 'a'\]"):
        model.partial_fit(X[30:], y[30:])
    np.testing.assert_array_equal(scores(model, X), before)
    fitted = make("OGDClassifier").fit(X[:32], y[:32])
    with pytest.raises(ValueError, match=r"never declared: \['a'\]"):
        fitted.partial_fit(X, y)


@pytest.mark.parametrize("rows", [4, 30])
def test_classes_are_declared_at_once_or_never(rows: int) -> None:
    X, y = stream(STARTS[0])
    model = make("OGDClassifier").partial_fit(X[:rows], y[:rows])
    with pytest.raises(ValueError, match="classes= counts in the first call to partial_fit only"):
        model.partial_fit(X, y, classes=LABELS)
    assert model.classes_.tolist() == sorted(set(y[:rows]))
    assert model.fit(X[:4], y[:4]).classes_.tolist() == ["c", "m"]  # which starts anew


@pytest.mark.parametrize("rows", [6, 30])
def test_a_loss_of_two_classes_refuses_a_third(rows: int) -> None:
    X, _ = stream()
    y = np.where(X[:, 0] > 0, "no", "yes")
    model = KernelSGDClassifier(loss="odm", regularization=0.5, gamma=0.5)
    model.partial_fit(X[:rows], y[:rows])
    before = scores(model, X)
    third = y[rows:].copy()
    third[-1] = "maybe"
    with pytest.raises(ValueError, match="loss='odm' is for two classes, got 3"):
        model.partial_fit(X[rows:], third)
    assert model.classes_.tolist() == ["no", "yes"] and model.progress_.seen == rows
    np.testing.assert_array_equal(scores(model, X), before)
    again = KernelSGDClassifier(loss="odm", regularization=0.5, gamma=0.5).partial_fit(X, y)
    model.partial_fit(X[rows:], y[rows:])
    np.testing.assert_allclose(scores(model, X), scores(again, X), rtol=1e-9)


@pytest.mark.parametrize("rows", [6, 30])
@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ([1, 2], "labels of another kind than before: \\[1, 2\\]"),
        ([0.5, 1.2], "Unknown label type"),
        ([["a", "b"], ["a", "b"]], "y should be a 1d array"),
    ],
)
def test_labels_of_another_kind(rows: int, wrong: Any, says: str) -> None:
    X, y = stream(STARTS[0])
    model = make("OGDClassifier").partial_fit(X[:rows], y[:rows])
    classes, before = model.classes_, scores(model, X)
    with pytest.raises(ValueError, match=says):
        model.partial_fit(X[:2], wrong)
    assert np.array_equal(model.classes_, classes)
    np.testing.assert_array_equal(scores(model, X), before)


def test_numbers_and_longer_words_join() -> None:
    X, _ = stream()
    model = make("OGDClassifier").partial_fit(X[:20], np.arange(20) % 2).partial_fit(X[:1], [7.0])
    assert model.classes_.tolist() == [0, 1, 7]
    words = make("OGDClassifier").partial_fit(X[:20], np.array(["a", "b"] * 10))
    assert words.partial_fit(X[:1], ["longer than those"]).classes_[2] == "longer than those"


# -- weights ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [6, 30])
def test_rows_without_a_weight_bring_no_class(rows: int) -> None:
    X, y = stream(STARTS[0])
    model = make("OGDClassifier").partial_fit(X[:rows], np.where(X[:rows, 0] > 0, "m", "c"))
    weights = np.where(np.isin(y, ["m", "c"]), 1.0, 0.0)
    model.partial_fit(X[rows:], y[rows:], sample_weight=weights[rows:])
    assert model.classes_.tolist() == ["c", "m"]
    nothing = make("OGDClassifier").partial_fit(X, y, sample_weight=np.zeros(ROWS))
    for ask in (nothing.predict, nothing.predict_proba):
        with pytest.raises(NotFittedError, match="knows no class yet"):
            ask(X)
    assert nothing.partial_fit(X, y).classes_.tolist() == ["a", "c", "m", "x"]


def test_weights_of_labels_to_come() -> None:
    X, y = stream()
    weights = {"a": 3.0, "x": 0.5, "never": 9.0}
    by_class = learned(make("OGDClassifier", class_weight=weights), X, y, [20, 40])
    rows = np.array([weights.get(label, 1.0) for label in y])
    by_row = learned(make("OGDClassifier"), X, y, [20, 40], sample_weight=rows)
    np.testing.assert_allclose(scores(by_class, X), scores(by_row, X), rtol=1e-12)
    with pytest.raises(
        ValueError, match="class_weight has a weight for 'never', which is no label"
    ):
        make("OGDClassifier", class_weight=weights).partial_fit(X, y, classes=LABELS)
    with pytest.raises(ValueError, match="'never' the weight 0"):
        make("OGDClassifier", class_weight={"never": 0.0}).partial_fit(X, y)


# -- kept models -----------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [2, 10, 28, 45])
@pytest.mark.parametrize("class_weight", ["balanced", {"a": 2.0}])
def test_files_and_pickles_go_on(rows: int, class_weight: Any, tmp_path: Path) -> None:
    X, y = stream()
    for name in ("FOGDClassifier", "NOGDClassifier", "BSGDClassifier"):
        model = make(name, class_weight=class_weight).partial_fit(X[:rows], y[:rows])
        save(model, tmp_path / name)
        again = [load(tmp_path / name), pickle.loads(pickle.dumps(model)), model]
        told = [one.partial_fit(X[rows:], y[rows:]).predict_proba(X) for one in again]
        assert all(one.classes_.tolist() == ["a", "c", "m", "x"] for one in again)
        assert again[0].progress_ == model.progress_
        np.testing.assert_array_equal(told[0], told[2])
        np.testing.assert_array_equal(told[1], told[2])


@pytest.mark.parametrize("name", ONLINE_CLASSIFIERS)
def test_every_classifier_grows(name: str) -> None:
    X, y = stream()
    model = learned(make(name), X, y, [22, 38])
    assert model.classes_.tolist() == ["a", "c", "m", "x"]
    assert model.predict_proba(X).shape == (ROWS, 4)


def test_parameters_are_those_of_the_beginning() -> None:
    X, y = stream()
    model = FOGDClassifier(gamma=0.5, n_components=20, random_state=0, class_weight={"a": 5.0})
    other = pickle.loads(pickle.dumps(model))
    model.partial_fit(X[:10], y[:10]).set_params(class_weight=None).partial_fit(X[10:], y[10:])
    other.partial_fit(X, y)
    np.testing.assert_allclose(scores(model, X), scores(other, X), rtol=1e-9)
