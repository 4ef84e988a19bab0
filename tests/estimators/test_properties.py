"""What holds for any stream: chunkings, weights, odd shapes, saving, kinds of input."""

from __future__ import annotations

import copy
import io
import itertools
import pickle
from typing import Any

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tests.estimators.cases import (
    EVERY,
    HANDFUL,
    ONLINE,
    data_for,
    learn_on,
    learned,
    make,
    scores,
    size_of,
)

ROWS = 300  # more than two blocks, and more than an unbounded learner has room for at first
few = settings(max_examples=4, deadline=None, derandomize=True)


def part(values: Any, which: Any) -> Any:
    return None if values is None else values[which]


def learn_in_chunks(model: Any, X: Any, y: Any, cuts: list[int], **more: Any) -> Any:
    edges = [0, *sorted(cuts), X.shape[0]]
    for start, stop in itertools.pairwise(edges):
        if start < stop:
            rows = slice(start, stop)
            given_ = {key: value[rows] for key, value in more.items()}
            learn_on(model, X[rows], part(y, rows), **given_)
    return model


def assert_same(model: Any, other: Any, X: Any, tolerance: float = 1e-8) -> None:
    assert model.t_ == other.t_
    assert size_of(model) == size_of(other)
    assert model.progress_.mistakes == other.progress_.mistakes
    np.testing.assert_allclose(scores(model, X), scores(other, X), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", ONLINE)
@few
@given(cuts=st.lists(st.integers(1, ROWS - 1), max_size=4))
def test_any_chunking_is_one_pass(name: str, cuts: list[int]) -> None:
    X, y = data_for(name, ROWS)
    whole = learn_on(make(name), X, y)
    assert_same(learn_in_chunks(make(name), X, y, cuts), whole, X)


@pytest.mark.parametrize("name", HANDFUL)
def test_row_by_row_is_one_pass(name: str) -> None:
    X, y = data_for(name, ROWS)
    whole = learn_on(make(name), X, y)
    assert_same(learn_in_chunks(make(name), X, y, list(range(1, ROWS))), whole, X)


@pytest.mark.parametrize("name", ONLINE)
@few
@given(kept=st.lists(st.booleans(), min_size=60, max_size=60).filter(any))
def test_rows_of_no_weight_are_not_there(name: str, kept: list[bool]) -> None:
    X, y = data_for(name)
    weights = np.where(kept, 1.7, 0.0)
    model = learn_on(make(name, gamma="scale"), X, y, sample_weight=weights)
    left = np.flatnonzero(weights)
    without = make(name, gamma="scale")
    learn_on(without, X[left], part(y, left), sample_weight=weights[left])
    assert model.t_ == len(left)
    assert_same(model, without, X, 0)


@pytest.mark.parametrize("name", EVERY)
def test_weights_of_one_are_no_weights(name: str) -> None:
    X, y = data_for(name)
    model = learn_on(make(name), X, y, sample_weight=np.ones(60))
    np.testing.assert_array_equal(scores(model, X), scores(learned(name), X))


@pytest.mark.parametrize("name", HANDFUL)
def test_weights_make_a_difference(name: str) -> None:
    X, y = data_for(name)
    model = learn_on(make(name), X, y, sample_weight=np.full(60, 0.3))
    assert not np.allclose(scores(model, X), scores(learned(name), X))


ODD: dict[str, Any] = {
    "one row": lambda X: X[:1],
    "one feature": lambda X: X[:, :1],
    "one row and feature": lambda X: X[:1, :1],
    "a constant feature": lambda X: X * [1.0, 0.0, 1.0],
    "zeros": lambda X: X * 0,
    "duplicates": lambda X: np.repeat(X[:5], 12, axis=0),
    "tiny differences": lambda X: X[:1] + 1e-14 * X,
}


@pytest.mark.parametrize("shape", ODD)
@pytest.mark.parametrize("name", ONLINE)
def test_odd_shapes(name: str, shape: str) -> None:
    X, y = data_for(name)
    X = np.ascontiguousarray(ODD[shape](X))
    y = part(y, slice(len(X)))
    model = learn_on(make(name, gamma="scale"), X, y)
    assert model.t_ == len(X)
    assert np.isfinite(scores(model, X)).all()
    assert np.isfinite(scores(model, X + 1)).all()
    fixed = learn_on(make(name, gamma=0.5), X, y)
    halves = learn_in_chunks(make(name, gamma=0.5), X, y, [len(X) // 2])
    # Equal rows of both labels tie: only rounding tells which of them is a mistake.
    np.testing.assert_allclose(scores(halves, X), scores(fixed, X), rtol=1e-6, atol=1e-6)


def through_joblib(model: Any) -> Any:
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


COPIES: dict[str, Any] = {
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "deepcopy": copy.deepcopy,
    "joblib": through_joblib,
}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("name", ONLINE)
def test_saved_in_mid_stream(name: str, way: str) -> None:
    X, y = data_for(name, ROWS)
    start, rest = slice(150), slice(150, None)
    model = learn_on(make(name), X[start], part(y, start))
    saved = COPIES[way](model)
    at_saving = scores(model, X)
    learn_on(model, X[rest], part(y, rest))
    np.testing.assert_array_equal(scores(saved, X), at_saving)  # a copy shares nothing
    assert_same(learn_on(saved, X[rest], part(y, rest)), model, X, 0)


@pytest.mark.parametrize("name", EVERY)
def test_the_seed_decides(name: str) -> None:
    X, y = data_for(name)
    one, same = (make(name, random_state=7).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(scores(one, X), scores(same, X))


@pytest.mark.parametrize("form", ["dense", "csr"])
@pytest.mark.parametrize("name", EVERY)
def test_input_is_neither_kept_nor_changed(name: str, form: str) -> None:
    X, y = data_for(name)
    given_X = X.copy() if form == "dense" else sparse.csr_matrix(X)
    given_y, weights = part(y, slice(None)), np.linspace(0.5, 1.5, 60)
    given_y = None if given_y is None else given_y.copy()
    model = learn_on(make(name), given_X, given_y, sample_weight=weights)
    found = scores(model, X)
    dense = given_X if form == "dense" else given_X.toarray()
    np.testing.assert_array_equal(dense, X)
    np.testing.assert_array_equal(weights, np.linspace(0.5, 1.5, 60))
    if y is not None:
        np.testing.assert_array_equal(given_y, y)
    for array in (given_X, weights) if form == "dense" else (given_X.data, weights):
        array[:] = 99.0
    np.testing.assert_array_equal(scores(model, X), found)
    if hasattr(model, "dual_coef_"):
        model.dual_coef_[:] += 0 if name in ("CSVRGClassifier", "LLSVMClassifier") else 1.0
        np.testing.assert_array_equal(scores(model, X), found)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int64, np.int8, bool])
@pytest.mark.parametrize("name", ["OGDClassifier", "BSGDClassifier", "NOGDClassifier"])
def test_float32_is_kept(name: str, dtype: Any) -> None:
    X, y = data_for(name)
    kept = np.float32 if dtype is np.float32 else np.float64
    forms = [X.astype(dtype)]
    if dtype is not np.float16:  # of which SciPy has no matrices
        forms.append(sparse.csr_matrix(X.astype(dtype)))
    for rows in forms:
        model = learn_on(make(name), rows, y)
        assert model.support_vectors_.dtype == kept
        learn_on(model, X, y)  # of another type: it becomes the model's
        assert model.support_vectors_.dtype == kept


@pytest.mark.parametrize("name", HANDFUL)
def test_types_meet_in_one_stream(name: str) -> None:
    X, y = data_for(name)
    X = X.astype(np.float32)
    single = learn_on(learn_on(make(name), X, y), X, y)
    mixed = learn_on(learn_on(make(name), X, y), X.astype(np.float64), y)
    assert_same(mixed, single, X, 0)


# -- dense and sparse ----------------------------------------------------------------------------


def sparse_data(name: str, dtype: Any) -> tuple[np.ndarray, Any]:
    X, y = data_for(name, ROWS, n_features=12)
    X[np.abs(X) < 0.9] = 0
    return X.astype(dtype), y


#: float32 rounds a kernel value to 6e-8 * gamma * |x|^2, about 1e-6 here; a few hundred
#: coefficients of either sign add up to some tens of that. float64 is 2^29 times finer.
TOLERANCE = {np.float64: 1e-9, np.float32: 5e-4}


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", HANDFUL)
def test_dense_is_sparse(name: str, dtype: Any) -> None:
    X, y = sparse_data(name, dtype)
    dense, csr = learn_on(make(name), X, y), learn_on(make(name), sparse.csr_matrix(X), y)
    assert sparse.issparse(getattr(csr, "support_vectors_", sparse.csr_matrix(X)))
    tolerance = TOLERANCE[dtype]
    np.testing.assert_allclose(scores(csr, X), scores(dense, X), atol=tolerance)
    assert size_of(csr) == size_of(dense)


@pytest.mark.parametrize("name", HANDFUL)
def test_dense_and_sparse_chunks_mix(name: str) -> None:
    X, y = sparse_data(name, np.float64)
    forms = (np.asarray, sparse.csr_matrix, sparse.csc_matrix, sparse.coo_array)
    whole = learn_on(make(name), X, y)
    for first in (np.asarray, sparse.csr_matrix):
        model = learn_on(make(name), first(X[:100]), part(y, slice(100)))
        for form, start in zip(forms, range(100, 300, 50), strict=True):
            rows = slice(start, start + 50)
            learn_on(model, form(X[rows]), part(y, rows))
        assert_same(model, whole, X)
        np.testing.assert_allclose(scores(model, sparse.csr_matrix(X)), scores(whole, X), atol=1e-8)


@pytest.mark.parametrize("name", HANDFUL)
def test_unsorted_and_repeated_entries(name: str) -> None:
    X, y = sparse_data(name, np.float64)
    tidy = sparse.csr_matrix(X)
    untidy = sparse.csr_matrix(X)
    for start, stop in zip(untidy.indptr[:-1], untidy.indptr[1:], strict=True):
        untidy.indices[start:stop] = untidy.indices[start:stop][::-1]
        untidy.data[start:stop] = untidy.data[start:stop][::-1]
    twice = sparse.csr_matrix(
        (np.repeat(tidy.data / 2, 2), np.repeat(tidy.indices, 2), 2 * tidy.indptr), tidy.shape
    )
    expected = scores(learn_on(make(name, gamma="scale"), tidy, y), X)
    for form in (untidy, twice):
        form.has_sorted_indices = False
        form.has_canonical_format = False
        before = form.indices.copy()
        model = learn_on(make(name, gamma="scale"), form, y)
        np.testing.assert_allclose(scores(model, X), expected, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(scores(model, form), expected, rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(form.indices, before)
