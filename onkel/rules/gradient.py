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
    r""":math:`w \leftarrow (1 - 1/\tau) w - \frac{1}{\lambda \tau}\, g\, \Phi(x)` with :math:`\tau = t + t_0`.

    So :math:`w = \frac{1}{\lambda \tau} \sum_s -g_s \Phi(x_s)`: every instance has the same weight, whatever
    :math:`t_0`, and the steps shrink from :math:`1/(\lambda (1 + t_0))` on.

    Parameters
    ----------
    regularization : float
        Strength :math:`\lambda` of the regularization.
    delay : float, default=0.0
        How many instances :math:`t_0` the steps are as if they had been seen before the first.
    """

    regularization: float
    delay: float = 0.0

    def step(self, instance: Instance, memory: Array) -> Step:
        slope, t = instance.weight * instance.slope, instance.counted + self.delay
        return Step(slope != 0.0, -slope / (self.regularization * t), 1.0 - instance.growth / t)
