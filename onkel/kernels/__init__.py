"""Kernels: how similar are these rows?"""

from onkel.kernels.given import Given
from onkel.kernels.laplacian import Laplacian
from onkel.kernels.linear import Linear
from onkel.kernels.matern import Matern32, Matern52
from onkel.kernels.polynomial import Polynomial
from onkel.kernels.rational_quadratic import RationalQuadratic
from onkel.kernels.rbf import Rbf
from onkel.kernels.sigmoid import Sigmoid

__all__ = [
    "Given",
    "Laplacian",
    "Linear",
    "Matern32",
    "Matern52",
    "Polynomial",
    "RationalQuadratic",
    "Rbf",
    "Sigmoid",
]
