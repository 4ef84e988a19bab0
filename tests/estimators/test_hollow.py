"""Dense rows that are mostly zeros are learned like sparse ones, and nobody notices but by the clock."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import onkel.io
from onkel.engine import layout
from tests.estimators.cases import WALKED, make

ROWS, FEATURES = 400, 48


def hollow_rows(seed: int = 0) -> np.ndarray:
    """Few entries differ from a constant row, which lies far from the origin in one feature."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, FEATURES)) * (rng.random((ROWS, FEATURES)) < 0.1)
    X[::11] = 0.0
    X[:, 7] = 1000.0
    return X


def learned(name: str, X: Any, **changes: Any) -> Any:
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + X[:, 3] > 0, 1, -1)
    model = make(name, gamma=0.2, **changes)
    return model.fit(X) if name == "SPAOneClass" else model.fit(X, y)


def scores(model: Any, X: Any) -> np.ndarray:
    ask = getattr(model, "decision_function", model.predict)
    return np.asarray(ask(X))


LEARNERS_AND_KERNELS = [
    (name, kernel)
    for name in WALKED
    for kernel in ("rbf", "linear")
    if kernel in make(name).kernels_allowed
]


@pytest.mark.parametrize(("name", "kernel"), LEARNERS_AND_KERNELS)
def test_the_same_model_as_by_matrix_products(
    name: str, kernel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = hollow_rows()
    if kernel == "linear":
        X[:, 7] = 0.0
    hollow = learned(name, X, kernel=kernel)
    assert hollow._machine.shape.layout == "hollow"
    monkeypatch.setattr(layout, "is_hollow", lambda X: False)
    products = learned(name, X, kernel=kernel)
    assert products._machine.shape.layout == "dense"
    assert hollow.progress_.mistakes == products.progress_.mistakes
    np.testing.assert_allclose(scores(hollow, X), scores(products, X), rtol=1e-8, atol=1e-8)
    if hasattr(products, "support_vectors_"):
        assert isinstance(hollow.support_vectors_, np.ndarray)
        np.testing.assert_allclose(hollow.support_vectors_, products.support_vectors_, atol=1e-10)


@pytest.mark.parametrize("name", WALKED)
def test_other_forms_of_the_same_rows(name: str, tmp_path: Path) -> None:
    X = hollow_rows()
    model = learned(name, X)
    wanted = scores(model, X)
    np.testing.assert_allclose(scores(model, sparse.csr_matrix(X)), wanted, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(scores(pickle.loads(pickle.dumps(model)), X), wanted)
    onkel.io.save(model, tmp_path / "model.onkel")
    again = onkel.io.load(tmp_path / "model.onkel")
    np.testing.assert_array_equal(scores(again, X), wanted)
    assert again._machine.shape.layout == "hollow"


def test_what_is_hollow() -> None:
    X = hollow_rows()
    assert layout.is_hollow(X)
    assert not layout.is_hollow(X[:5])  # too few rows to tell
    assert not layout.is_hollow(X[:, :20])  # too few features to gain by it
    assert not layout.is_hollow(np.ones((100, 50)))


def test_full_rows_stay_dense() -> None:
    X = np.random.default_rng(0).normal(size=(ROWS, FEATURES))
    assert learned("BSGDClassifier", X)._machine.shape.layout == "dense"


def test_rows_that_fill_up_later_are_learned_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    X = hollow_rows()
    X[200:] = np.random.default_rng(2).normal(size=(200, FEATURES))
    hollow = learned("BSGDClassifier", X, shuffle=False)
    monkeypatch.setattr(layout, "is_hollow", lambda X: False)
    products = learned("BSGDClassifier", X, shuffle=False)
    np.testing.assert_allclose(scores(hollow, X), scores(products, X), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_compressed_rows(dtype: Any) -> None:
    X = hollow_rows().astype(dtype)
    expected = sparse.csr_array(X)
    data, indices, indptr = layout.compressed(X)
    np.testing.assert_array_equal(data, expected.data)
    np.testing.assert_array_equal(indices, expected.indices)
    np.testing.assert_array_equal(indptr, expected.indptr)
    assert (data.dtype, indices.dtype, indptr.dtype) == (dtype, np.int64, np.int64)
