"""Passive-aggressive steps: as far as needed to undo the loss, no further than a cap."""

from __future__ import annotations

from typing import NamedTuple

from onkel.arrays import Array
from onkel.models.state import Seen
from onkel.rules.base import Step


class PassiveAggressive(NamedTuple):
    r"""PA-I: :math:`\tau = \min(C, \ell / (c\,k(x, x)))`, c = 2 where two outputs move."""

    cap: float

    def step(self, seen: Seen, memory: Array) -> Step:
        if seen.slope == 0.0 or seen.diagonal <= 0.0:
            return Step(False, 0.0, 1.0)
        size = min(self.cap * seen.weight, seen.value / (seen.outputs * seen.diagonal))
        return Step(True, size if seen.slope < 0.0 else -size, 1.0)
