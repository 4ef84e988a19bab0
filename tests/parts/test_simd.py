"""exp, sin and cos against NumPy in extended precision, in loops as they are used."""

import math

import numba
import numpy as np
import pytest

from onkel.compiled.decorators import OPTIONS
from onkel.compiled.simd import exp_inplace, fast_exp, fast_sincos

REALS = [np.float32, np.float64]
EXP_ERROR = {np.float32: 1.2e-7, np.float64: 3e-16}
TURN_ERROR = {np.float32: 1e-7, np.float64: 2.5e-16}
FAR = {np.float32: 1e4, np.float64: 1e6}


@numba.njit(**OPTIONS)
def exp_loop(values):
    """A caller with the package's own, laxer flags."""
    for i in range(values.shape[0]):
        values[i] = fast_exp(values[i])


@numba.njit(**OPTIONS)
def sum_of_exp(values, scale):
    """exp in the midst of arithmetic that the compiler may reorder."""
    total = 0.0
    for i in range(values.shape[0]):
        total += fast_exp(-(scale * values[i]))
    return total


@numba.njit(**OPTIONS)
def sincos_loop(values, sines, cosines):
    for i in range(values.shape[0]):
        sines[i], cosines[i] = fast_sincos(values[i])


def exp_of(values, real):
    result = np.array(values, dtype=real)
    exp_loop(result)
    return result


def sincos_of(values, real):
    values = np.array(values, dtype=real)
    sines, cosines = np.empty_like(values), np.empty_like(values)
    sincos_loop(values, sines, cosines)
    return values.astype(np.longdouble), sines, cosines


@pytest.mark.parametrize("real", REALS)
def test_exp_is_accurate_over_the_whole_normal_range(real):
    limits = np.log(np.finfo(real).tiny) + 1e-3, np.log(np.finfo(real).max) - 1e-3
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(*limits, 300_000), rng.uniform(-1, 1, 100_000)]).astype(real)
    relative = exp_of(x, real) / np.exp(x.astype(np.longdouble)) - 1
    assert np.abs(relative).max() < EXP_ERROR[real]


@pytest.mark.parametrize("real", REALS)
def test_exp_is_accurate_where_the_power_of_two_changes(real):
    halves = (np.arange(-120, 121) + 0.5) * math.log(2)
    x = np.concatenate([np.nextafter(halves.astype(real), real(side)) for side in (-1e9, 0, 1e9)])
    relative = exp_of(x, real) / np.exp(x.astype(np.longdouble)) - 1
    assert np.abs(relative).max() < EXP_ERROR[real]


@pytest.mark.parametrize("real", REALS)
def test_exp_fades_to_zero_without_a_jump(real):
    first, last = (-87.0, -104.0) if real is np.float32 else (-700.0, -746.0)
    x = np.linspace(first, last, 20_001).astype(real)
    result, exact = exp_of(x, real), np.exp(x.astype(np.longdouble))
    smallest = np.finfo(real).tiny
    assert result[-1] == 0
    assert (np.diff(result) <= 0).all()
    assert np.abs(result - exact).max() < 1.01 * smallest
    normal = exact > 1.01 * smallest
    assert normal.any() and not normal.all()
    assert np.abs(result[normal] / exact[normal] - 1).max() < EXP_ERROR[real]


@pytest.mark.parametrize("real", REALS)
def test_exp_at_the_ends(real):
    largest = np.log(np.array(np.finfo(real).max, dtype=np.longdouble)).astype(real)
    while float(np.exp(np.longdouble(largest))) > float(np.finfo(real).max):
        largest = np.nextafter(largest, real(0))
    beyond = np.nextafter(largest, real(np.inf))
    tiny = np.finfo(real).tiny
    x = [-np.inf, np.finfo(real).min, 0.0, -0.0, tiny, -tiny, largest, beyond, 1e30, np.inf]
    result = exp_of(x, real)
    assert result[:2].tolist() == [0, 0]
    assert result[2:6].tolist() == [1, 1, 1, 1]
    assert np.isfinite(result[6])
    assert result[6] == pytest.approx(float(np.exp(np.longdouble(largest))), rel=EXP_ERROR[real])
    assert np.isposinf(result[7:]).all()


@pytest.mark.parametrize("real", REALS)
def test_exp_keeps_its_accuracy_inside_reorderable_arithmetic(real):
    x = np.random.default_rng(1).uniform(0, 40, 10_000).astype(real)
    scale = real(0.25)  # a power of two: the argument itself is exact
    exact = np.exp(-scale * x.astype(np.longdouble)).sum()
    assert sum_of_exp(x, scale) == pytest.approx(float(exact), rel=EXP_ERROR[real])


@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("size", [0, 1, 7, 16, 33, 1000])
def test_exp_inplace_of_any_length(real, size):
    x = np.linspace(-5, 5, size).astype(real)
    result = x.copy()
    exp_inplace(result)
    assert result.dtype == real
    np.testing.assert_allclose(result, np.exp(x.astype(np.float64)), rtol=EXP_ERROR[real])


@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("share", [1e-6, 1e-3, 1.0])
def test_sincos_is_accurate(real, share):
    reach = FAR[real] * share
    x, sines, cosines = sincos_of(np.random.default_rng(2).uniform(-reach, reach, 200_000), real)
    assert np.abs(sines - np.sin(x)).max() < TURN_ERROR[real]
    assert np.abs(cosines - np.cos(x)).max() < TURN_ERROR[real]


@pytest.mark.parametrize("real", REALS)
def test_sincos_near_multiples_of_a_quarter_turn(real):
    near = np.arange(-6000, 6001) * (math.pi / 2)
    beside = np.concatenate([near, near + math.pi / 4, near + 1e-3, near - 1e-3])
    x, sines, cosines = sincos_of(beside, real)
    assert np.abs(sines - np.sin(x)).max() < TURN_ERROR[real]
    assert np.abs(cosines - np.cos(x)).max() < TURN_ERROR[real]


@pytest.mark.parametrize("real", REALS)
def test_sincos_of_small_numbers_is_relatively_accurate_and_odd(real):
    x, sines, cosines = sincos_of(np.geomspace(1e-30, 0.7, 1000), real)
    assert np.abs(sines / np.sin(x) - 1).max() < 2 * np.finfo(real).eps
    assert cosines[0] == 1
    _, negative, same = sincos_of(-x, real)
    np.testing.assert_array_equal(negative, -sines)
    np.testing.assert_array_equal(same, cosines)


@pytest.mark.parametrize("real", REALS)
def test_sincos_never_leaves_the_unit_circle(real):
    largest = float(np.finfo(real).max)
    rng = np.random.default_rng(3)
    x = np.geomspace(1e-3, largest / 2, 200_000) * rng.uniform(0.5, 2.0, 200_000)
    _, sines, cosines = sincos_of(np.concatenate([x, -x, [largest, -largest]]), real)
    assert np.abs(sines).max() <= 1
    assert np.abs(cosines).max() <= 1
    assert np.abs(np.hypot(sines, cosines) - 1).max() < 4 * np.finfo(real).eps


@pytest.mark.parametrize("real", [numba.float32, numba.float64])
def test_the_precision_of_the_argument_is_kept(real):
    fast_exp.compile((real,))
    fast_sincos.compile((real,))
    assert fast_exp.overloads[(real,)].signature.return_type == real
    assert fast_sincos.overloads[(real,)].signature.return_type == numba.types.UniTuple(real, 2)


def test_integers_are_refused():
    with pytest.raises(numba.TypingError):
        fast_exp(1)
