"""Gradient steps: of constant size, or 1/(lambda t)."""

from __future__ import annotations

from typing import NamedTuple

from onkel.compiled.arrays import Array
from onkel.model.instance import Instance, Step


class ConstantStep(NamedTuple):
    r""":math:`w \leftarrow (1 - \eta\lambda) w - \eta\, g\, \Phi(x)`.

    Parameters
    ----------
    size : float
        Step size :math:`\eta`.
    regularization : float, default=0.0
        Strength :math:`\lambda` of the regularization.
    """

    size: float
    regularization: float = 0.0

    def step(self, instance: Instance, memory: Array) -> Step:
        slope = instance.weight * instance.slope
        return Step(slope != 0.0, -self.size * slope, 1.0 - self.size * self.regularization)


class DecreasingStep(NamedTuple):
    r""":math:`w \leftarrow (1 - 1/t) w - \frac{1}{\lambda t}\, g\, \Phi(x)`.

    Parameters
    ----------
    regularization : float
        Strength :math:`\lambda` of the regularization.
    """

    regularization: float

    def step(self, instance: Instance, memory: Array) -> Step:
        slope = instance.weight * instance.slope
        amount = -slope / (self.regularization * instance.t)
        return Step(slope != 0.0, amount, 1.0 - 1.0 / instance.t)
