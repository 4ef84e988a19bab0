"""(1 + gamma |x - v|^2 / alpha)^-alpha; with alpha = 1 the Cauchy kernel."""

from __future__ import annotations

from typing import Any, NamedTuple

from scipy.special import gammaincinv

from onkel.kernels.functions import constant
from onkel.kernels.geometry import SQUARED_DISTANCES


class RationalQuadratic(NamedTuple):
    r"""The rational quadratic kernel, by default the Cauchy kernel.

    It is :math:`k(x, v) = (1 + \gamma \|x - v\|^2 / \alpha)^{-\alpha}` with :math:`\alpha = 1` by default. A
    mixture of Gaussian kernels of many widths: it falls slowly, so that far vectors still count. With
    :math:`\alpha = 1`, which the name "rational_quadratic" stands for, it is the Cauchy kernel
    :math:`1/(1 + \gamma\|x - v\|^2)`, the fastest to compute; with :math:`\alpha \to \infty` the Gaussian one.
    Any learner but those that merge vectors takes it; its Fourier frequencies are normal with random
    variances.

    Parameters
    ----------
    gamma : float
        Parameter :math:`\gamma`; the larger, the narrower the kernel.
    alpha : float, default=1.0
        Exponent :math:`\alpha`.
    """

    gamma: float
    alpha: float = 1.0

    @property
    def geometry(self) -> str:
        return SQUARED_DISTANCES

    def value(self, g: Any) -> Any:
        one = constant(1.0, g)
        base = one + self.gamma / self.alpha * g
        return one / base if self.alpha == one else base**-self.alpha

    def rate_quantile(self, u: Any) -> Any:
        return self.gamma / self.alpha * gammaincinv(self.alpha, u)
