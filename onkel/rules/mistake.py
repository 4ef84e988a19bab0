"""Mistake-driven steps: the Perceptron's, and Projectron++'s, which also looks at margin errors."""

from __future__ import annotations

from typing import NamedTuple

from onkel.compiled.arrays import Array
from onkel.model.instance import Instance, Step


class OnMistake(NamedTuple):
    r"""A step of constant size when the margin is not positive.

    Parameters
    ----------
    size : float, default=1.0
        Step size :math:`\eta`.
    """

    size: float = 1.0

    def step(self, instance: Instance, memory: Array) -> Step:
        return Step(instance.m <= 0.0, self.size * instance.weight, 1.0)


class OnMarginError(NamedTuple):
    """A step of size 1 whenever there is a loss; the budget decides how far to follow it."""

    def step(self, instance: Instance, memory: Array) -> Step:
        return Step(instance.m <= 0.0 or instance.value > 0.0, instance.weight, 1.0)
