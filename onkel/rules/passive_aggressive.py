"""Passive-aggressive steps: as far as needed to undo the loss, no further than a cap."""

from __future__ import annotations

from typing import NamedTuple

from onkel.compiled.arrays import Array
from onkel.model.instance import Instance, Step


class PassiveAggressive(NamedTuple):
    r"""PA-I: :math:`\tau = \min(C, \ell / (c\,k(x, x)))`, c = 2 where two outputs move.

    Parameters
    ----------
    cap : float
        Largest step C.
    """

    cap: float

    @property
    def reads_diagonal(self) -> bool:
        return True

    def step(self, instance: Instance, memory: Array) -> Step:
        if instance.slope == 0.0 or instance.diagonal <= 0.0:
            return Step(False, 0.0, 1.0)
        size = min(
            self.cap * instance.weight,
            instance.value / (instance.moved_outputs * instance.diagonal),
        )
        return Step(True, size if instance.slope < 0.0 else -size, 1.0)
