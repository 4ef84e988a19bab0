"""Rows that get wider: the model is as if it had known the width from the start."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from onkel import FOGDClassifier, OGDRegressor
from onkel.engine import layout as kinds
from onkel.io import load, save
from tests.estimators.cases import ONLINE, data_for, learn_on, make, scores

NARROW, WIDE = 3, 5
#: Within the first look, at its end, and beyond it.
MOMENTS = (1, 9, 16, 40)
CLOSE = {"rtol": 1e-9, "atol": 1e-9}


def as_rows(X: np.ndarray, as_csr: bool) -> Any:
    return sparse.csr_matrix(X) if as_csr else X


def stream(name: str, widen_at: int, width: int = WIDE) -> tuple[np.ndarray, Any]:
    """Rows that are 0 in the new columns before they come."""
    X, y = data_for(name, n_features=width)
    X = np.where(np.abs(X) > 0.3, X, 0.0)
    X[:widen_at, NARROW:] = 0.0
    return X, y


def widened(model: Any, X: np.ndarray, y: Any, widen_at: int, as_csr: bool = False) -> Any:
    """The model after narrow rows, and then wide ones."""
    narrow, wide = slice(0, widen_at), slice(widen_at, None)
    targets = [None, None] if y is None else [y[narrow], y[wide]]
    learn_on(model, as_rows(X[narrow, :NARROW], as_csr), targets[0])
    return learn_on(model, as_rows(X[wide], as_csr), targets[1])


@pytest.mark.parametrize("as_csr", [False, True], ids=["dense", "csr"])
@pytest.mark.parametrize("name", ONLINE)
def test_as_if_it_had_known_the_width(name: str, as_csr: bool) -> None:
    for widen_at in MOMENTS:
        X, y = stream(name, widen_at)
        grown = widened(make(name, grow_features=True), X, y, widen_at, as_csr)
        known = learn_on(make(name), as_rows(X, as_csr), y)
        probes = as_rows(data_for(name, 20, seed=1, n_features=WIDE).X, as_csr)
        np.testing.assert_allclose(scores(grown, probes), scores(known, probes), **CLOSE)
        assert grown.n_features_in_ == WIDE and grown.t_ == known.t_ == len(X)
        if hasattr(grown, "support_vectors_"):
            assert grown.support_vectors_.shape == known.support_vectors_.shape


@pytest.mark.parametrize("name", ["OGDClassifier", "FOGDClassifier", "NOGDClassifier"])
def test_asked_about_wider_rows_before_it_has_learned_any(name: str) -> None:
    for widen_at in MOMENTS:
        X, y = stream(name, widen_at)
        grown = learn_on(make(name, grow_features=True), X[:widen_at, :NARROW], y[:widen_at])
        known = learn_on(make(name), X[:widen_at], y[:widen_at])
        before = scores(grown, X[:, :NARROW])
        np.testing.assert_allclose(scores(grown, X), scores(known, X), **CLOSE)
        np.testing.assert_array_equal(scores(grown, X[:, :NARROW]), before)
        assert grown.n_features_in_ == NARROW


def test_dense_rows_that_are_mostly_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "is_hollow", lambda X: True)
    for name in ("BSGDClassifier", "FOGDClassifier"):
        X, y = stream(name, 30)
        grown = widened(make(name, grow_features=True), X, y, 30)
        assert grown._machine.shape.layout == "hollow"
        known = learn_on(make(name), X, y)
        np.testing.assert_allclose(scores(grown, X), scores(known, X), **CLOSE)


@pytest.mark.parametrize(
    "name", ["OGDClassifier", "BSGDClassifier", "FOGDClassifier", "NOGDClassifier"]
)
def test_sparse_rows_that_become_very_wide(name: str) -> None:
    """They are then kept as sparse vectors, as if they had been from the start."""
    X, y = stream(name, 30, kinds.WIDE + 1)
    X[30:, NARROW:-2] = 0.0
    grown = widened(make(name, grow_features=True), X, y, 30, as_csr=True)
    known = learn_on(make(name), as_rows(X, True), y)
    assert grown._machine.shape == known._machine.shape
    np.testing.assert_allclose(
        scores(grown, as_rows(X, True)), scores(known, as_rows(X, True)), **CLOSE
    )


def test_boxes_stay_as_wide_as_they_were() -> None:
    """Half a diameter over the root of the number of features, when the stream began."""
    X, y = stream("AVMClassifier", 30)
    grown = widened(make("AVMClassifier", cells="box", grow_features=True), X, y, 30)
    diameter = 0.5 * np.sqrt(WIDE / NARROW)
    known = learn_on(make("AVMClassifier", cells="box", diameter=diameter), X, y)
    np.testing.assert_allclose(scores(grown, X), scores(known, X), **CLOSE)


@pytest.mark.parametrize("rows", [9, 40])
def test_files_and_pickles(rows: int, tmp_path: Path) -> None:
    for model in (
        FOGDClassifier(gamma=0.5, n_components=20, random_state=0),
        OGDRegressor(gamma=0.5),
    ):
        name = type(model).__name__
        X, y = stream(name, rows)
        model = learn_on(model.set_params(grow_features=True), X[:rows, :NARROW], y[:rows])
        learn_on(model, X[rows : rows + 1], y[rows : rows + 1])
        save(model, tmp_path / "file")
        again = [load(tmp_path / "file"), pickle.loads(pickle.dumps(model)), model]
        told = [scores(learn_on(one, X[rows + 1 :], y[rows + 1 :]), X) for one in again]
        np.testing.assert_array_equal(told[0], told[2])
        np.testing.assert_array_equal(told[1], told[2])


@pytest.mark.parametrize("rows", [9, 40])
def test_what_is_refused(rows: int) -> None:
    X, y = stream("OGDClassifier", rows)
    plain = learn_on(make("OGDClassifier"), X[:rows, :NARROW], y[:rows])
    grows = learn_on(make("OGDClassifier", grow_features=True), X[:rows], y[:rows])
    frequencies = make("FOGDClassifier", grow_features=True, orthogonal=True)
    orthogonal = learn_on(frequencies, X[:40, :NARROW], y[:40])
    for model, wrong, says in (
        (plain, X, "is expecting 3 features as input: rows may get wider with grow_features=True"),
        (plain, X.tolist(), "is expecting 3 features as input: rows may get wider"),
        (grows, X[:, :NARROW], "X has 3 features, but OGDClassifier is expecting 5 features"),
        (orthogonal, X, "orthogonal=True draws"),
    ):
        before = knowledge_of(model)
        with pytest.raises(ValueError, match=says):
            model.partial_fit(wrong, y)
        with pytest.raises(ValueError, match=says):
            model.predict(wrong)
        assert_same(knowledge_of(model), before)


def knowledge_of(model: Any) -> dict[str, Any]:
    probe = np.ones((3, model.n_features_in_))
    return {"scores": scores(model, probe), "width": model.n_features_in_, "t": model.t_}


def assert_same(found: dict[str, Any], before: dict[str, Any]) -> None:
    for key, value in before.items():
        np.testing.assert_array_equal(found[key], value)


def test_names_go_on_as_they_were() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = stream("OGDClassifier", 30)
    table = pandas.DataFrame(X, columns=list("abcde"))
    model = learn_on(make("OGDClassifier", grow_features=True), table.iloc[:30, :NARROW], y[:30])
    with pytest.raises(
        ValueError, match="first 3 columns are not called as they were: 'a', 'b', 'c'"
    ):
        model.partial_fit(table[["b", "a", "c", "d"]], y)
    model.partial_fit(table[30:], y[30:])
    assert model.feature_names_in_.tolist() == list("abcde")
    plain = widened(make("OGDClassifier", grow_features=True), X, y, 30)
    np.testing.assert_array_equal(scores(model, table), scores(plain, X))


def test_rows_without_a_weight_widen_nothing() -> None:
    X, y = stream("OGDClassifier", 30)
    for rows in (9, 30):
        model = learn_on(make("OGDClassifier", grow_features=True), X[:rows, :NARROW], y[:rows])
        model.partial_fit(X, y, sample_weight=np.zeros(len(y)))
        assert model.n_features_in_ == NARROW
