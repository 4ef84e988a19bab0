"""Losses of a residual r = f - y. Within ``dead_zone`` of 0 there is no slope."""

from __future__ import annotations

from typing import NamedTuple


class L1(NamedTuple):
    r""":math:`|r|`.

    Parameters
    ----------
    dead_zone : float, default=0.0
        There is no slope while the absolute residual is at most this.
    """

    dead_zone: float = 0.0

    @property
    def argument(self) -> str:
        return "residual"

    @property
    def unit_slope(self) -> bool:
        return True

    def value(self, r: float) -> float:
        return abs(r)

    def slope(self, r: float) -> float:
        if abs(r) <= self.dead_zone:
            return 0.0
        return 1.0 if r > 0.0 else -1.0


class L2(NamedTuple):
    r""":math:`r^2 / 2`.

    Parameters
    ----------
    dead_zone : float, default=0.0
        There is no slope while the absolute residual is at most this.
    """

    dead_zone: float = 0.0

    @property
    def argument(self) -> str:
        return "residual"

    @property
    def curved(self) -> bool:
        return True

    @property
    def curvature(self) -> float:
        return 1.0

    @property
    def solution_norm(self) -> float:
        return 1.0

    def value(self, r: float) -> float:
        return 0.5 * r * r

    def slope(self, r: float) -> float:
        return r if abs(r) > self.dead_zone else 0.0


class EpsilonInsensitive(NamedTuple):
    r""":math:`\max(0, |r| - \epsilon)`.

    Parameters
    ----------
    epsilon : float
        Half the width :math:`\epsilon` of the tube in which there is no loss.
    dead_zone : float, default=0.0
        There is no slope while the absolute residual is at most this.
    """

    epsilon: float
    dead_zone: float = 0.0

    @property
    def argument(self) -> str:
        return "residual"

    @property
    def unit_slope(self) -> bool:
        return True

    def value(self, r: float) -> float:
        return abs(r) - self.epsilon if abs(r) > self.epsilon else 0.0

    def slope(self, r: float) -> float:
        if abs(r) <= self.epsilon or abs(r) <= self.dead_zone:
            return 0.0
        return 1.0 if r > 0.0 else -1.0
