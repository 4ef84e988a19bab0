"""Tasks: which one number does a target see of the C scores, and which outputs does a step move?

Binary sees the margin ``y f``, multi-class ``f_y - f_z`` with the best rival z, regression the
residual ``f - y``; ``shows`` says which, for losses that are of one of them. A step of size a adds
``a * sign`` to output ``up`` and ``-a`` to output ``down``.
"""

from __future__ import annotations

from typing import NamedTuple

from onkel.compiled.arrays import Array
from onkel.model.instance import View


class Binary(NamedTuple):
    """Targets are -1.0 and +1.0."""

    @property
    def shows(self) -> str:
        return "margin"

    def view(self, scores: Array, target: float) -> View:
        m = target * scores[0]
        return View(m, m, target, 0, -1, 1.0)


class MultiClass(NamedTuple):
    """Targets are class indices; the margin is Crammer and Singer's."""

    @property
    def shows(self) -> str:
        return "margin"

    def view(self, scores: Array, target: float) -> View:
        y = int(target)
        z = 1 if y == 0 else 0
        for c in range(scores.size):
            if c != y and scores[c] > scores[z]:
                z = c
        m = scores[y] - scores[z]
        return View(m, m, 1.0, y, z, 2.0)


class Residual(NamedTuple):
    """Targets are real numbers."""

    @property
    def shows(self) -> str:
        return "residual"

    def view(self, scores: Array, target: float) -> View:
        return View(scores[0] - target, scores[0], 1.0, 0, -1, 1.0)
