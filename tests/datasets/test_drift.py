"""Generated streams with drift: the concept holds, the noise has its share, and the drift moves."""

import numpy as np
import pytest
from scipy import stats

from onkel.datasets import (
    drifting_clusters,
    drifting_clusters_centers,
    drifting_clusters_stream,
    gaussian_mixture,
    gaussian_mixture_stream,
    rotating_hyperplane,
    rotating_hyperplane_stream,
    rotating_hyperplane_weights,
    sea,
    sea_stream,
)

PAIRS = {
    "gaussian_mixture": (gaussian_mixture, gaussian_mixture_stream, 2),
    "rotating_hyperplane": (rotating_hyperplane, rotating_hyperplane_stream, 10),
    "drifting_clusters": (drifting_clusters, drifting_clusters_stream, 10),
    "sea": (sea, sea_stream, 3),
}
every_pair = pytest.mark.parametrize(("whole", "stream", "width"), PAIRS.values(), ids=PAIRS)


def assert_share(hits: np.ndarray, share: float) -> None:
    """The frequency agrees with a probability within four standard deviations."""
    assert abs(np.mean(hits) - share) < 4 * np.sqrt(share * (1 - share) / hits.size)


def assert_uniform(values: np.ndarray, low: float, high: float) -> None:
    assert stats.kstest(values.ravel(), "uniform", (low, high - low)).pvalue > 1e-4


# What holds for each generator


@every_pair
@pytest.mark.parametrize("chunk", [7, 4096, 5000, 100_000])
def test_chunks_do_not_change_the_rows(whole, stream, width, chunk):
    n = 600 if chunk == 7 else 9001
    X, y = whole(n, random_state=3)
    assert X.shape == (n, width) and X.dtype == np.float64 and y.dtype == np.int64
    chunks = list(stream(n, chunk, random_state=3))
    assert {len(part) for _, part in chunks[:-1]} <= {chunk}
    np.testing.assert_array_equal(np.concatenate([part for part, _ in chunks]), X)
    np.testing.assert_array_equal(np.concatenate([part for _, part in chunks]), y)


@every_pair
def test_a_longer_stream_begins_with_the_shorter_one(whole, stream, width):
    (short_X, short_y), (long_X, long_y) = whole(5000, random_state=3), whole(9000, random_state=3)
    np.testing.assert_array_equal(long_X[:5000], short_X)
    np.testing.assert_array_equal(long_y[:5000], short_y)
    assert not np.array_equal(short_X[:50], whole(50, random_state=4)[0])
    assert not np.array_equal(long_X[:4096], long_X[4096:8192])


@every_pair
def test_seeds_sizes_and_generators(whole, stream, width):
    X, y = whole(0)
    assert X.shape == (0, width) and y.shape == (0,)
    rng = np.random.default_rng(0)
    first, second = whole(50, random_state=rng)[0], whole(50, random_state=rng)[0]
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(first, whole(50, random_state=0)[0])
    with pytest.raises(ValueError, match="chunk=0"):
        stream(10, 0)
    with pytest.raises(ValueError, match="n=-1"):
        whole(-1)


@pytest.mark.parametrize(
    ("generator", "options", "words"),
    [
        (sea, {"noise": 1.5}, "noise.*1.5"),
        (sea, {"rows_per_concept": 0}, "rows_per_concept.*0"),
        (sea, {"transition": 16_000}, "transition.*15000.*16000"),
        (rotating_hyperplane, {"n_features": 3, "n_drifting": 4}, "n_drifting.*n_features=3.*4"),
        (rotating_hyperplane, {"noise": -0.1}, "noise.*-0.1"),
        (rotating_hyperplane, {"turning": 2}, "turning.*2"),
        (rotating_hyperplane, {"drift": float("nan")}, "drift.*nan"),
        (drifting_clusters, {"n_classes": 21}, "n_clusters.*n_classes=21.*20"),
        (drifting_clusters, {"spread": -1}, "spread.*-1"),
    ],
)
def test_refusals(generator, options, words):
    with pytest.raises(ValueError, match=words):
        generator(10, **options)


# SEA


def test_sea_follows_its_four_thresholds_in_turn():
    X, y = sea(50_000, noise=0.0, rows_per_concept=10_000, random_state=1)
    assert_uniform(X, 0, 10)
    for concept, threshold in enumerate([8, 9, 7, 9.5, 8]):
        rows = slice(10_000 * concept, 10_000 * (concept + 1))
        np.testing.assert_array_equal(y[rows] == 1, X[rows, 0] + X[rows, 1] <= threshold)
        assert_share(y[rows] == 1, threshold**2 / 200)


def test_sea_has_a_tenth_of_wrong_labels_and_fifteen_thousand_rows_a_concept():
    X, y = sea(60_000, random_state=2)
    threshold = np.repeat([8, 9, 7, 9.5], 15_000)
    right = np.where(X[:, 0] + X[:, 1] <= threshold, 1, -1)
    for label in (-1, 1):
        assert_share((y != right)[right == label], 0.1)
    assert_share((sea(60_000, noise=0.3, random_state=2)[1] != right), 0.3)


