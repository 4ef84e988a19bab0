"""Steps that happen with a probability, larger in return: sparse models, unbiased in expectation."""

from __future__ import annotations

from typing import NamedTuple

from onkel.compiled.arrays import Array
from onkel.model.instance import Instance, Step
from onkel.model.random_draws import SAMPLING, random_draw


class SampledPassiveAggressive(NamedTuple):
    r"""SPA: with probability :math:`\rho = \min(\alpha, \ell)/\beta`, PA with cap :math:`\eta/\rho`.

    Parameters
    ----------
    size : float
        Step size :math:`\eta`.
    loss_cap : float
        Loss :math:`\alpha` beyond which the probability does not grow.
    sampling : float
        Rate :math:`\beta \ge \alpha`: the larger, the fewer instances are taken.
    """

    size: float
    loss_cap: float
    sampling: float

    @property
    def reads_diagonal(self) -> bool:
        return True

    def step(self, instance: Instance, memory: Array) -> Step:
        chance = min(self.loss_cap, instance.value) / self.sampling
        if (
            instance.slope == 0.0
            or instance.diagonal <= 0.0
            or not random_draw(instance, SAMPLING) < chance
        ):
            return Step(False, 0.0, 1.0)
        exact = instance.value / (instance.moved_outputs * instance.diagonal)
        size = min(self.size * instance.weight / chance, exact)
        return Step(True, size if instance.slope < 0.0 else -size, 1.0)


class SampledGradient(NamedTuple):
    r"""OSKL: with probability :math:`\min(1, |g|/G)`, a gradient step of :math:`\eta\max(G, |g|)`.

    Parameters
    ----------
    size : float
        Step size :math:`\eta`.
    sampling : float
        Rate G: the larger, the fewer instances are taken.
    """

    size: float
    sampling: float

    def step(self, instance: Instance, memory: Array) -> Step:
        slope = abs(instance.slope)
        if slope == 0.0 or not random_draw(instance, SAMPLING) < min(1.0, slope / self.sampling):
            return Step(False, 0.0, 1.0)
        size = self.size * instance.weight * max(self.sampling, slope)
        return Step(True, size if instance.slope < 0.0 else -size, 1.0)
