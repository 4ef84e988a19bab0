r"""What the scores of a regressor are worth, and how far predictions are off, learned row by row.

What is predicted is a line :math:`a s + b` of the score s: that which regresses the targets on the scores that
they had before each update. A model of noise, or a mean of models that each ran after the rows just before
them, can be far off elsewhere: then a is near 0, and the mean of the targets remains. With weighted means and
sums over the rows so far,

.. math:: \hat a = \frac{\sum (s - \bar s)(y - \bar y)}{\sum (s - \bar s)^2}, \qquad
          a = \frac{N \min(\max(1.1\, \hat a, 0), 1) + 30}{N + 30}, \qquad
          b = \frac{N (\bar y - a \bar s)}{N + 30}:

it is as if 30 rows had said that the scores are right, and the model that will predict is taken for a tenth better
than those that were on the way. Rows fade as in u below, with 1/10,000 for 1/1000.

Of the residuals r of the line quantiles are tracked. That of coverage :math:`1 - \alpha` is kept as
:math:`q = \rho u v`: u is the running mean of :math:`|r|`, v tells how much wider quantiles are while u comes from
a few rows, and the ratio :math:`\rho` starts where it is for normal residuals, goes up after a row outside and down
after one inside,

.. math:: \rho \leftarrow \max\bigl(0, \rho + \tfrac{h_t}{d}(1[|r| > q] - \alpha)\bigr), \qquad
          h_t = \omega_t \max\left(\frac{12}{t + 80}, \frac{1}{1000}\right),

d being the density of normal residuals there, and :math:`\omega_t` the weight of a row relative to the mean one. The
steps do not vanish: whatever the residuals do, the share of rows outside comes near :math:`\alpha` in the long run
(adaptive conformal inference), and what changes is followed within some thousand rows. So does u:

.. math:: u = M / N, \quad (M, N) \leftarrow \kappa (M, N) + \omega_t (|r|, 1), \quad
          \kappa = \left(1 - \omega_t \max\left(\frac{1}{t}, \frac{1}{1000}\right)\right)^2.

v is the quantile of Student's t over that of the normal distribution, z, after Wallace (1959):

.. math:: v = \frac{1}{z} \sqrt{n \left(e^{c^2 z^2 / n} - 1\right)}, \qquad c = \frac{8n + 3}{8n + 1},

with :math:`n = \tfrac34 t` degrees of freedom (later rows count more in u), and 1 from a thousand rows on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from typing import Self

import numpy as np
from scipy.special import ndtri

from onkel.calibration.observer import Observer, shares_of, together
from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner, jit

LEVELS = np.array([0.5, 0.8, 0.9, 0.95, 0.99])
#: Quantiles of the absolute value of normal numbers, its mean, and the densities at the ratios of the two.
NORMAL = ndtri((1.0 + LEVELS) / 2.0)
MEAN = np.sqrt(2.0 / np.pi)
DENSITIES = MEAN * MEAN * np.exp(-0.5 * NORMAL * NORMAL)
FIRST_STEPS, ROWS_BEFORE = 12.0, 80.0
LAST_STEP = 1e-3
#: From so many rows on the unit is known.
MANY_ROWS = 1000.0
#: Rows that say that scores are right, before the first.
TRUST = 30.0
#: The model that will predict is worth more than those that were on the way, so much.
BETTER = 1.1
LAST_STEP_OF_LINE = 1e-4


class ResidualQuantiles(Observer):
    """Learns the line, and tracks the quantiles of :data:`LEVELS` around it."""

    ratios: np.ndarray  # (levels,): of the quantiles and the mean
    #: (5,): rows, weights, weights and absolute residuals that count now; all squared residuals
    sums: np.ndarray
    line: np.ndarray  # (2,): a and b
    moments: np.ndarray  # (5,): N, the two means, and the two sums; (0,) if the line is to stay

    def __init__(self, decay: float = 1.0, follows: bool = True) -> None:
        super().__init__(
            decay,
            ratios=NORMAL / MEAN,
            sums=np.zeros(5),
            line=np.array([1.0, 0.0]),
            moments=np.zeros(5 if follows else 0),
        )

    def observe(self, scores: np.ndarray, targets: np.ndarray, weights: np.ndarray) -> np.ndarray:
        kept, said = (self.ratios, self.sums, self.line, self.moments), np.empty((len(scores), 1))
        track(*kept, float(self.decay[0]), scores, targets, weights, said)
        return said

    @property
    def squared_error(self) -> float | None:
        return float(self.sums[4]) if self.moments.size else None

    def joined(
        self, others: Sequence[Self], factors: Sequence[float], common: Self | None = None
    ) -> Self:
        """What all know: quantiles are means by the weights of rows, the line is that of all."""
        made, each, scales = copy(self), [self, *others], [1.0, *factors]
        before = np.zeros(5) if common is None else common.sums
        weights = [one.sums[1] for one in each]
        shares, weight = shares_of(weights, float(before[1]))
        units = [np.array([1.0, 1.0, 1.0, scale, scale * scale]) for scale in scales]
        sums = [one.sums * unit for one, unit in zip(each, units)]
        made.sums = together(sums, weights, shares, weight)
        for plain in (0, 4):
            made.sums[plain] = sum(one[plain] for one in sums) - len(others) * before[plain]
        if made._unit > 0.0:
            quantiles = [
                share * scale * one._unit * one.ratios
                for share, scale, one in zip(shares, scales, each)
            ]
            made.ratios = np.sum(quantiles, axis=0) / made._unit
        if made.moments.size:
            made.moments = pooled_moments([one.moments for one in each], weights, shares, weight)
            put_line(made.line, made.moments)
        return made

    @property
    def _unit(self) -> float:
        """The running mean of absolute residuals."""
        _, _, weight, total, _ = self.sums
        return float(total / weight) if weight > 0 else 0.0

    def quantile(self, coverage: float) -> float:
        """How far predictions are off in this share of rows.

        Levels in between are interpolated in proportion to what they are for normal residuals.
        """
        rows, unit = self.sums[0], self._unit
        wanted = float(ndtri((1.0 + coverage) / 2.0))
        widths = [ratio * widening(rows, z) for ratio, z in zip(self.ratios, NORMAL)]
        kept = np.maximum.accumulate(widths)
        if wanted > NORMAL[-1]:
            return unit * float(kept[-1]) * wanted / float(NORMAL[-1])
        return unit * float(np.interp(wanted, np.r_[0.0, NORMAL], np.r_[0.0, kept]))


@inner
def widening(rows: float, z: float) -> float:
    """How much wider a quantile is than its normal one, z, while the unit comes from so few rows."""
    if rows >= MANY_ROWS or rows == 0.0:
        return 1.0
    n = 0.75 * rows
    turn = z * (8.0 * n + 3.0) / (8.0 * n + 1.0)
    return math.sqrt(n * math.expm1(turn * turn / n)) / z


@jit
def track(
    ratios: Array,
    sums: Array,
    line: Array,
    moments: Array,
    decay: float,
    scores: Array,
    targets: Array,
    weights: Array,
    said: Array,
) -> None:
    """Follow the residuals of the first output; `said` gets the predictions."""
    for i in range(scores.shape[0]):
        said[i, 0] = line[0] * scores[i, 0] + line[1]
        size, before = abs(said[i, 0] - targets[i]), sums[0]
        sums[4] += size * size
        sums[0] = decay * sums[0] + 1.0
        sums[1] = decay * sums[1] + weights[i]
        t = sums[0]
        weight = weights[i] * t / sums[1]
        if sums[2] > 0.0:
            unit = sums[3] / sums[2]
            step = weight * max(FIRST_STEPS / (t + ROWS_BEFORE), LAST_STEP)
            for k in range(ratios.size):
                width = ratios[k] * unit * widening(before, NORMAL[k])
                outside = 1.0 if size > width else 0.0
                change = step / DENSITIES[k] * (outside - (1.0 - LEVELS[k]))
                ratios[k] = max(0.0, ratios[k] + change)
        kept = 1.0 - min(1.0, weight * max(1.0 / t, LAST_STEP))
        kept *= kept
        sums[2] = kept * sums[2] + weight
        sums[3] = kept * sums[3] + weight * size
        if moments.size > 0:
            kept = 1.0 - min(1.0, weight * max(1.0 / t, LAST_STEP_OF_LINE))
            move_line(line, moments, kept * kept, weight, scores[i, 0], targets[i])


@inner
def move_line(
    line: Array, moments: Array, kept: float, weight: float, score: float, target: float
) -> None:
    """Take a row into the regression; `kept` is left of the rows before it."""
    moments[0] = kept * moments[0] + weight
    share = weight / moments[0]
    apart, higher = score - moments[1], target - moments[2]
    moments[1] += share * apart
    moments[2] += share * higher
    moments[3] = kept * moments[3] + weight * (1.0 - share) * apart * apart
    moments[4] = kept * moments[4] + weight * (1.0 - share) * apart * higher
    put_line(line, moments)


@inner
def put_line(line: Array, moments: Array) -> None:
    """The line that these moments give."""
    slope = min(max(BETTER * moments[4] / moments[3], 0.0), 1.0) if moments[3] > 0.0 else 1.0
    trusted = moments[0] + TRUST
    line[0] = (moments[0] * slope + TRUST) / trusted
    line[1] = moments[0] * (moments[2] - line[0] * moments[1]) / trusted


def pooled_moments(
    moments: Sequence[np.ndarray], weights: Sequence[float], shares: np.ndarray, weight: float
) -> np.ndarray:
    """The moments of all rows, from those of several streams: the means of these differ, too."""
    counts = [float(one[0]) for one in moments]
    count = float(together([one[:1] for one in moments], weights, shares, weight)[0])
    score, target = (sum(s * one[k] for s, one in zip(shares, moments)) for k in (1, 2))
    spread = crossed = 0.0
    for share, one, own in zip(shares, moments, counts):
        apart = one[1] - score
        spread += share * (one[3] / max(own, 1e-300) + apart * apart)
        crossed += share * (one[4] / max(own, 1e-300) + apart * (one[2] - target))
    return np.array([count, score, target, count * spread, count * crossed])
