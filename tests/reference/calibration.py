"""Reference room: probabilities from scores, and quantiles of residuals, one row at a time.

What is learned from is the output model's score before each update.
"""

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
LEAST_CURVATURE = 1e-4
LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)


class CalibratorTwin:
    """p = sigma(a z + b), or softmax(a z_c + b_c); z is the score in units of its root mean square.

    Two classes have one score and the targets -1 and +1, more have a score each and targets 0, 1, ...
    """

    def __init__(self, n_outputs: int, half_life: float | None = None) -> None:
        self.decay = decay_of(half_life)
        self.n_outputs = n_outputs
        self.theta = np.zeros(1 + n_outputs)
        self.theta[0] = 1.0
        self.weights: list[float] = []
        self.rows = 0.0
        self.A = np.zeros((1 + n_outputs, 1 + n_outputs))
        self.weight, self.square = 0.0, 0.0  # what counts now

    def centred(self, scores: Array) -> Array:
        return scores if self.n_outputs == 1 else scores - scores.mean()

    def unit(self) -> float:
        return math.sqrt(self.square / self.weight) if self.square > 0 else 1.0

    def probabilities_of(self, z: Array) -> Array:
        """Of each output: of the second of two classes, or of every class."""
        logits = self.theta[0] * z + self.theta[1:]
        if self.n_outputs == 1:
            return 1 / (1 + np.exp(-logits))
        grown = np.exp(logits - logits.max())
        return np.array(grown / grown.sum())

    def learn(self, scores: Array, target: float, weight: float = 1.0) -> None:
        z = self.centred(np.asarray(scores, float))
        self.weights = [self.decay * w for w in self.weights] + [weight]
        self.rows = self.decay * self.rows + 1
        kept = (1 - weight / sum(self.weights)) ** 2
        self.weight = kept * self.weight + weight
        self.square = kept * self.square + weight * float(np.mean(z**2))
        z = z / self.unit()
        p = self.probabilities_of(z)
        truth = np.zeros(self.n_outputs)
        truth[0 if self.n_outputs == 1 else int(target)] = float(self.n_outputs > 1 or target > 0)
        gradient = np.r_[(p - truth) @ z, p - truth]
        self.A = kept * self.A + weight * self.curvature(z, p)
        prior = sum(self.weights) / self.rows * np.eye(1 + self.n_outputs)
        self.theta = self.theta - np.linalg.solve(self.A + prior, weight * gradient)
        self.theta[0] = max(0.0, self.theta[0])

    def grow(self, place: int) -> None:
        """A class more than two, at this place: logits of the others keep their differences.

        With J the old parameters as functions of the new ones, A becomes J'AJ, with the bound on its
        part of the biases. Where all scores are 0 the new class gets the probability 1 / (rows + classes).
        """
        if self.n_outputs == 1:
            ratio = (0.25 + 0.25 + 0.0) / 3  # of mean squares: those of (-s/2, s/2, 0), and of s
            J = np.array([[1 / math.sqrt(ratio), 0.0, 0.0], [0.0, -1.0, 1.0]])
            theta = np.array([self.theta[0], -self.theta[1] / 2, self.theta[1] / 2])
            A = J.T @ self.A @ J
            A[1:, 1:] = 2 * np.diag(np.diag(A[1:, 1:]))
        else:
            ratio = self.n_outputs / (self.n_outputs + 1)
            J = np.diag([1 / math.sqrt(ratio)] + [1.0] * self.n_outputs)
            theta, A = self.theta, J.T @ self.A @ J
        self.n_outputs = len(theta)
        chance = 1 / (self.rows + self.n_outputs)
        bias = math.log(chance / (1 - chance) * np.exp(theta[1:]).sum())
        theta = np.insert(theta, 1 + place, bias)
        theta[0] *= math.sqrt(ratio)
        self.theta = theta
        self.A = np.insert(np.insert(A, 1 + place, 0.0, axis=0), 1 + place, 0.0, axis=1)
        self.square *= ratio

    def curvature(self, z: Array, p: Array) -> Array:
        """The Hessian of the log loss for two classes; for more a bound of it."""
        h = np.maximum(p * (1 - p), LEAST_CURVATURE)
        if self.n_outputs == 1:
            return h[0] * np.array([[z[0] ** 2, z[0]], [z[0], 1.0]])
        mean = p @ z
        H = np.diag(np.r_[0.0, 2 * h])
        H[0, 0] = max(p @ (z - mean) ** 2, LEAST_CURVATURE * np.mean(z**2))
        H[0, 1:] = H[1:, 0] = p * (z - mean)
        return H

    def probabilities(self, scores: Array) -> Array:
        """Of all classes."""
        p = self.probabilities_of(self.centred(np.asarray(scores, float)) / self.unit())
        return np.array([1 - p[0], p[0]]) if self.n_outputs == 1 else p


