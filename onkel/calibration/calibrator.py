r"""Scores to probabilities, learned row by row by online Newton steps.

For two classes :math:`p = \sigma(a z + b)`, for more :math:`p_c \propto \exp(a z_c + b_c)`. Here z is the score (less
the mean over the classes) in units of its running root mean square: a learner may change the unit of its scores
on the way. With gradient g and curvature H of a row's log loss, weight w and the sum W of the weights up to it,

.. math:: A \leftarrow \kappa A + w H, \qquad \theta \leftarrow \theta - (A + \bar w I)^{-1} w g, \qquad
          \kappa = (1 - w / W)^2,

from :math:`\theta = (a, b) = (1, 0)` and A = 0. So row t counts in proportion to t squared: the model that will
predict is more like the later ones. :math:`p(1 - p)` is taken for at least 1e-4, and a never falls below 0: a
class is not less likely where its score is higher. Where the learner forgets, W is the discounted sum.

For more than two classes H is a bound: its first row and column are exact, :math:`\mathrm{Var}_p(z)` and
:math:`p_c (z_c - \bar z)`, and the rest, :math:`\mathrm{diag}(p) - p p^\top`, is replaced by the diagonal
:math:`2 p_c (1 - p_c)` (Gershgorin): a row costs O(classes).

A class more leaves all that was said of the others in proportion. Of two classes :math:`\pm s/2` and :math:`\pm b/2`
become the scores and biases, and A is seen through :math:`b = b_2 - b_1`, with H's bound. A score of 0 more makes
the mean square, the unit of z, smaller: a follows. The new bias gives, where all scores are 0, the probability
1 / (n + C) after n rows, if there are C classes now: Laplace's rule for what never came. Nothing was learned of it,
which is 0 in A.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from typing import Self

import numpy as np
from scipy.special import expit, log_expit, log_softmax, logsumexp, softmax

from onkel.calibration.observer import Observer, shares_of, together
from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner, jit

LEAST_CURVATURE = 1e-4


class Calibrator(Observer):
    """Learns a and b of two classes (one output) or of more (one output each)."""

    theta: np.ndarray  # (1 + C,): a, then b of each output
    curvature: np.ndarray  # (2, 1 + C): of A the diagonal, and the column beside it
    sums: np.ndarray  # (4,): rows, weights, weights and squared scores that count now

    def __init__(self, n_outputs: int, decay: float = 1.0) -> None:
        theta = np.zeros(1 + n_outputs)
        theta[0] = 1.0
        curvature = np.zeros((2, 1 + n_outputs))
        super().__init__(decay, theta=theta, curvature=curvature, sums=np.zeros(4))

    def observe(self, scores: np.ndarray, targets: np.ndarray, weights: np.ndarray) -> np.ndarray:
        learn = learn_two if scores.shape[1] == 1 else learn_more
        fade = float(self.decay[0])
        learn(self.theta, self.curvature, self.sums, fade, scores, targets, weights)
        return scores

    def grow(self, place: int) -> None:
        """One class more than two, at this place among them: from here on every class has a score."""
        theta, (diagonal, column) = self.theta, self.curvature
        if len(theta) == 2:
            theta = np.array([theta[0], -theta[1] / 2, theta[1] / 2])
            diagonal = np.array([diagonal[0], 2 * diagonal[1], 2 * diagonal[1]])
            column = np.array([0.0, -column[1], column[1]])
            ratio = 1.0 / 6.0  # of the mean squares: (s/2)² twice, and 0
        else:
            ratio = (len(theta) - 1) / len(theta)
        n_classes = len(theta)  # the new one counted
        bias = logsumexp(theta[1:]) - math.log(self.sums[0] + n_classes - 1)
        self.theta = np.insert(theta, 1 + place, bias)
        self.theta[0] *= math.sqrt(ratio)
        diagonal, column = (np.insert(row, 1 + place, 0.0) for row in (diagonal, column))
        diagonal[0] /= ratio
        self.curvature = np.stack([diagonal, column / math.sqrt(ratio)])
        self.sums[3] *= ratio

    def joined(
        self, others: Sequence[Self], factors: Sequence[float], common: Self | None = None
    ) -> Self:
        """What all know: slopes and intercepts are means by the weights of rows."""
        made, each = copy(self), [self, *others]
        before = np.zeros(4) if common is None else common.sums
        weights = [one.sums[1] for one in each]
        shares, weight = shares_of(weights, float(before[1]))
        made.curvature = together([one.curvature for one in each], weights, shares, weight)
        made.sums = together([one.sums for one in each], weights, shares, weight)
        made.sums[0] = sum(one.sums[0] for one in each) - len(others) * before[0]
        made.theta = np.sum([share * one.theta for share, one in zip(shares, each)], axis=0)
        slope = sum(share * one._slope for share, one in zip(shares, each))
        made.theta[0] *= slope / made._slope if made._slope > 0.0 else 1.0
        return made

    @property
    def _slope(self) -> float:
        """How much a logit grows with the score itself."""
        _, _, weight, squares = self.sums
        unit = math.sqrt(squares / weight) if squares > 0 else 1.0
        return float(self.theta[0]) / unit

    def probabilities(self, scores: np.ndarray) -> np.ndarray:
        """Probabilities (rows x classes) of scores (rows x outputs)."""
        logits = self._logits(scores)
        if logits.shape[1] > 1:
            return softmax(logits, axis=1)
        return np.hstack([expit(-logits), expit(logits)])

    def log_probabilities(self, scores: np.ndarray) -> np.ndarray:
        """Their logarithms, finite where a probability is too small for a float."""
        logits = self._logits(scores)
        if logits.shape[1] > 1:
            return log_softmax(logits, axis=1)
        return np.hstack([log_expit(-logits), log_expit(logits)])

    def _logits(self, scores: np.ndarray) -> np.ndarray:
        return scores * self._slope + self.theta[1:]


class SingleClass:
    """Of a single class there is no doubt."""

    def probabilities(self, scores: np.ndarray) -> np.ndarray:
        return np.ones((len(scores), 1))

    def log_probabilities(self, scores: np.ndarray) -> np.ndarray:
        return np.zeros((len(scores), 1))


@inner
def begin_row(sums: Array, decay: float, weight: float, square: float) -> float:
    """Count a row; returns the share that is kept of what was learned before."""
    sums[0] = decay * sums[0] + 1.0
    sums[1] = decay * sums[1] + weight
    kept = 1.0 - weight / sums[1]
    kept *= kept
    sums[2] = kept * sums[2] + weight
    sums[3] = kept * sums[3] + weight * square
    return kept


@inner
def per_unit(sums: Array) -> float:
    """One over the root mean square of the scores."""
    return math.sqrt(sums[2] / sums[3]) if sums[3] > 0.0 else 1.0


@jit
def learn_two(
    theta: Array,
    curvature: Array,
    sums: Array,
    decay: float,
    scores: Array,
    targets: Array,
    weights: Array,
) -> None:
    """Newton steps of two classes: targets are -1 and +1."""
    for i in range(scores.shape[0]):
        weight = weights[i]
        kept = begin_row(sums, decay, weight, scores[i, 0] * scores[i, 0])
        z = scores[i, 0] * per_unit(sums)
        p = 1.0 / (1.0 + math.exp(-(theta[0] * z + theta[1])))
        h = weight * max(p * (1.0 - p), LEAST_CURVATURE)
        for j in range(2):
            curvature[0, j] *= kept
        curvature[0, 0] += h * z * z
        curvature[0, 1] += h
        curvature[1, 1] = kept * curvature[1, 1] + h * z
        prior = (
            sums[1] / sums[0]
        )  # divided by it, the determinant is a number in any unit of weights
        aa, bb = curvature[0, 0] / prior + 1.0, curvature[0, 1] / prior + 1.0
        ab = curvature[1, 1] / prior
        g = weight / prior * (p if targets[i] < 0.0 else p - 1.0) / (aa * bb - ab * ab)
        theta[0] = max(0.0, theta[0] - g * (bb * z - ab))
        theta[1] -= g * (aa - ab * z)


@jit
def learn_more(
    theta: Array,
    curvature: Array,
    sums: Array,
    decay: float,
    scores: Array,
    targets: Array,
    weights: Array,
) -> None:
    """Newton steps of more classes: targets are their numbers."""
    n_classes = scores.shape[1]
    z, p = np.empty(n_classes), np.empty(n_classes)
    for i in range(scores.shape[0]):
        weight, label = weights[i], int(targets[i])
        square = centre(scores[i], z)
        kept = begin_row(sums, decay, weight, square)
        unit = per_unit(sums)
        square *= unit * unit
        for c in range(n_classes):
            z[c] *= unit
        mean = soften(theta, z, p)
        variance, slope = 0.0, -z[label]
        for c in range(n_classes):
            variance += p[c] * (z[c] - mean) * (z[c] - mean)
            slope += p[c] * z[c]
        p_label = p[label]
        prior = sums[1] / sums[0]
        corner = kept * curvature[0, 0] + weight * max(variance, LEAST_CURVATURE * square)
        curvature[0, 0] = corner
        corner += prior
        for c in range(1, n_classes + 1):
            q = p[c - 1]
            h = 2.0 * max(q * (1.0 - q), LEAST_CURVATURE)
            curvature[0, c] = kept * curvature[0, c] + weight * h
            curvature[1, c] = kept * curvature[1, c] + weight * q * (z[c - 1] - mean)
        p[label] = p_label - 1.0  # the gradient of b
        for c in range(1, n_classes + 1):
            share = curvature[1, c] / (curvature[0, c] + prior)
            corner -= share * curvature[1, c]
            slope -= share * p[c - 1]
        change = slope / corner  # of a, but for the weight
        theta[0] = max(0.0, theta[0] - weight * change)
        for c in range(1, n_classes + 1):
            own = curvature[0, c] + prior
            theta[c] -= weight * (p[c - 1] - curvature[1, c] * change) / own


@inner
def centre(scores: Array, out: Array) -> float:
    """The scores less their mean; returns the mean of their squares."""
    mean, square = 0.0, 0.0
    for c in range(scores.size):
        mean += scores[c]
    mean /= scores.size
    for c in range(scores.size):
        out[c] = scores[c] - mean
        square += out[c] * out[c]
    return square / scores.size


@inner
def soften(theta: Array, z: Array, p: Array) -> float:
    """The probabilities of the classes; returns the mean of z under them."""
    highest = theta[0] * z[0] + theta[1]
    for c in range(z.size):
        p[c] = theta[0] * z[c] + theta[c + 1]
        highest = max(highest, p[c])
    total, mean = 0.0, 0.0
    for c in range(z.size):
        p[c] = math.exp(p[c] - highest)
        total += p[c]
        mean += p[c] * z[c]
    for c in range(z.size):
        p[c] /= total
    return mean / total
