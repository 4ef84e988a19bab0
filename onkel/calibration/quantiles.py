r"""How far predictions are off: quantiles of the absolute residual, tracked row by row.

The quantile of coverage :math:`1 - \alpha` is kept as :math:`q = \rho u`: u is the running mean of :math:`|r|`, and
the ratio :math:`\rho` starts where it is for normal residuals, goes up after a row outside and down after one inside,

.. math:: \rho \leftarrow \max\bigl(0, \rho + \tfrac{h_t}{d}(1[|r| > \rho u] - \alpha)\bigr), \qquad
          h_t = \omega_t \max\left(\frac{12}{t + 80}, \frac{1}{1000}\right),

d being the density of normal residuals there, and :math:`\omega_t` the weight of a row relative to the mean one. The
steps do not vanish: whatever the residuals do, the share of rows outside comes near :math:`\alpha` in the long run
(adaptive conformal inference), and what changes is followed within some thousand rows. So does u:

.. math:: u = M / N, \quad (M, N) \leftarrow \kappa (M, N) + \omega_t (|r|, 1), \quad
          \kappa = \left(1 - \omega_t \max\left(\frac{1}{t}, \frac{1}{1000}\right)\right)^2.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from onkel.calibration.observer import Observer
from onkel.compiled.arrays import Array
from onkel.compiled.decorators import jit

LEVELS = np.array([0.5, 0.8, 0.9, 0.95, 0.99])
#: Quantiles of the absolute value of normal numbers, its mean, and the densities at the ratios of the two.
NORMAL = ndtri((1.0 + LEVELS) / 2.0)
MEAN = np.sqrt(2.0 / np.pi)
DENSITIES = MEAN * MEAN * np.exp(-0.5 * NORMAL * NORMAL)
FIRST_STEPS, ROWS_BEFORE = 12.0, 80.0
LAST_STEP = 1e-3


class ResidualQuantiles(Observer):
    """Tracks the quantiles of :data:`LEVELS`."""

    ratios: np.ndarray  # (levels,): of the quantiles and the mean
    sums: np.ndarray  # (4,): rows, weights, weights and absolute residuals that count now

    def __init__(self, decay: float = 1.0) -> None:
        super().__init__(decay, ratios=NORMAL / MEAN, sums=np.zeros(4))

    def observe(self, scores: np.ndarray, targets: np.ndarray, weights: np.ndarray) -> None:
        track(self.ratios, self.sums, float(self.decay[0]), scores, targets, weights)

    def quantile(self, coverage: float) -> float:
        """How far predictions are off in this share of rows.

        Levels in between are interpolated in proportion to what they are for normal residuals.
        """
        _, _, weight, total = self.sums
        unit = total / weight if weight > 0 else 0.0
        wanted = float(ndtri((1.0 + coverage) / 2.0))
        kept = np.maximum.accumulate(self.ratios)
        if wanted > NORMAL[-1]:
            return unit * float(kept[-1]) * wanted / float(NORMAL[-1])
        return unit * float(np.interp(wanted, np.r_[0.0, NORMAL], np.r_[0.0, kept]))


@jit
def track(
    ratios: Array, sums: Array, decay: float, scores: Array, targets: Array, weights: Array
) -> None:
    """Follow the residuals of the first output."""
    for i in range(scores.shape[0]):
        size = abs(scores[i, 0] - targets[i])
        sums[0] = decay * sums[0] + 1.0
        sums[1] = decay * sums[1] + weights[i]
        t = sums[0]
        weight = weights[i] * t / sums[1]
        if sums[2] > 0.0:
            unit = sums[3] / sums[2]
            step = weight * max(FIRST_STEPS / (t + ROWS_BEFORE), LAST_STEP)
            for k in range(ratios.size):
                outside = 1.0 if size > ratios[k] * unit else 0.0
                change = step / DENSITIES[k] * (outside - (1.0 - LEVELS[k]))
                ratios[k] = max(0.0, ratios[k] + change)
        kept = 1.0 - min(1.0, weight * max(1.0 / t, LAST_STEP))
        kept *= kept
        sums[2] = kept * sums[2] + weight
        sums[3] = kept * sums[3] + weight * size
