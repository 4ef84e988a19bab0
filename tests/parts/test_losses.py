"""Losses: slopes by finite differences, kinks by the table, shapes, and compiled = Python."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
import pytest

from onkel.compiled.decorators import OPTIONS
from onkel.losses import (
    L1,
    L2,
    EpsilonInsensitive,
    Hinge,
    Logistic,
    Odm,
    SmoothHinge,
    SquaredHinge,
)
from onkel.model.questions import slope, value

#: Every loss with the points where its slope jumps or bends.
LOSSES: list[tuple[Any, tuple[float, ...]]] = [
    (Hinge(), (1.0,)),
    (SquaredHinge(), (1.0,)),
    (SmoothHinge(0.5), (0.5, 1.0)),
    (SmoothHinge(1.0), (0.0, 1.0)),
    (Logistic(), ()),
    (Odm(0.25, 0.5), (0.75, 1.25)),
    (Odm(0.0, 1.0), (1.0,)),
    (L1(), (0.0,)),
    (L1(0.5), (-0.5, 0.0, 0.5)),
    (L2(), (0.0,)),
    (L2(0.5), (-0.5, 0.0, 0.5)),
    (EpsilonInsensitive(0.25), (-0.25, 0.25)),
    (EpsilonInsensitive(0.0), (0.0,)),
    (EpsilonInsensitive(0.25, 0.5), (-0.5, -0.25, 0.25, 0.5)),
]
NAMES = [repr(loss) for loss, _ in LOSSES]
every_loss = pytest.mark.parametrize(("loss", "kinks"), LOSSES, ids=NAMES)


@numba.njit(**OPTIONS)
def both(loss, points, values, slopes):
    for i in range(points.size):
        values[i], slopes[i] = value(loss, points[i]), slope(loss, points[i])


def compiled(loss: Any, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    values, slopes = np.empty(points.size), np.empty(points.size)
    both(loss, points, values, slopes)
    return values, slopes


def dead_zone(loss: Any) -> float:
    return getattr(loss, "dead_zone", 0.0)


@every_loss
def test_the_slope_is_the_derivative_away_from_kinks(loss: Any, kinks: tuple[float, ...]) -> None:
    rng = np.random.default_rng(0)
    points = rng.uniform(-4, 4, 400)
    width = 1e-5  # rounding of values up to 50 gives the difference an error of 1e-9
    for m in points:
        if any(abs(m - kink) < 1e-3 for kink in kinks):
            continue
        difference = (loss.value(m + width) - loss.value(m - width)) / (2 * width)
        expected = 0.0 if abs(m) <= dead_zone(loss) else difference
        assert loss.slope(m) == pytest.approx(expected, abs=2e-9)


def test_values_and_slopes_as_printed() -> None:
    """The tables of both kinds of losses, at kinks and between them, worked out by hand."""
    table = [
        (Hinge(), {1.0: (0, 0), 1 - 2**-40: (2**-40, -1), 0.0: (1, -1), -2.0: (3, -1), 7: (0, 0)}),
        (SquaredHinge(), {1.0: (0, 0), 0.5: (0.25, -1), -1.0: (4, -4), 2.0: (0, 0)}),
        (SmoothHinge(0.5), {1.0: (0, 0), 0.5: (0.25, -1), 0.75: (0.0625, -0.5), -1.0: (1.75, -1),
                            1.5: (0, 0)}),
        (Logistic(), {0.0: (math.log(2), -0.5)}),
        (Odm(0.25, 0.5), {0.75: (0, 0), 1.25: (0, 0), 1.0: (0, 0),
                          0.0: (1, -8 / 3), 2.0: (0.5, 4 / 3)}),
        (L1(), {0.0: (0, 0), 2.0: (2, 1), -2.0: (2, -1)}),
        (L1(0.5), {0.5: (0.5, 0), -0.5: (0.5, 0), 0.75: (0.75, 1), -0.75: (0.75, -1)}),
        (L2(), {0.0: (0, 0), 3.0: (4.5, 3), -3.0: (4.5, -3)}),
        (L2(0.5), {0.5: (0.125, 0), 0.75: (0.28125, 0.75), -0.5: (0.125, 0)}),
        (EpsilonInsensitive(0.25), {0.25: (0, 0), -0.25: (0, 0), 0.0: (0, 0), 0.5: (0.25, 1),
                                    -0.5: (0.25, -1)}),
        (EpsilonInsensitive(0.25, 0.5), {0.5: (0.25, 0), 1.0: (0.75, 1), -0.5: (0.25, 0)}),
    ]  # fmt: skip
    for loss, rows in table:
        for m, (height, tilt) in rows.items():
            assert loss.value(m) == pytest.approx(height, abs=1e-15), (loss, m)
            assert loss.slope(m) == pytest.approx(tilt, abs=1e-15), (loss, m)


@every_loss
def test_compiled_equals_python(loss: Any, kinks: tuple[float, ...]) -> None:
    points = np.concatenate([np.linspace(-5, 5, 201), np.array(kinks), [1e4, -1e4]])
    values, slopes = compiled(loss, points)
    # The compiler may contract a*b+c: a few units in the last place, no more.
    np.testing.assert_allclose(values, [loss.value(float(m)) for m in points], rtol=4e-16)
    np.testing.assert_allclose(slopes, [loss.slope(float(m)) for m in points], rtol=4e-16)


@every_loss
def test_losses_are_convex_and_not_negative(loss: Any, kinks: tuple[float, ...]) -> None:
    points = np.unique(np.round(np.concatenate([np.linspace(-6, 6, 997), kinks]), 9))
    values, slopes = compiled(loss, points)
    assert values.min() >= 0
    chords = np.diff(values) / np.diff(points)
    assert (np.diff(chords) >= -1e-9).all()
    if dead_zone(loss) == 0.0:  # a dead zone takes steps away, it does not change the loss
        assert (np.diff(slopes) >= -1e-15).all()
        # Every slope is a subgradient: the tangent at one point lies below all values.
        tangents = values[:, None] + slopes[:, None] * (points[None] - points[:, None])
        assert (tangents <= values[None] + 1e-12).all()


@pytest.mark.parametrize("m", [1e4, -1e4, 750.0, -750.0])
def test_logistic_does_not_overflow(m: float) -> None:
    values, slopes = compiled(Logistic(), np.array([m]))
    assert values[0] == pytest.approx(max(-m, 0.0), abs=1e-300)
    assert slopes[0] == pytest.approx(-1.0 if m < 0 else 0.0, abs=1e-300)


def test_logistic_keeps_its_digits_far_out() -> None:
    m = np.array([-30.0, -5.0, 5.0, 30.0, 100.0, 700.0])
    values, slopes = compiled(Logistic(), m)
    with np.errstate(over="ignore"):
        exact = np.exp(-m.astype(np.longdouble))
    np.testing.assert_allclose(values, np.log1p(exact).astype(float), rtol=1e-15)
    np.testing.assert_allclose(slopes, (-exact / (1 + exact)).astype(float), rtol=1e-15)
