"""Randomness by counting: a draw is a hash of (seed, counter, lane), not the next of a sequence.

Whoever asks for draw ``(seed, counter, lane)`` gets the same number, in any order, on any chunking
of a stream, in compiled code or from Python; a saved learner needs no state but its counter.

A 64-bit finaliser (xor-shifts and odd multipliers, a bijection) is applied three times: to the
seed, to the result plus the counter, to that plus the lane. Learners count instances and use small
lanes; columns of random numbers count features and use lanes of their own: the two never meet.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from onkel.compiled.decorators import inner, jit
from onkel.compiled.simd import fast_sincos

# Numba turns uint64 with int64 into float64: every constant and argument is made uint64.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio, odd
COUNTER_STEP = np.uint64(0xD1342543DE82EF95)  # odd: distinct counters give distinct states
FIRST_MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)
SECOND_MULTIPLIER = np.uint64(0x94D049BB133111EB)
SHIFT_30, SHIFT_27, SHIFT_31 = np.uint64(30), np.uint64(27), np.uint64(31)
DROPPED_BITS = np.uint64(11)
UNIT = 2.0**-53

#: Lanes below are for learners; each kind of column has 2^32 lanes above.
NORMAL_LANES = np.uint64(1 << 32)
CAUCHY_LANES = np.uint64(2 << 32)
UNIFORM_LANES = np.uint64(3 << 32)


@inner
def mixed(state: Any) -> Any:
    """A bijection of 64-bit words in which every input bit reaches every output bit."""
    state = (state ^ (state >> SHIFT_30)) * FIRST_MULTIPLIER
    state = (state ^ (state >> SHIFT_27)) * SECOND_MULTIPLIER
    return state ^ (state >> SHIFT_31)


@inner
def draw(seed: Any, counter: Any, lane: Any) -> Any:
    """A float64 in [0, 1) that depends on nothing but the three integers."""
    state = mixed(np.uint64(seed) + GOLDEN)
    state = mixed(state + np.uint64(counter) * COUNTER_STEP)
    state = mixed(state + (np.uint64(lane) + np.uint64(1)) * GOLDEN)
    return np.float64(state >> DROPPED_BITS) * UNIT


@jit
def uniform(seed: Any, counter: Any, lane: Any) -> Any:
    """The same for Python."""
    return draw(seed, counter, lane)


@jit
def uniforms(seed: Any, first: Any, count: Any, lanes: Any) -> Any:
    """Draws of the first lanes (columns) for ``count`` counters from ``first`` on (rows)."""
    draws = np.empty((count, lanes), dtype=np.float64)
    for row in range(count):
        counter = np.uint64(first) + np.uint64(row)
        for lane in range(lanes):
            draws[row, lane] = draw(seed, counter, lane)
    return draws


@jit
def normal_column(seed: Any, feature: Any, out: Any) -> None:
    """Fill ``out`` with standard normals that belong to (seed, feature), by Box and Muller.

    A longer column begins with the shorter one; float32 is the rounded float64.
    """
    size = out.shape[0]
    for pair in range((size + 1) // 2):
        lane = NORMAL_LANES + np.uint64(2 * pair)
        # 1 - u is never 0, so the logarithm is finite.
        radius = math.sqrt(-2.0 * math.log(1.0 - draw(seed, feature, lane)))
        sine, cosine = fast_sincos(2.0 * math.pi * draw(seed, feature, lane + np.uint64(1)))
        out[2 * pair] = radius * cosine
        if 2 * pair + 1 < size:
            out[2 * pair + 1] = radius * sine


@jit
def cauchy_column(seed: Any, feature: Any, out: Any) -> None:
    """Fill ``out`` with standard Cauchy numbers of (seed, feature): tan(pi (u - 1/2))."""
    for i in range(out.shape[0]):
        u = draw(seed, feature, CAUCHY_LANES + np.uint64(i))
        sine, cosine = fast_sincos(math.pi * (u - 0.5))
        # u = 0 would divide by a cosine that rounding decides; this stays a finite tail.
        out[i] = sine / max(cosine, UNIT)


@jit
def uniform_column(seed: Any, feature: Any, out: Any) -> None:
    """Fill ``out`` with numbers between 0 and 1, neither of them, that belong to (seed, feature)."""
    for i in range(out.shape[0]):
        out[i] = draw(seed, feature, UNIFORM_LANES + np.uint64(i)) + 0.5 * UNIT
