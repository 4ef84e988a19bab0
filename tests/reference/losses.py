"""Reference room: the losses as plain (value, slope) pairs of functions of one number.

Margin losses take m = y f or f_y - f_z, regression losses the residual r = f - y.
"""

import math

from tests.reference.base import Loss


def hinge() -> Loss:
    return (lambda m: max(0.0, 1.0 - m)), (lambda m: -1.0 if m < 1.0 else 0.0)


def squared_hinge() -> Loss:
    return (lambda m: max(0.0, 1.0 - m) ** 2), (lambda m: -2.0 * max(0.0, 1.0 - m))


def smooth_hinge(tau: float) -> Loss:
    def value(m: float) -> float:
        if m > 1.0:
            return 0.0
        if m < 1.0 - tau:
            return 1.0 - m - tau / 2.0
        return (1.0 - m) ** 2 / (2.0 * tau)

    def slope(m: float) -> float:
        if m > 1.0:
            return 0.0
        if m < 1.0 - tau:
            return -1.0
        return (m - 1.0) / tau

    return value, slope


def logistic() -> Loss:
    # exp is only ever taken of a number that is not positive
    def value(m: float) -> float:
        return math.log1p(math.exp(-abs(m))) + max(0.0, -m)

    def slope(m: float) -> float:
        if m >= 0.0:
            return -math.exp(-m) / (1.0 + math.exp(-m))
        return -1.0 / (1.0 + math.exp(m))

    return value, slope


def odm(theta: float, mu: float) -> Loss:
    def value(m: float) -> float:
        below = max(0.0, 1.0 - theta - m)
        above = max(0.0, m - 1.0 - theta)
        return (below**2 + mu * above**2) / (1.0 - theta) ** 2

    def slope(m: float) -> float:
        below = m + theta - 1.0 if m < 1.0 - theta else 0.0
        above = m - theta - 1.0 if m > 1.0 + theta else 0.0
        return 2.0 * (below + mu * above) / (1.0 - theta) ** 2

    return value, slope


def l1() -> Loss:
    return abs, (lambda r: math.copysign(1.0, r) if r != 0.0 else 0.0)


def l2() -> Loss:
    return (lambda r: r * r / 2.0), (lambda r: r)


def epsilon_insensitive(epsilon: float) -> Loss:
    return (
        lambda r: max(0.0, abs(r) - epsilon),
        lambda r: math.copysign(1.0, r) if abs(r) > epsilon else 0.0,
    )
