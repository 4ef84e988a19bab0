"""Matérn kernels: rougher than the Gaussian, smoother than the Laplacian."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from scipy.special import gammaincinv

from onkel.compiled.decorators import INNER_OPTIONS
from onkel.kernels.functions import constant, exp
from onkel.kernels.geometry import SQUARED_DISTANCES

#: exp of minus so much is 0.
FARTHEST = 1000.0


class Matern32(NamedTuple):
    r"""The Matérn kernel of smoothness 3/2.

    It is :math:`k(x, v) = (1 + z) e^{-z}, z = \sqrt{6\gamma}\,\|x - v\|`. Its functions have one
    derivative. In terms of a length scale, :math:`\gamma = 1/(2 l^2)` and :math:`z = \sqrt 3 \|x - v\| / l`.

    Any learner takes it but those that merge vectors; its Fourier frequencies are draws of a multivariate t
    with 3 degrees of freedom.

    Parameters
    ----------
    gamma : float
        Parameter :math:`\gamma`; the larger, the narrower the kernel.
    """

    gamma: float

    @property
    def geometry(self) -> str:
        return SQUARED_DISTANCES

    def value(self, g: Any) -> Any:
        z = scaled_distance(constant(6.0**0.5, g), self.gamma * g)
        falling = exp(-z)
        return falling + z * falling

    def rate_quantile(self, u: Any) -> Any:
        return matern_rates(1.5, self.gamma, u)


class Matern52(NamedTuple):
    r"""The Matérn kernel of smoothness 5/2.

    It is :math:`k(x, v) = (1 + z + z^2/3) e^{-z}, z = \sqrt{10\gamma}\,\|x - v\|`. Its functions have two
    derivatives. In terms of a length scale, :math:`\gamma = 1/(2 l^2)` and :math:`z = \sqrt 5 \|x - v\| / l`.

    Any learner takes it but those that merge vectors; its Fourier frequencies are draws of a multivariate t
    with 5 degrees of freedom.

    Parameters
    ----------
    gamma : float
        Parameter :math:`\gamma`; the larger, the narrower the kernel.
    """

    gamma: float

    @property
    def geometry(self) -> str:
        return SQUARED_DISTANCES

    def value(self, g: Any) -> Any:
        z = scaled_distance(constant(10.0**0.5, g), self.gamma * g)
        falling = exp(-z)
        return falling + (z + constant(1.0 / 3.0, g) * z * z) * falling

    def rate_quantile(self, u: Any) -> Any:
        return matern_rates(2.5, self.gamma, u)


def scaled_distance(factor: Any, squared: Any) -> Any:
    """The root times a factor, but no more than where exp(-z) is 0: infinity times 0 is no number."""
    z = factor * np.sqrt(squared)
    most = constant(FARTHEST, z)
    return z if z < most else most


@overload(scaled_distance, jit_options={"forceinline": True, **INNER_OPTIONS}, strict=False)
def _scaled_distance(factor: Any, squared: Any) -> Any:
    return scaled_distance


def matern_rates(smoothness: float, gamma: float, u: Any) -> Any:
    """Rates whose Gaussians mix to a Matérn kernel: gamma, divided by a gamma variable of mean 1."""
    return gamma * smoothness / gammaincinv(smoothness, 1.0 - u)
