"""Rows as jobs learn them: scaling, dividing, drawing, layout."""

import numpy as np
import pytest
from scipy import sparse

from onkel.evaluate import Data, rows
from onkel.evaluate.scaling import learned_scaler

RNG = np.random.default_rng(0)
X = RNG.normal(3.0, 2.0, (200, 4))
Y = RNG.integers(0, 3, 200)


@pytest.fixture
def with_parts(monkeypatch):
    """A set "parts" with a test part whose values lie outside those of the training part."""
    test = sparse.csr_matrix(X[:50] * 10), Y[:50]
    train = sparse.csr_matrix(X[50:]), Y[50:]
    whole = sparse.vstack([train[0], test[0]], format="csr"), np.concatenate([train[1], test[1]])
    sets = {"train": train, "test": test, "all": whole}
    monkeypatch.setattr("onkel.datasets.load", lambda name, split="train": sets[split])
    forget()
    yield sets
    forget()


def forget():
    for kept in (rows.load_rows, rows._loaded, rows._learned_from_whole, rows._laid_out):
        kept.cache_clear()


def rows_of(A):
    return sorted(map(tuple, np.round(A, 9)))


def test_online_rows_are_all_rows_in_the_order_of_the_seed():
    data = Data.of(X, Y)
    one, other, again = (data.load("online", seed) for seed in (0, 1, 0))
    assert rows_of(one.X) == rows_of(X) and not np.array_equal(one.X, other.X)
    np.testing.assert_array_equal(one.X, again.X)
    np.testing.assert_array_equal(one.X, X[np.random.default_rng(0).permutation(200)])
    assert one.X_test is None and one.classes.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("features", "low", "high"), [("unit_interval", 0, 1), ("minus_one_one", -1, 1)]
)
def test_online_scaling_looks_at_all_rows(features, low, high):
    data = Data.of(X, Y, features=features)
    A = data.load("online", 0).X
    np.testing.assert_allclose([A.min(0), A.max(0)], [[low] * 4, [high] * 4], atol=1e-12)
    # drawn rows are scaled as all of them are
    few = Data.of(X, Y, features=features, rows=20).load("online", 0).X
    np.testing.assert_allclose(few, A[:20])


def test_unit_variance_of_features_and_target():
    data = Data.of(X, X[:, 0] * 7, features="unit_variance", target="unit_variance")
    A, y, *_, classes = data.load("online", 0)
    np.testing.assert_allclose([A.mean(0), A.std(0)], [[0] * 4, [1] * 4], atol=1e-12)
    np.testing.assert_allclose([y.mean(), y.std()], [0, 1], atol=1e-12)
    assert classes is None


def test_own_test_part_is_scaled_as_the_training_part(with_parts):
    A, _, T, t, _ = Data("parts", features="unit_interval").load("batch", 0)
    np.testing.assert_allclose([A.min(0), A.max(0)], [[0] * 4, [1] * 4], atol=1e-12)
    low, high = X[50:].min(0), X[50:].max(0)
    assert rows_of(T) == rows_of((X[:50] * 10 - low) / (high - low)) and len(t) == 50
    few = Data("parts", features="unit_interval", rows=30, test_rows=10).load("batch", 0)
    assert len(few.y) == 30 and len(few.y_test) == 10
    np.testing.assert_allclose(few.X, A[:30])


def test_own_test_part_must_not_be_learned(with_parts):
    with pytest.raises(ValueError, match="rows of the test part"):
        Data("parts", "all").load("batch", 0)
    with pytest.raises(ValueError, match="no test part"):
        Data.of(X, Y, test="own").load("batch", 0)


def test_a_share_is_held_out_and_not_seen_by_the_scaling():
    data = Data.of(X, Y, test=0.25)
    A, _, T, _, _ = data.load("batch", 3)
    assert len(A) == 150 and rows_of(np.vstack([A, T])) == rows_of(X)
    scaled = Data.of(X, Y, test=0.25, features="unit_interval").load("batch", 3)
    np.testing.assert_allclose(scaled.X, (A - A.min(0)) / (A.max(0) - A.min(0)))
    np.testing.assert_allclose(scaled.X_test, (T - A.min(0)) / (A.max(0) - A.min(0)))