def test_sea_slides_from_one_concept_to_the_next():
    width, n = 20_000, 60_000
    X, y = sea(n, noise=0.0, rows_per_concept=30_000, transition=width, random_state=3)
    total = X[:, 0] + X[:, 1]
    tells = (total > 8) & (total <= 9)  # here the first two concepts differ
    new = y == 1
    rows = np.arange(n)
    assert not new[tells & (rows < 30_000)].any()
    assert new[tells & (rows >= 30_000 + width)].all()
    for quarter in range(4):
        start = 30_000 + quarter * width // 4
        here = tells & (rows >= start) & (rows < start + width // 4)
        assert_share(new[here], (quarter + 0.5) / 4)
    np.testing.assert_array_equal(new[~tells], total[~tells] <= 8)


# The rotating hyperplane


def test_the_hyperplane_separates_all_rows_but_the_noise():
    X, y = rotating_hyperplane(40_000, random_state=1)
    w = rotating_hyperplane_weights(40_000, random_state=1)
    assert_uniform(X, 0, 1)
    right = np.where(np.sum(w * X, axis=1) >= w.sum(axis=1) / 2, 1, -1)
    for label in (-1, 1):
        assert_share((y != right)[right == label], 0.05)
    assert_share(right == 1, 0.5)


def test_the_weights_move_by_the_drift_and_turn_now_and_then():
    options = {"n_features": 60, "n_drifting": 40, "drift": 0.25, "turning": 0.2}
    w = rotating_hyperplane_weights(9000, **options, random_state=2)
    assert_uniform(w[0], 0, 1)
    steps = np.diff(w, axis=0)
    np.testing.assert_allclose(np.abs(steps[:, :40]), 0.25, rtol=1e-9)
    assert not steps[:, 40:].any()
    assert_share(steps[1:, :40] * steps[:-1, :40] < 0, 0.2)
    assert_share(steps[0, :40] > 0, 0.5)


def test_the_defaults_of_the_hyperplane():
    w = rotating_hyperplane_weights(8000, random_state=3)
    steps = np.diff(w, axis=0)
    np.testing.assert_allclose(np.abs(steps[:, :2]), 0.001, rtol=1e-9)
    assert w.shape == (8000, 10) and not steps[:, 2:].any()
    assert_share(steps[1:, :2] * steps[:-1, :2] < 0, 0.1)


def test_what_was_true_at_first_is_not_later():
    options = {"noise": 0.0, "drift": 0.01, "n_drifting": 10, "random_state": 4}
    X, y = rotating_hyperplane(20_000, **options)
    first = rotating_hyperplane_weights(1, drift=0.01, n_drifting=10, random_state=4)[0]
    wrong = np.sign((X - 0.5) @ first) != y
    assert wrong[:5].mean() == 0 and wrong[-2000:].mean() > 0.2
    X, y = rotating_hyperplane(20_000, noise=0.0, drift=0.0, random_state=4)
    assert (np.sign((X - 0.5) @ first) == y).all()


# Drifting clusters


def test_rows_lie_where_the_centers_are_and_have_their_labels():
    options = {"n_features": 3, "n_clusters": 7, "speed": 1e-3, "random_state": 1}
    X, y = drifting_clusters(6000, n_classes=3, spread=0.0, **options)
    centers = drifting_clusters_centers(np.arange(6000), **options)
    distances = np.linalg.norm(centers - X[:, None], axis=2)
    nearest = distances.argmin(axis=1)
    assert distances.min(axis=1).max() < 1e-12
    assert set(nearest) == set(range(7))
    np.testing.assert_array_equal(y, nearest % 3)


def test_the_cloud_around_a_center():
    options = {"n_features": 4, "random_state": 2}
    for spread, scale in (({}, 0.1), ({"spread": 0.3}, 0.3)):
        X, y = drifting_clusters(20_000, **options, **spread)
        middle, same = drifting_clusters(20_000, **options, spread=0.0)
        np.testing.assert_array_equal(y, same)
        offsets = (X - middle) / scale
        assert stats.kstest(offsets.ravel(), "norm").pvalue > 1e-4
        np.testing.assert_allclose(np.cov(offsets.T), np.eye(4), atol=0.05)


def test_clusters_have_shares_of_their_own():
    counts = []
    for seed in range(40):
        X, _ = drifting_clusters(4000, n_features=2, speed=0.0, spread=0.0, random_state=seed)
        counts.append(np.unique(X, axis=0, return_counts=True)[1] / 4000)
    # Uniform draws over their sum, which is about 10: ten times a share is uniform, nearly.
    shares = np.concatenate(counts) * 10
    assert stats.kstest(shares, "uniform").statistic < 0.06


def test_centers_go_straight_at_their_speed_and_stay_in_the_cube():
    options = {"n_features": 5, "n_clusters": 50, "random_state": 3}
    rows = np.arange(0, 200_000, 40)
    at = drifting_clusters_centers(rows, **options)
    assert_uniform(at[0], 0, 1)
    assert at.min() >= 0 and at.max() <= 1
    assert np.quantile(at.max(axis=0), 0.2) > 0.99  # all but those that creep along reach a wall
    steps = np.diff(at, axis=0)
    lengths = np.linalg.norm(steps, axis=2) / 40
    np.testing.assert_allclose(np.median(lengths, axis=0), 1e-4, rtol=1e-9)
    assert lengths.max() < 1e-4 * (1 + 1e-9)
    turned = ~np.isclose(np.abs(steps[1:]), np.abs(steps[:-1]), rtol=1e-6, atol=1e-12)
    assert turned.mean() < 0.02  # on most ways there is no wall
    directions = steps[0] / np.linalg.norm(steps[0], axis=1, keepdims=True)
    assert np.abs(directions.mean(axis=0)).max() < 4 / np.sqrt(50 * 5)


def test_still_clusters_stay():
    at = drifting_clusters_centers([0, 10**6], speed=0.0, random_state=1)
    np.testing.assert_array_equal(at[0], at[1])
