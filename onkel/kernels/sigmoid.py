"""tanh(gamma x.v + coef0)."""

from __future__ import annotations

from typing import Any, NamedTuple

from onkel.kernels.functions import constant, exp
from onkel.kernels.geometry import PRODUCTS


class Sigmoid(NamedTuple):
    r"""The sigmoid kernel :math:`k(x, v) = \tanh(\gamma\, x \cdot v + c_0)`.

    It is not positive definite: learners that project, follow norms or decompose Gram matrices refuse it.
    Those that only step along gradients and drop vectors take it, without the guarantees of their papers. Where
    :math:`c_0 < 0` a row may be unlike itself, :math:`k(x, x) < 0`: then passive-aggressive steps, and
    dropping the smallest vector, are refused too.

    Parameters
    ----------
    gamma : float
        Factor :math:`\gamma` of the inner product.
    coef0 : float
        The constant :math:`c_0`.
    """

    gamma: float
    coef0: float

    @property
    def geometry(self) -> str:
        return PRODUCTS

    @property
    def positive_definite(self) -> bool:
        return False

    @property
    def nonnegative_diagonal(self) -> bool:
        return self.gamma >= 0 and self.coef0 >= 0

    def value(self, g: Any) -> Any:
        one, two = constant(1.0, g), constant(2.0, g)
        z = self.gamma * g + self.coef0
        size = z if z > 0 else -z
        falling = exp(
            -two * size
        )  # of the size: neither overflows nor loses digits where it is large
        tanh = (one - falling) / (one + falling)
        return tanh if z > 0 else -tanh