def test_validation_never_sees_the_test_rows():
    held = rows_of(Data.of(X, Y, test=0.25).load("batch", 3).X_test)
    folds = [Data.of(X, Y, test=0.25, validate=(i, 3)).load("batch", 3) for i in range(3)]
    for fold in folds:
        assert rows_of(np.vstack([fold.X, fold.X_test, np.array(held)])) == rows_of(X)
    assert rows_of(np.vstack([fold.X_test for fold in folds] + [np.array(held)])) == rows_of(X)
    once = Data.of(X, Y, test=0.25, validate="online").load("online", 3)
    assert rows_of(np.vstack([once.X, np.array(held)])) == rows_of(X)
    share = Data.of(X, Y, test=0.25, validate=0.2).load("batch", 3)
    assert len(share.y_test) == 30 and len(share.y) == 120


def test_labels_made_binary_and_features_dropped():
    ready = Data.of(X, Y, binary=2, drop=[1, 4]).load("online", 0)
    order = np.random.default_rng(0).permutation(200)
    assert ready.classes.tolist() == [-1, 1]
    np.testing.assert_array_equal(ready.y, np.where(Y[order] == 2, 1, -1))
    np.testing.assert_array_equal(ready.X, X[order][:, 1:3])


def test_layout_is_sparse_only_where_that_is_faster():
    thin = sparse.random(100, 50, 0.1, format="csr", random_state=0)
    y = np.arange(100) % 2
    assert sparse.issparse(Data.of(thin, y).load().X)
    assert sparse.issparse(Data.of(thin, y, features="unit_interval").load().X)  # no shift
    assert not sparse.issparse(Data.of(thin, y, features="minus_one_one").load().X)
    assert not sparse.issparse(Data.of(thin, y, dense=True).load().X)
    assert not sparse.issparse(Data.of(sparse.csr_matrix(X), Y).load().X)
    assert Data.of(X, Y, dtype="float32").load().X.dtype == np.float32


def test_scaling_sparse_rows_is_scaling_dense_ones():
    thin = sparse.random(100, 20, 0.3, format="csr", random_state=0)
    for to in ("unit_interval", "minus_one_one", "unit_variance"):
        scalers = [learned_scaler(rows, to) for rows in (thin.toarray(), thin)]
        for scaler in scalers:
            scaler.shift = True
        dense, ours = (scaler.transform(thin.toarray()) for scaler in scalers)
        np.testing.assert_allclose(ours, dense, atol=1e-12)
    kept = Data.of(thin, np.arange(100) % 2, features="unit_variance", dense=False).load()
    order = np.random.default_rng(0).permutation(100)
    expected = thin.toarray() / thin.toarray().std(0)
    np.testing.assert_allclose(kept.X.toarray(), expected[order])


def test_constant_columns_and_labels_of_text():
    A = np.column_stack([X[:, 0], np.full(200, 7.0)])
    assert (Data.of(A, Y, features="minus_one_one").load().X[:, 1] == -1).all()
    assert (Data.of(A, Y, features="unit_variance").load().X[:, 1] == 0).all()
    words = np.array(["a", "b"], dtype=object)[Y % 2]
    assert Data.of(X, words).load().classes.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"split": "middle"}, "split must be"),
        ({"features": "unit"}, "features must be"),
        ({"test": 1.5}, "between 0 and 1"),
        ({"test": "other"}, "'own' or a share"),
        ({"rows": 0}, "at least 1"),
        ({"drop": [0]}, "counts features from 1"),
        ({"rows": 10.5}, "whole number"),
        ({"validate": (3, 3)}, "fold"),
        ({"validate": (0, 1)}, "fold"),
        ({"validate": (0, 1, 2)}, "fold"),
    ],
)
def test_bad_settings_are_told_at_once(settings, message):
    with pytest.raises(ValueError, match=message):
        Data("a9a", **settings)


def test_bad_settings_that_only_the_rows_can_tell():
    with pytest.raises(ValueError, match="leaves one class"):
        Data.of(X, Y, binary=9).load()
    with pytest.raises(ValueError, match="only 4 features"):
        Data.of(X, Y, drop=5).load()
    with pytest.raises(ValueError, match="n x d and n"):
        Data.of(X, Y[1:])


@pytest.mark.data("a9a")
def test_a_set_of_the_papers():
    ready = Data("a9a", "all", rows=100).load("online", 0)
    assert ready.X.shape == (100, 123) and sparse.issparse(ready.X)


@pytest.mark.parametrize("layout", [np.array, sparse.csr_matrix])
def test_arrays_changed_afterwards_are_not_the_data(layout):
    rows, targets = layout(X + 1), Y + 1
    data = Data.of(rows, targets)
    values = rows.data if sparse.issparse(rows) else rows
    values[:] = 0
    targets[:] = 0
    loaded = data.load("online", 0)
    assert loaded.X.all() and loaded.y.all()
