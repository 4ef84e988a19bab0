"""Balls: where the solution is known to lie, and the weights are projected back to.

A ball needs the norm of the weights, unless it declares that it does not.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class WholeSpace(NamedTuple):
    """No projection."""

    @property
    def needs_norm(self) -> bool:
        return False

    def radius(self, largest_target: float) -> float:
        return 0.0


class PegasosBall(NamedTuple):
    r"""Radius :math:`1/\sqrt\lambda`, where the hinge loss has its solution."""

    regularization: float

    def radius(self, largest_target: float) -> float:
        return 1.0 / math.sqrt(self.regularization)


class TargetBall(NamedTuple):
    r"""Radius :math:`y_{max}/\sqrt\lambda`, where the squared loss has its solution."""

    regularization: float

    def radius(self, largest_target: float) -> float:
        return largest_target / math.sqrt(self.regularization)
