r"""Sums over rows, which are all that ridge regression needs to know of them.

With the mean of features and targets kept beside them, the sums are of deviations from the mean, which is what gives
an intercept. A row of weight w that comes to rows of weight W adds to them

.. math:: \frac{w W}{W + w} (\phi - \bar\phi)(\phi - \bar\phi)^\top,

the means being those before it: so a block of rows becomes a block of *increments*, rows :math:`c_k (\phi_k -
\bar\phi_{k-1})` whose products add up, and ridge regression with an intercept one without. Where the learner forgets,
all sums are multiplied by :math:`\rho` before each row: increment k of a block is divided by :math:`\rho^{k/2}`, and
after n rows the sums are multiplied by :math:`\rho^n`.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Self

import numpy as np

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import jit
from onkel.parallel.symmetric import add_products


class Statistics(NamedTuple):
    """Of rows with D features and C targets each; symmetric matrices have their upper triangle only."""

    rows: float  # how many; an older one counts less if the learner forgets
    weight: float  # the sum of their weights
    mean: np.ndarray  # (D,)
    target_mean: np.ndarray  # (C,)
    gram: (
        np.ndarray
    )  # (D, D): of the features with each other. The only array that changes in place
    cross: np.ndarray  # (D, C): of the features with the targets
    squares: np.ndarray  # (C,): of the targets with themselves
    centred: bool  # whether the last three are of deviations from the means

    @classmethod
    def none(cls, n_features: int, n_outputs: int, centred: bool) -> Self:
        """Of no rows."""
        return cls(
            0.0, 0.0, np.zeros(n_features), np.zeros(n_outputs),
            np.zeros((n_features, n_features)), np.zeros((n_features, n_outputs)), np.zeros(n_outputs),
            centred,
        )  # fmt: skip

    @property
    def unit(self) -> float:
        """The mean of weight times squared length of a row: what a regularization is in proportion to."""
        total = float(np.trace(self.gram))
        if self.centred:
            total += self.weight * float(self.mean @ self.mean)
        return total / self.rows if self.rows > 0 and total > 0 else 1.0

    def increments(
        self, features: np.ndarray, targets: np.ndarray, weights: np.ndarray, decay: float
    ) -> Increments:
        """What rows that come next add; ``features`` (rows x D) and ``targets`` (rows x C) become it."""
        n = len(weights)
        mean, target_mean, factors = self.mean.copy(), self.target_mean.copy(), np.empty(n)
        weight = deviate(
            features, targets, weights, decay, self.centred, self.weight, mean, target_mean, factors
        )
        fade = decay**n
        rows = self.rows * fade + (n if decay == 1.0 else (1.0 - fade) / (1.0 - decay))
        return Increments(features, targets, factors, fade, rows, weight, mean, target_mean)

    def after(self, new: Increments) -> Self:
        """The same when these have come; ``gram`` is left to :meth:`add_to_gram`."""
        return self._replace(
            rows=new.rows,
            weight=new.weight,
            mean=new.mean,
            target_mean=new.target_mean,
            cross=new.fade * (self.cross + new.features.T @ new.targets),
            squares=new.fade * (self.squares + np.square(new.targets).sum(axis=0)),
        )

    def add_to_gram(self, new: Increments) -> None:
        add_products(new.fade, new.features, new.fade, self.gram)

    def joined(self, other: Self, sign: float = 1.0) -> Self:
        """Of these rows and others together; with sign -1, of these without others that are among them."""
        weight = self.weight + sign * other.weight
        share = sign * other.weight / weight if weight > 0 else 0.0
        gap, target_gap = other.mean - self.mean, other.target_mean - self.target_mean
        gram = self.gram + sign * other.gram
        cross, squares = self.cross + sign * other.cross, self.squares + sign * other.squares
        if self.centred:
            between = self.weight * share
            add_products(between, gap[None], 1.0, gram)
            cross += between * np.outer(gap, target_gap)
            squares += between * np.square(target_gap)
        return self._replace(
            rows=self.rows + sign * other.rows,
            weight=weight,
            mean=self.mean + share * gap,
            target_mean=self.target_mean + share * target_gap,
            gram=gram,
            cross=cross,
            squares=squares,
        )

    def with_targets(self, factor: float, offset: float) -> Self:
        """Of the same rows, each target t being ``factor * t + offset``."""
        cross, squares = factor * self.cross, factor * factor * self.squares
        if not self.centred:
            squares = squares + self.weight * offset * (2 * factor * self.target_mean + offset)
            cross = cross + offset * self.weight * self.mean[:, None]
        target_mean = factor * self.target_mean + offset
        return self._replace(target_mean=target_mean, cross=cross, squares=squares)


class Increments(NamedTuple):
    """What a block of rows adds to statistics, and these but for their products."""

    features: np.ndarray  # (rows, D)
    targets: np.ndarray  # (rows, C)
    factors: np.ndarray  # (rows,): what deviations were multiplied with
    fade: float  # what sums are multiplied with in the end
    rows: float
    weight: float
    mean: np.ndarray
    target_mean: np.ndarray


@jit
def deviate(
    features: Array,
    targets: Array,
    weights: Array,
    decay: float,
    centred: bool,
    weight: float,
    mean: Array,
    target_mean: Array,
    factors: Array,
) -> float:
    """Features and targets become increments, the means go on; returns the weight of all rows."""
    fade, centre = 1.0, 1.0 if centred else 0.0
    for k in range(weights.size):
        before = decay * weight
        weight = before + weights[k]
        share = weights[k] / weight
        fade *= decay
        factor = math.sqrt(weights[k] * (before / weight if centred else 1.0) / fade)
        factors[k] = factor
        for values, means in ((features[k], mean), (targets[k], target_mean)):
            for j in range(means.size):
                old = means[j]
                means[j] += share * (values[j] - old)
                values[j] = factor * (values[j] - centre * old)
    return weight
