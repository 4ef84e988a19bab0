"""(gamma x.v + coef0)^degree."""

from __future__ import annotations

from typing import Any, NamedTuple

from onkel.kernels.geometry import PRODUCTS


class Polynomial(NamedTuple):
    r"""The polynomial kernel :math:`k(x, v) = (\gamma\, x \cdot v + c_0)^{degree}`.

    All products of up to ``degree`` features; of exactly so many where :math:`c_0 = 0`. Its values grow
    with the rows: scale the features. It is positive definite where :math:`c_0 \ge 0`.

    Parameters
    ----------
    gamma : float
        Factor :math:`\gamma` of the inner product.
    degree : int
        The degree.
    coef0 : float
        The constant :math:`c_0`.
    """

    gamma: float
    degree: int
    coef0: float

    @property
    def geometry(self) -> str:
        return PRODUCTS

    @property
    def positive_definite(self) -> bool:
        return self.coef0 >= 0

    @property
    def nonnegative_diagonal(self) -> bool:
        return self.degree % 2 == 0 or self.coef0 >= 0

    def value(self, g: Any) -> Any:
        return (self.gamma * g + self.coef0) ** self.degree
