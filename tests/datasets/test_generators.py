"""The gaussian mixture: its distribution, its chunks, its Bayes rate."""

import numpy as np
import pytest
from scipy import integrate

from onkel.datasets import (
    gaussian_mixture,
    gaussian_mixture_bayes_rate,
    gaussian_mixture_stream,
)


def log_odds(X: np.ndarray) -> np.ndarray:
    """log of 0.6 N((2,0), 4I) over 0.4 N((0,0), I), written out from the densities."""
    positive = np.log(0.6 / (2 * np.pi * 4)) - ((X[:, 0] - 2) ** 2 + X[:, 1] ** 2) / 8
    negative = np.log(0.4 / (2 * np.pi)) - (X[:, 0] ** 2 + X[:, 1] ** 2) / 2
    return positive - negative


def test_moments_of_each_class():
    X, y = gaussian_mixture(200_000, random_state=1)
    assert X.dtype == np.float64 and np.issubdtype(y.dtype, np.integer)
    assert abs(np.mean(y == -1) - 0.4) < 0.005
    for label, mean, variance in ((-1, (0, 0), 1), (1, (2, 0), 4)):
        rows = X[y == label]
        np.testing.assert_allclose(rows.mean(axis=0), mean, atol=0.03)
        np.testing.assert_allclose(np.cov(rows.T), variance * np.eye(2), atol=0.06)


@pytest.mark.parametrize("chunk", [1, 7, 4096, 5000, 100_000])
def test_chunk_size_does_not_change_the_data(chunk):
    n = 600 if chunk == 1 else 10_001
    whole_X, whole_y = gaussian_mixture(n, random_state=3)
    chunks = list(gaussian_mixture_stream(n, chunk, random_state=3))
    assert [len(y) for _, y in chunks[:-1]] == [chunk] * (len(chunks) - 1)
    np.testing.assert_array_equal(np.concatenate([X for X, _ in chunks]), whole_X)
    np.testing.assert_array_equal(np.concatenate([y for _, y in chunks]), whole_y)


def test_a_longer_stream_begins_with_the_shorter_one():
    short, long = gaussian_mixture(5000, 3), gaussian_mixture(9000, 3)
    np.testing.assert_array_equal(long[0][:5000], short[0])
    np.testing.assert_array_equal(long[1][:5000], short[1])


def test_seeds_differ_and_chunks_do_not_share_memory():
    assert not np.array_equal(gaussian_mixture(50, 0)[0], gaussian_mixture(50, 1)[0])
    stream = gaussian_mixture_stream(20, 10, random_state=0)
    first, _ = next(stream)
    first[:] = np.nan
    assert np.isfinite(next(stream)[0]).all()


def test_empty_and_refused_sizes():
    X, y = gaussian_mixture(0)
    assert X.shape == (0, 2) and y.shape == (0,)
    with pytest.raises(ValueError, match="chunk=0"):
        gaussian_mixture_stream(10, 0)
    with pytest.raises(ValueError, match="n=-1"):
        gaussian_mixture(-1)


def test_bayes_rate_against_integration():
    # The smaller of the two weighted densities is what the best classifier loses at a point.
    def lost(y: float, x: float) -> float:
        negative = 0.4 / (2 * np.pi) * np.exp(-(x * x + y * y) / 2)
        positive = 0.6 / (8 * np.pi) * np.exp(-((x - 2) ** 2 + y * y) / 8)
        return min(negative, positive)

    value, _ = integrate.dblquad(lost, -12, 16, 0, 14, epsabs=1e-7)
    assert gaussian_mixture_bayes_rate() == pytest.approx(2 * value, abs=1e-5)


def test_bayes_rate_against_the_best_classifier_on_drawn_points():
    X, y = gaussian_mixture(400_000, random_state=5)
    mistakes = np.mean(np.where(log_odds(X) > 0, 1, -1) != y)
    deviation = np.sqrt(gaussian_mixture_bayes_rate() * 0.81 / len(y))
    assert abs(mistakes - gaussian_mixture_bayes_rate()) < 4 * deviation
