"""NORMA: the margin, or the width of the tube, adapts until a share nu of the instances violates it."""

from __future__ import annotations

from typing import NamedTuple

from onkel.compiled.arrays import Array
from onkel.model.instance import Instance, Step


class AdaptiveMargin(NamedTuple):
    r"""Step when :math:`m < \rho`; then :math:`\rho` falls by :math:`\eta(1-\nu)`, else it grows.

    Parameters
    ----------
    size : float
        Step size :math:`\eta`.
    regularization : float
        Strength :math:`\lambda` of the regularization.
    nu : float
        Share :math:`\nu` of the instances that shall violate the margin.
    """

    size: float
    regularization: float
    nu: float

    @property
    def memory(self) -> tuple[float, ...]:
        return (1.0,)

    def step(self, instance: Instance, memory: Array) -> Step:
        take = instance.m < memory[0]
        memory[0] = max(0.0, memory[0] + self.size * (self.nu - 1.0 if take else self.nu))
        return Step(take, self.size * instance.weight, 1.0 - self.size * self.regularization)


class AdaptiveTube(NamedTuple):
    r"""Step when :math:`|r| > \epsilon`; then :math:`\epsilon` grows by :math:`\eta(1-\nu)`, else it falls.

    Parameters
    ----------
    size : float
        Step size :math:`\eta`.
    regularization : float
        Strength :math:`\lambda` of the regularization.
    nu : float
        Share :math:`\nu` of the instances that shall leave the tube.
    """

    size: float
    regularization: float
    nu: float

    @property
    def memory(self) -> tuple[float, ...]:
        return (0.1,)

    def step(self, instance: Instance, memory: Array) -> Step:
        take = abs(instance.m) > memory[0]
        memory[0] = max(0.0, memory[0] + self.size * (1.0 - self.nu if take else -self.nu))
        size = self.size * instance.weight
        return Step(
            take, -size if instance.m > 0.0 else size, 1.0 - self.size * self.regularization
        )
