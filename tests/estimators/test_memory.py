"""Very wide sparse data: memory goes with the vectors' non-zeros, not with budget x features."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tests.estimators.cases import learn_on, make, scores

FEATURES, NON_ZEROS, ROWS = 1_000_000, 20, 400
WIDE = [
    ("BSGDClassifier", {"budget": 100}),
    ("RBPClassifier", {"budget": 100, "intercept": False}),
    ("OGDClassifier", {}),
    ("FOGDClassifier", {"n_components": 8}),
]


def wide_stream(seed: int) -> tuple[Any, np.ndarray]:
    """Rows of a few words from a vocabulary of a million, about one of two topics."""
    random = np.random.default_rng(seed)
    topic = random.integers(0, 2, ROWS)
    words = random.integers(0, 100, (ROWS, NON_ZEROS)) + 100 * topic[:, None]
    words[:, ::2] = random.integers(0, FEATURES, words[:, ::2].shape)
    starts = np.arange(ROWS + 1) * NON_ZEROS
    X = sparse.csr_matrix((np.ones(words.size), words.ravel(), starts), (ROWS, FEATURES))
    X.sum_duplicates()
    topic[random.random(ROWS) < 0.2] ^= 1  # wrong labels, for mistakes and so for vectors
    return X, np.where(topic > 0, "yes", "no")


@pytest.mark.parametrize(("name", "settings"), WIDE)
def test_peak_memory(name: str, settings: dict[str, Any]) -> None:
    learn_on(make(name, gamma=0.02, **settings), *wide_stream(0))  # so that all is compiled
    X, y = wide_stream(1)
    X_new, y_new = wide_stream(2)
    tracemalloc.start()
    try:
        model = learn_on(make(name, gamma=0.02, **settings), X, y)
        found = scores(model, X_new)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # A few dense rows (8 MB each) while a chunk is worked on; 100 of them would be 800 MB.
    row = 8 * FEATURES
    assert peak < 4 * row
    assert kept < 2 * row  # FOGD knows where each feature is: 4 bytes a feature
    assert np.isfinite(found).all()
    if not name.startswith("FOGD"):
        assert model.n_support_ >= 100
        assert model.support_vectors_.shape == (model.n_support_, FEATURES)
        assert model.support_vectors_.nnz < 100 * model.n_support_
        assert ((found > 0) == (y_new == "yes")).mean() > 0.6
