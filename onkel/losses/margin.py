"""Losses of a margin m: large margins are good."""

from __future__ import annotations

import math
from typing import NamedTuple


class Hinge(NamedTuple):
    r""":math:`\max(0, 1 - m)`."""

    @property
    def argument(self) -> str:
        return "margin"

    @property
    def unit_slope(self) -> bool:
        return True

    def value(self, m: float) -> float:
        return 1.0 - m if m < 1.0 else 0.0

    def slope(self, m: float) -> float:
        return -1.0 if m < 1.0 else 0.0


class SquaredHinge(NamedTuple):
    r""":math:`\max(0, 1 - m)^2`."""

    @property
    def argument(self) -> str:
        return "margin"

    @property
    def curved(self) -> bool:
        return True

    @property
    def curvature(self) -> float:
        return 2.0

    @property
    def solution_norm(self) -> float:
        return 1.0

    def value(self, m: float) -> float:
        return (1.0 - m) * (1.0 - m) if m < 1.0 else 0.0

    def slope(self, m: float) -> float:
        return -2.0 * (1.0 - m) if m < 1.0 else 0.0


class SmoothHinge(NamedTuple):
    r"""The hinge with its kink rounded over :math:`[1-\tau, 1]`: :math:`(1-m)^2 / (2\tau)` there.

    Parameters
    ----------
    tau : float
        Width :math:`\tau` of the rounded part.
    """

    tau: float

    @property
    def argument(self) -> str:
        return "margin"

    @property
    def curvature(self) -> float:
        return 1.0 / self.tau

    def value(self, m: float) -> float:
        if m > 1.0:
            return 0.0
        if m < 1.0 - self.tau:
            return 1.0 - m - 0.5 * self.tau
        return (1.0 - m) * (1.0 - m) / (2.0 * self.tau)

    def slope(self, m: float) -> float:
        if m > 1.0:
            return 0.0
        if m < 1.0 - self.tau:
            return -1.0
        return (m - 1.0) / self.tau


class Logistic(NamedTuple):
    r""":math:`\log(1 + e^{-m})`."""

    @property
    def argument(self) -> str:
        return "margin"

    @property
    def curvature(self) -> float:
        return 0.25

    def value(self, m: float) -> float:
        return max(-m, 0.0) + math.log1p(math.exp(-abs(m)))

    def slope(self, m: float) -> float:
        small = math.exp(-abs(m))
        return -small / (1.0 + small) if m > 0.0 else -1.0 / (1.0 + small)


class Odm(NamedTuple):
    r"""Optimal margin distribution, for two classes: margins should lie within :math:`\theta` of 1.

    :math:`[\max(0, 1-\theta-m)^2 + \mu \max(0, m-1-\theta)^2] / (1-\theta)^2`.

    Parameters
    ----------
    theta : float
        Half the width :math:`\theta` of the band around 1 that costs nothing, in [0, 1).
    mu : float
        Price :math:`\mu` of margins that are too large, relative to those that are too small.
    """

    theta: float
    mu: float

    @property
    def argument(self) -> str:
        return "margin"

    @property
    def curved(self) -> bool:
        return True

    @property
    def needs_two_classes(self) -> bool:
        return True

    @property
    def curvature(self) -> float:
        return 2.0 / (1.0 - self.theta) ** 2

    @property
    def solution_norm(self) -> float:
        """Tan, Zhang, Wang (AAAI 2019), Theorem 1; its text misses a root."""
        band = (1.0 - self.theta) ** 2 + self.mu * (1.0 + self.theta) ** 2
        return math.sqrt(band) / (1.0 - self.theta)

    def value(self, m: float) -> float:
        unit = (1.0 - self.theta) * (1.0 - self.theta)
        below, above = 1.0 - self.theta - m, m - 1.0 - self.theta
        if below > 0.0:
            return below * below / unit
        return self.mu * above * above / unit if above > 0.0 else 0.0

    def slope(self, m: float) -> float:
        unit = (1.0 - self.theta) * (1.0 - self.theta)
        below, above = 1.0 - self.theta - m, m - 1.0 - self.theta
        if below > 0.0:
            return -2.0 * below / unit
        return 2.0 * self.mu * above / unit if above > 0.0 else 0.0
