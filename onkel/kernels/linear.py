"""x.v, the linear kernel."""

from __future__ import annotations

from typing import Any, NamedTuple

from onkel.kernels.geometry import PRODUCTS


class Linear(NamedTuple):
    r"""The linear kernel :math:`k(x, v) = x \cdot v`: a plane through the origin."""

    @property
    def geometry(self) -> str:
        return PRODUCTS

    def value(self, g: Any) -> Any:
        return g