class LineTwin:
    """Predictions a s + b: the regression of targets on the scores before each update, drawn towards a = 1, b = 0."""

    def __init__(self, follows: bool) -> None:
        self.follows, self.a, self.b = follows, 1.0, 0.0
        self.seen: list[tuple[float, float, float]] = []  # how much it counts, score, target

    def learn(self, score: float, target: float, relative: float, t: float) -> None:
        if not self.follows:
            return
        kept = (1 - min(1, relative * max(1 / t, 1 / 10_000))) ** 2
        self.seen = [(kept * w, s, y) for w, s, y in self.seen] + [(relative, score, target)]
        self.fit()

    def fit(self) -> None:
        w, s, y = np.array(self.seen).T
        count = w.sum()
        apart = s - w @ s / count
        square, product = w @ apart**2, w @ (apart * y)
        slope = min(max(1.1 * product / square, 0.0), 1.0) if square > 0 else 1.0
        self.a = (count * slope + 30) / (count + 30)
        self.b = float(w @ (y - self.a * s) / (count + 30))


class QuantilesTwin:
    """q = ratio * mean of |residual|: each ratio steps up after a row outside, down after one inside.

    The residual is that of the line.
    """

    def __init__(self, half_life: float | None = None, follows: bool = True) -> None:
        self.decay, self.rows = decay_of(half_life), 0.0
        self.line, self.squared_error = LineTwin(follows), 0.0
        self.normal = [NormalDist().inv_cdf((1 + level) / 2) for level in LEVELS]
        self.ratios = [z / math.sqrt(2 / math.pi) for z in self.normal]
        self.weights: list[float] = []
        self.weight, self.total = 0.0, 0.0  # what counts now

    def mean(self) -> float:
        return self.total / self.weight

    def learn(self, scores: Array, target: float, weight: float = 1.0) -> None:
        score = float(scores[0])
        size, before = abs(self.line.a * score + self.line.b - target), self.rows
        self.squared_error += size**2
        self.weights = [self.decay * w for w in self.weights] + [weight]
        self.rows = t = self.decay * self.rows + 1
        relative = weight * t / sum(self.weights)
        if before:
            unit, step = self.mean(), relative * max(12 / (t + 80), 0.001)
            for k, level in enumerate(LEVELS):
                density = 2 * NormalDist().pdf(self.normal[k]) * math.sqrt(2 / math.pi)
                outside = size > self.ratios[k] * unit * widening(before, self.normal[k])
                self.ratios[k] += step / density * (outside - (1 - level))
                self.ratios[k] = max(0.0, self.ratios[k])
        kept = (1 - min(1, relative * max(1 / t, 0.001))) ** 2
        self.weight = kept * self.weight + relative
        self.total = kept * self.total + relative * size
        self.line.learn(score, target, relative, t)

    def quantile(self, coverage: float) -> float:
        """Straight lines through the kept levels, over the quantiles that normal residuals would have."""
        z, level = NormalDist().inv_cdf((1 + coverage) / 2), 0.0
        places, values = [0.0, *self.normal], [0.0]
        for ratio, normal in zip(self.ratios, self.normal):
            level = max(level, ratio * widening(self.rows, normal))  # it has no smaller quantile
            values.append(level)
        if z > places[-1]:
            return self.mean() * values[-1] * z / places[-1]
        k = next(k for k in range(len(places) - 1) if z <= places[k + 1])
        share = (z - places[k]) / (places[k + 1] - places[k])
        return self.mean() * ((1 - share) * values[k] + share * values[k + 1])


def widening(rows: float, z: float) -> float:
    """Quantiles of Student's t (Wallace's approximation) over normal ones: the unit is known from a few rows only.

    Later rows count more, so that there are three quarters as many degrees of freedom; from 1000 rows on it is 1.
    """
    if rows >= 1000:
        return 1.0
    n = 0.75 * rows
    return math.sqrt(n * (math.exp((z * (8 * n + 3) / (8 * n + 1)) ** 2 / n) - 1)) / z


def balanced_weights(
    labels: list[int], n_classes: int, half_life: float | None = None
) -> list[float]:
    """t / (C n_c), the row itself counted; an older row counts less if there is a half-life."""
    decay, weights = decay_of(half_life), []
    for t, label in enumerate(labels):
        ages = [decay ** (t - s) for s in range(t + 1)]
        alike = sum(age for age, other in zip(ages, labels) if other == label)
        weights.append(sum(ages) / (n_classes * alike))
    return weights


def decay_of(half_life: float | None) -> float:
    """What a row counts, one row later."""
    return 1.0 if half_life is None else 2.0 ** (-1.0 / half_life)
