"""The warning of features that differ in scale: when it comes, what it says, and when it does not come."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import StandardScaler

import onkel
from onkel import ScaleWarning
from onkel.estimators.scales import spread_of
from tests.look.streams import LOOK, learned_in_pieces

ROWS = 600
SPREADS = {
    "seldom": lambda r: np.where(r.random(400) < 0.02, 1.0, 0.0),
    "half": lambda r: np.where(r.random(400) < 0.5, r.normal(size=400), 0.0),
    "mostly": lambda r: np.where(r.random(400) < 0.8, 300.0 + r.normal(size=400), 0.0),
    "always": lambda r: 1000.0 + 5.0 * r.normal(size=400),
    "never": lambda r: np.zeros(400),
    "constant": lambda r: np.full(400, 3.0),
}


def rows(factor: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(ROWS, 3)) * [factor, 1.0, 3.0]
    return X, (X[:, 1] > 0).astype(int)


def warned(learn: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        learn()
    return [str(one.message) for one in found if one.category is ScaleWarning]


def test_the_spread_is_that_of_the_definition() -> None:
    random = np.random.default_rng(1)
    X = np.column_stack([make(random) for make in SPREADS.values()])
    found = spread_of(X)
    np.testing.assert_allclose(found.of_all, X.std(axis=0), rtol=1e-12)
    for j, column in enumerate(X.T):
        gaps = column - np.median(column)
        gaps = gaps[gaps != 0]
        expected = np.sqrt(np.mean(gaps**2)) if gaps.size else 0.0
        assert found.of_others[j] == pytest.approx(expected, rel=1e-12), list(SPREADS)[j]
    for kind in (sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix):
        np.testing.assert_allclose(spread_of(kind(X)), found, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_fit_warns_once_and_says_what_to_do(kind: Any) -> None:
    X, y = rows(1e4)
    told = warned(lambda: onkel.OGDClassifier().fit(kind(X), y))
    assert len(told) == 1
    for words in (
        "feature 0 ",
        "e+0",
        "feature 1 ",
        "StandardScaler",
        "TableEncoder",
        "stream.scaled",
    ):
        assert words in told[0]


def test_features_are_called_by_their_names() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = rows(1e-4)
    table = pandas.DataFrame(X, columns=["share", "age", "price"])
    told = warned(lambda: onkel.OGDClassifier().fit(table, y))
    assert "'price'" in told[0] and "'share'" in told[0] and "'age'" not in told[0]


@pytest.mark.parametrize("cuts", [[], list(range(7, ROWS, 7))], ids=["one chunk", "many"])
def test_a_stream_warns_once_at_the_end_of_the_look(cuts: list[int]) -> None:
    X, y = rows(1e4)
    y = np.array(["no", "yes"])[y]
    model = onkel.RBPClassifier(random_state=0)
    early = slice(LOOK - 10)
    assert not warned(lambda: model.partial_fit(X[early], y[early], ["no", "yes"]).predict(X))
    model = onkel.RBPClassifier(random_state=0)
    assert len(warned(lambda: learned_in_pieces(model, X, y, cuts))) == 1


def test_a_warning_made_an_error_leaves_the_model_as_it_was() -> None:
    X, y = rows(1e4)
    model = onkel.RBPClassifier(random_state=0).partial_fit(X[:100], y[:100], [0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ScaleWarning):
            model.partial_fit(X[100:], y[100:])
        assert model.t_ == 100
        with pytest.raises(ScaleWarning):
            model.fit(X, y)
    assert model.t_ == 100


@pytest.mark.parametrize("name", ["CSVRGClassifier", "LLSVMClassifier", "Nystrom", "RandomFourier"])
def test_batch_learners_and_feature_maps_warn_too(name: str) -> None:
    X, y = rows(1e4)
    assert len(warned(lambda: getattr(onkel, name)().fit(X[:200], y[:200]))) == 1


def rare_ones(share: float) -> np.ndarray:
    random = np.random.default_rng(2)
    return np.column_stack([random.normal(size=(5000, 2)), random.random(5000) < share])


QUIET: dict[str, Any] = {
    "a factor of 90": rows(1 / 30)[0],
    "a constant": rows()[0] * [1.0, 1.0, 0.0] + [0.0, 0.0, 1e6],
    "far from the origin": rows()[0] + [0.0, 0.0, 1e6],
    "rare ones": rare_ones(0.0005),
    "rare ones, standardised": StandardScaler().fit_transform(rare_ones(0.0005)),
    "words": sparse.random(800, 3000, 0.01, "csr", random_state=0),
    "one feature": rows(1e5)[0][:, :1],
    "one row": rows(1e5)[0][:1],
}


@pytest.mark.parametrize("what", QUIET)
def test_what_is_no_reason(what: str) -> None:
    X = QUIET[what]
    assert not warned(lambda: onkel.SPAOneClass(random_state=0).fit(X))


def test_who_brings_a_kernel_may_scale_in_it() -> None:
    X, y = rows(1e4)
    model = onkel.OGDClassifier(kernel=lambda A, B: A[:, 1:] @ B[:, 1:].T)
    assert not warned(lambda: model.fit(X, y))


@pytest.mark.parametrize("low, high", [(1e-150, 1.0), (1.0, 1e150), (1e-300, 1e-300)])
def test_numbers_near_the_limits(low: float, high: float) -> None:
    X, y = rows()
    told = warned(lambda: onkel.RBPClassifier(gamma=1.0).fit(X * [low, high, high], y))
    assert len(told) == (low != high)
    assert not any("inf" in one or "nan" in one for one in told)
