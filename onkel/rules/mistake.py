"""Mistake-driven steps: the Perceptron's, and Projectron++'s, which also looks at margin errors."""

from __future__ import annotations

from typing import NamedTuple

from onkel.arrays import Array
from onkel.models.state import Seen
from onkel.rules.base import Step


class OnMistake(NamedTuple):
    """A step of constant size when the margin is not positive."""

    size: float = 1.0

    def step(self, seen: Seen, memory: Array) -> Step:
        return Step(seen.m <= 0.0, self.size * seen.weight, 1.0)


class OnMarginError(NamedTuple):
    """A step of size 1 whenever there is a loss; the budget decides how far to follow it."""

    def step(self, seen: Seen, memory: Array) -> Step:
        return Step(seen.m <= 0.0 or seen.value > 0.0, seen.weight, 1.0)
