"""Draws by counting: reproducible, uniform, and independent across counters, seeds and lanes."""

import math

import numba
import numpy as np
import pytest
from scipy import stats

from onkel.compiled.decorators import OPTIONS
from onkel.compiled.draws import cauchy_column, mixed, normal_column, uniform, uniforms

SEEDS = [0, 1, 2, 12345, 2**31 - 2, 2**62, -1]
SIZE = 40_000
WORD = 2**64


@numba.njit
def mix(word):
    return mixed(word)


@numba.njit(**OPTIONS)
def grid(seeds, counters, lanes):
    """Every combination of three ranges, drawn inside compiled code."""
    out = np.empty((seeds.size, counters.size, lanes.size))
    for i in range(seeds.size):
        for j in range(counters.size):
            for k in range(lanes.size):
                out[i, j, k] = uniform(seeds[i], counters[j], lanes[k])
    return out


def plain_mix(state):
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    state = (state ^ (state >> 27)) * 0x94D049BB133111EB % WORD
    return state ^ (state >> 31)


def plain_uniform(seed, counter, lane):
    """The definition in Python's unbounded integers."""
    state = plain_mix((seed + 0x9E3779B97F4A7C15) % WORD)
    state = plain_mix((state + counter * 0xD1342543DE82EF95) % WORD)
    state = plain_mix((state + (lane + 1) * 0x9E3779B97F4A7C15) % WORD)
    return (state >> 11) / 2**53


@pytest.mark.parametrize("seed", SEEDS)
def test_draws_follow_their_definition_bit_for_bit(seed):
    for counter, lane in [(0, 0), (1, 0), (0, 1), (10**12, 7), (2**62, 2**33 + 5)]:
        assert uniform(seed, counter, lane) == plain_uniform(seed, counter, lane)


def test_the_type_of_the_integers_does_not_matter():
    expected = uniform(5, 6, 1)
    for kind in (np.int32, np.int64, np.uint32, np.uint64):
        assert uniform(kind(5), kind(6), kind(1)) == expected


def test_uniforms_are_the_single_draws_in_any_chunking():
    whole = uniforms(9, 0, 100, 3)
    assert whole.shape == (100, 3)
    again = np.vstack([uniforms(9, 0, 37, 3), uniforms(9, 37, 63, 3)])
    np.testing.assert_array_equal(again, whole)
    for counter in (0, 1, 99):
        for lane in range(3):
            assert whole[counter, lane] == uniform(9, counter, lane)


@pytest.mark.parametrize("seed", SEEDS)
def test_draws_are_uniform_along_counters(seed):
    draws = uniforms(seed, 0, SIZE, 2)
    assert (draws >= 0).all() and (draws < 1).all()
    for lane in (0, 1):
        assert stats.kstest(draws[:, lane], "uniform").pvalue > 1e-4


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_draws_are_uniform_along_every_argument_alone(axis):
    ranges = [np.arange(1), np.arange(1), np.arange(1)]
    ranges[axis] = np.arange(SIZE)
    draws = grid(*ranges).ravel()
    assert stats.kstest(draws, "uniform").pvalue > 1e-4
    assert np.unique(draws).size == SIZE


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("lag", [1, 2, 3, 64])
def test_neighbours_are_independent(axis, lag):
    ranges = [np.arange(1), np.arange(1), np.arange(1)]
    ranges[axis] = np.arange(SIZE + lag)
    draws = grid(*ranges).ravel()
    first, second = draws[:-lag], draws[lag:]
    assert abs(np.corrcoef(first, second)[0, 1]) < 4.5 / math.sqrt(SIZE)
    # Correlation sees straight lines only: the cells of the unit square see any dependence.
    cells = np.histogram2d(first, second, bins=16, range=[[0, 1], [0, 1]])[0]
    assert stats.chisquare(cells.ravel()).pvalue > 1e-4


def test_lanes_seeds_and_counters_are_not_interchangeable():
    draws = grid(np.arange(30), np.arange(30), np.arange(30))
    assert np.unique(draws).size == draws.size


def test_every_input_bit_turns_half_of_the_output_bits():
    words = np.arange(1, 201, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    flips = np.empty((64, words.size))
    for bit in range(64):
        for i, word in enumerate(words):
            changed = int(mix(word)) ^ int(mix(word ^ (np.uint64(1) << np.uint64(bit))))
            flips[bit, i] = changed.bit_count()
    assert np.abs(flips.mean(axis=1) - 32).max() < 2.5


@pytest.mark.parametrize("seed", SEEDS)
def test_normal_columns_are_standard_normal(seed):
    column = np.empty(SIZE)
    normal_column(seed, 3, column)
    assert stats.kstest(column, "norm").pvalue > 1e-4
    assert abs(column.mean()) < 4.5 / math.sqrt(SIZE)
    assert abs(column.var() - 1) < 4.5 * math.sqrt(2 / SIZE)
    # The two halves of a pair share a radius, not a sign or a size.
    assert abs(np.corrcoef(column[::2], column[1::2])[0, 1]) < 4.5 / math.sqrt(SIZE / 2)
    assert abs(np.corrcoef(column[::2] ** 2, column[1::2] ** 2)[0, 1]) < 4.5 / math.sqrt(SIZE / 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_cauchy_columns_are_standard_cauchy(seed):
    column = np.empty(SIZE)
    cauchy_column(seed, 3, column)
    assert np.isfinite(column).all()
    assert stats.kstest(column, "cauchy").pvalue > 1e-4


@pytest.mark.parametrize("fill", [normal_column, cauchy_column])
def test_columns_belong_to_seed_and_feature(fill):
    columns = {}
    for seed in range(6):
        for feature in range(6):
            columns[seed, feature] = np.empty(2000)
            fill(seed, feature, columns[seed, feature])
    again = np.empty(2000)
    fill(4, 5, again)
    np.testing.assert_array_equal(again, columns[4, 5])
    ranks = np.array([stats.rankdata(column) for column in columns.values()])
    correlation = np.corrcoef(ranks) - np.eye(len(ranks))
    assert np.abs(correlation).max() < 5 / math.sqrt(2000)


@pytest.mark.parametrize("fill", [normal_column, cauchy_column])
@pytest.mark.parametrize("size", [0, 1, 2, 7, 100])
def test_a_longer_column_begins_with_the_shorter_one(fill, size):
    longer, shorter, single = np.empty(101), np.empty(size), np.empty(size, dtype=np.float32)
    fill(8, 2, longer)
    fill(8, 2, shorter)
    fill(8, 2, single)
    np.testing.assert_array_equal(shorter, longer[:size])
    np.testing.assert_array_equal(single, longer[:size].astype(np.float32))


def test_columns_share_nothing_with_the_learners_draws():
    learner = grid(np.arange(1), np.arange(50), np.arange(50)).ravel()
    column = np.empty(50)
    for feature in range(50):
        cauchy_column(0, feature, column)
        behind_cauchy = np.arctan(column) / np.pi + 0.5
        normal_column(0, feature, column)
        behind_radius = -np.expm1(-(column[::2] ** 2 + column[1::2] ** 2) / 2)
        behind = np.concatenate([behind_cauchy, behind_radius])
        assert not np.isclose(behind[:, None], learner, rtol=0, atol=1e-12).any()
