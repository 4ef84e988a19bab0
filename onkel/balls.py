"""Balls: where the solution is known to lie, and the weights are projected back to.

A ball needs the norm of the weights, unless it declares that it does not.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from onkel.model.questions import value


class WholeSpace(NamedTuple):
    """No projection."""

    @property
    def needs_norm(self) -> bool:
        return False

    def radius(self, largest_target: float) -> float:
        return 0.0


class PegasosBall(NamedTuple):
    r"""Radius :math:`1/\sqrt\lambda`, where losses that are at most 1 at margin 0 have their solution."""

    regularization: float

    def radius(self, largest_target: float) -> float:
        return 1.0 / math.sqrt(self.regularization)


class LossBall(NamedTuple):
    r"""Radius :math:`\sqrt{\ell_{max}/\lambda}`, where a convex loss of residuals has its solution.

    :math:`\ell_{max}` is the loss of predicting 0 for the largest target. At the solution
    :math:`\lambda w = -\overline{g\,\Phi(x)}` for slopes g, so
    :math:`\lambda\|w\|^2 = -\overline{g f} \le \overline{\ell(-y) - \ell(f - y)} \le \ell_{max}`.
    """

    loss: Any
    regularization: float

    def radius(self, largest_target: float) -> float:
        most = max(value(self.loss, -largest_target), value(self.loss, largest_target))
        return math.sqrt(most / self.regularization)


class TargetBall(NamedTuple):
    r"""Radius :math:`y_{max}/\sqrt\lambda`, where the squared loss has its solution."""

    regularization: float

    def radius(self, largest_target: float) -> float:
        return largest_target / math.sqrt(self.regularization)
