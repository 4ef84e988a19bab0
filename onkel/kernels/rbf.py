"""exp(-gamma |x - v|^2), the Gaussian kernel."""

from __future__ import annotations

from typing import Any, NamedTuple

from onkel.kernels.functions import exp
from onkel.kernels.geometry import SQUARED_DISTANCES


class Rbf(NamedTuple):
    r"""The Gaussian kernel :math:`k(x, v) = e^{-\gamma \|x - v\|^2}`.

    It goes with every learner: its vectors can be merged, its cells are balls, and its Fourier features
    have normal frequencies.

    Parameters
    ----------
    gamma : float
        Parameter :math:`\gamma`; the larger, the narrower the kernel.
    """

    gamma: float

    @property
    def geometry(self) -> str:
        return SQUARED_DISTANCES

    @property
    def gaussian(self) -> bool:
        return True

    def value(self, g: Any) -> Any:
        return exp(-self.gamma * g)

    def rate_quantile(self, u: Any) -> Any:
        return self.gamma + 0.0 * u
