"""AVM's cells: core points are apart, and everything seen is covered."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_moons

from onkel import AVMClassifier
from onkel.coresets.coverage import cover, sample_diameter
from onkel.kernels import Rbf
from tests.invariants.streams import learn, three_classes, two_classes

DIAMETER = 0.8
SETTINGS: dict[str, Any] = {"gamma": 1.0, "regularization": 0.01, "diameter": DIAMETER}


def euclidean(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return np.sqrt(((A[:, None] - B[None]) ** 2).sum(axis=2))


def largest(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return np.abs(A[:, None] - B[None]).max(axis=2)


def check_cover(cores: np.ndarray, X: np.ndarray, distance: Any, radius: float) -> None:
    """Up to rounding of a distance from its square."""
    apart = distance(cores, cores)[np.triu_indices(len(cores), 1)]
    assert (apart >= radius * (1 - 1e-9)).all()
    assert distance(X, cores).min(axis=1).max() < radius * (1 + 1e-9)
    assert distance(cores, X).min(axis=1).max() < 1e-14  # core points are rows that were seen


@pytest.mark.parametrize("chunk", [1, 500])
def test_spheres_after_every_chunk(chunk: int) -> None:
    X, y = two_classes(500)
    model = AVMClassifier(cells="sphere", **SETTINGS)
    for first in range(0, 500, chunk):
        model.partial_fit(X[first : first + chunk], y[first : first + chunk], classes=[-1, 1])
        if first % 25 == 0:
            seen = X[: first + chunk]
            check_cover(np.asarray(model.support_vectors_), seen, euclidean, DIAMETER / 2)
    assert 20 < model.n_support_ < 100


def test_boxes() -> None:
    X, y = two_classes(1000)
    model = learn(AVMClassifier(cells="box", **SETTINGS), X, y, 130)
    check_cover(np.asarray(model.support_vectors_), X, largest, DIAMETER / (2 * np.sqrt(2)))
    # A cell's diameter is delta: two members of one box are no farther apart.
    home = largest(X, np.asarray(model.support_vectors_)).argmin(axis=1)
    widest = max(euclidean(X[home == c], X[home == c]).max() for c in np.unique(home))
    assert 0.5 * DIAMETER < widest <= DIAMETER


def test_sparse_and_multi_class_input_is_covered_too() -> None:
    X, y = three_classes(500)
    model = learn(AVMClassifier(cells="sphere", **SETTINGS), sparse.csr_matrix(X), y)
    check_cover(model.support_vectors_.toarray(), X, euclidean, DIAMETER / 2)


def test_a_cell_is_opened_whatever_the_loss() -> None:
    """The core points depend on the rows alone, not on labels or on what was learned."""
    X, y = two_classes(400)
    cores = [
        learn(AVMClassifier(cells="sphere", **SETTINGS), X, labels).support_vectors_
        for labels in (y, np.resize([1, -1], 400))
    ]
    np.testing.assert_array_equal(*cores)


def test_the_core_set_does_not_grow_with_the_stream() -> None:
    X, y = two_classes(6000)
    model = AVMClassifier(cells="sphere", **SETTINGS)
    early = learn(model, X[:3000], y[:3000]).n_support_
    late = learn(model, X[3000:], y[3000:]).n_support_
    # Disjoint discs of half the radius inside the square with a margin: a bound for any stream.
    assert late <= (4 + DIAMETER / 2) ** 2 / (np.pi * (DIAMETER / 4) ** 2)
    assert late - early < 0.15 * early


def test_heaps_of_near_copies_are_not_cut_up() -> None:
    """Most rows are near copies of a few: the kernel does not tell them apart, nor do the cells."""
    rng = np.random.default_rng(0)
    heaps = rng.normal(size=(40, 6))
    X = heaps[rng.integers(0, 40, 3000)] + 1e-5 * rng.normal(size=(3000, 6))
    gamma = 1.0 / 6.0
    by_share, by_kernel = sample_diameter(X, 0), sample_diameter(X, 0, Rbf(gamma))
    assert cover(X, by_share).size > 700
    assert cover(X, by_kernel).size == 40
    assert np.exp(-gamma * (by_kernel / 2) ** 2) == pytest.approx(0.99)


def test_spread_data_is_covered_as_if_there_were_no_kernel() -> None:
    X = np.random.default_rng(0).normal(size=(3000, 6))
    assert sample_diameter(X, 0, Rbf(1.0 / 6.0)) == sample_diameter(X, 0)


def test_rows_far_apart_share_no_cell_in_which_nothing_is_kept_of_them() -> None:
    """The core point of a cell is a better stand-in for its rows than none at all."""
    X = np.random.default_rng(0).normal(size=(1500, 300))
    gamma = 1.0 / 300.0
    by_share, by_kernel = sample_diameter(X, 0), sample_diameter(X, 0, Rbf(gamma))
    assert by_kernel < by_share
    assert np.exp(-gamma * (by_kernel / 2) ** 2) == pytest.approx(0.5)


@pytest.mark.parametrize(("goes_on", "classes"), [(False, 300), (True, 500)])
def test_classes_need_not_share_cells(goes_on: bool, classes: int) -> None:
    """More clusters, each a class, than there would be core points."""
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.arange(512) % classes)
    X = rng.normal(size=(classes, 8))[labels] + 0.05 * rng.normal(size=(512, 8))
    blind = sample_diameter(X, 0, goes_on=goes_on)
    seeing = sample_diameter(X, 0, goes_on=goes_on, labels=labels)
    assert cover(X, blind).size < 0.8 * classes
    assert cover(X, seeing).size >= classes
    few = labels % 20
    assert sample_diameter(X, 0, goes_on=goes_on, labels=few) == blind


@pytest.mark.parametrize("features", [1, 2, 5, 20])
def test_the_first_rows_of_a_stream_foretell_its_diameter(features: int) -> None:
    X = np.random.default_rng(features).normal(size=(4000, features))
    later, few = sample_diameter(X, 0), sample_diameter(X[:512], 0)
    foretold = sample_diameter(X[:512], 0, goes_on=True)
    # Cells open ever more slowly, so that too many are foretold; but it is a good part of the way.
    assert 0.9 * later < foretold < few ** (2 / 3) * later ** (1 / 3)
    assert sample_diameter(X, 0, goes_on=True) == later


@pytest.mark.parametrize("first", [1, 2, 5, 10, 49])
def test_a_small_first_chunk_does_not_ruin_the_diameter(first: int) -> None:
    X, y = make_moons(3000, noise=0.1, random_state=0)
    model = AVMClassifier(gamma=2.0, random_state=0)
    for chunk in (slice(0, first), slice(first, None)):
        model.partial_fit(X[chunk], y[chunk], classes=[0, 1])
    assert np.exp(-2.0 * (model.diameter_ / 2) ** 2) == pytest.approx(0.9)
    assert model.progress_.mistake_rate < 0.05
