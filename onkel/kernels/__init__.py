"""Kernels: how similar are these rows?"""

from onkel.kernels.given import Given
from onkel.kernels.laplacian import Laplacian
from onkel.kernels.linear import Linear
from onkel.kernels.polynomial import Polynomial
from onkel.kernels.rbf import Rbf

__all__ = ["Given", "Laplacian", "Linear", "Polynomial", "Rbf"]
