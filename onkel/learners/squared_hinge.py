r"""The linear SVM of few features with the squared hinge, by Newton's method.

The objective :math:`\frac12\|w\|^2 + \sum_i c_i \max(0, 1 - s_i w^\top z_i)^2` is quadratic where the same margins
stay below 1. So a Newton step solves a ridge regression of the signs of those rows, and when they stay the same ones
after a whole step, the minimum is found, up to rounding; so it is when a step promises no more than the rounding of
the objective, or no part of it makes that smaller.
"""

from __future__ import annotations

import numpy as np

#: Most steps; some ten are usual.
MOST_STEPS = 100
#: What a step must gain at least of what its slope promises, and the shortest that is tried.
GAIN, SHORTEST = 1e-4, 1e-10
#: Rows of a block.
ROWS_AT_ONCE = 1024
#: A gradient of this size, relative to the first, is rounding; and what a step promises, relative to the objective.
ROUNDING, ROUNDING_OF_OBJECTIVE = 1e-12, 16.0 * float(np.finfo(float).eps)


def squared_hinge_weights(z: np.ndarray, signs: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """The weights of the features (rows x k) that are best for these signs, each row with its cost."""
    w, scores = np.zeros(z.shape[1]), np.zeros(len(z))
    active = np.ones(len(z), bool)
    first = 0.0
    for _ in range(MOST_STEPS):
        weighted = np.where(active, 2.0 * costs, 0.0)
        gradient = w - z.T @ (weighted * (signs - scores))
        first = first or float(np.linalg.norm(gradient))
        if np.linalg.norm(gradient) <= ROUNDING * first:
            break
        step = np.linalg.solve(np.eye(len(w)) + weighted_gram(z, weighted), gradient)
        slope = float(gradient @ step)
        if slope <= ROUNDING_OF_OBJECTIVE * objective(w, scores, signs, costs):
            return w - step
        length, scores = descended(z, signs, costs, w, scores, step, slope)
        if length == 0.0:
            return w - step
        w = w - length * step
        before, active = active, signs * scores < 1.0
        if length == 1.0 and np.array_equal(active, before):
            break
    return w


def weighted_gram(z: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The products of the features, summed over the rows that have a weight, in blocks that stay in the cache."""
    total = np.zeros((z.shape[1], z.shape[1]))
    rows = np.flatnonzero(weights)
    for start in range(0, len(rows), ROWS_AT_ONCE):
        some = rows[start : start + ROWS_AT_ONCE]
        scaled = z[some] * np.sqrt(weights[some])[:, None]
        total += scaled.T @ scaled
    return total


def objective(w: np.ndarray, scores: np.ndarray, signs: np.ndarray, costs: np.ndarray) -> float:
    """What is minimised, at weights that give these scores."""
    return 0.5 * float(w @ w) + float(costs @ np.square(np.maximum(0.0, 1.0 - signs * scores)))


def descended(
    z: np.ndarray,
    signs: np.ndarray,
    costs: np.ndarray,
    w: np.ndarray,
    scores: np.ndarray,
    step: np.ndarray,
    slope: float,
) -> tuple[float, np.ndarray]:
    """How much of a step to go, halved until the objective falls, and the scores there; 0 if it never does."""
    along, here, length = z @ step, objective(w, scores, signs, costs), 1.0
    while length > SHORTEST:
        there = scores - length * along
        if objective(w - length * step, there, signs, costs) <= here - GAIN * length * slope:
            return length, there
        length *= 0.5
    return 0.0, scores
