"""Steps that happen with a probability, larger in return: sparse models, unbiased in expectation."""

from __future__ import annotations

from typing import NamedTuple

from onkel.arrays import Array
from onkel.models.state import Seen
from onkel.rules.base import Step


class SampledPassiveAggressive(NamedTuple):
    r"""SPA: with probability :math:`\rho = \min(\alpha, \ell)/\beta`, PA with cap :math:`\eta/\rho`."""

    size: float
    loss_cap: float
    sampling: float

    def step(self, seen: Seen, memory: Array) -> Step:
        chance = min(self.loss_cap, seen.value) / self.sampling
        if seen.slope == 0.0 or seen.diagonal <= 0.0 or not seen.whether < chance:
            return Step(False, 0.0, 1.0)
        exact = seen.value / (seen.outputs * seen.diagonal)
        size = min(self.size * seen.weight / chance, exact)
        return Step(True, size if seen.slope < 0.0 else -size, 1.0)


class SampledGradient(NamedTuple):
    r"""OSKL: with probability :math:`\min(1, |g|/G)`, a gradient step of :math:`\eta\max(G, |g|)`."""

    size: float
    sampling: float

    def step(self, seen: Seen, memory: Array) -> Step:
        slope = abs(seen.slope)
        if slope == 0.0 or not seen.whether < min(1.0, slope / self.sampling):
            return Step(False, 0.0, 1.0)
        size = self.size * seen.weight * max(self.sampling, slope)
        return Step(True, size if seen.slope < 0.0 else -size, 1.0)
