"""A literal CSVRG: coreset stochastic variance-reduced gradient, step by step, nothing cached.

Minimise 1/2 |w|^2 + (C/m) sum_i weight_i l(y_i f(x_i)), w = sum_j beta_j phi(c_j) on core points.
Kernel values are recomputed where they are used, and the norm of w is beta' G beta after each step.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np


class Problem(NamedTuple):
    """Everything that defines a run, the draws included (indices: epochs x inner steps)."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    cores: np.ndarray
    cell: np.ndarray
    loss: str
    C: float
    gamma: float
    theta: float
    mu: float
    tau: float
    step: float
    indices: np.ndarray
    stops: np.ndarray | None


def cover(X: np.ndarray, diameter: float) -> tuple[np.ndarray, np.ndarray]:
    """Core rows of one online pass, and the nearest core (by position) of every row."""
    cores: list[int] = []
    for i, x in enumerate(X):
        nearest = min((np.linalg.norm(x - X[c]) for c in cores), default=np.inf)
        if nearest >= diameter / 2:
            cores.append(i)
    distances = np.linalg.norm(X[:, None, :] - X[cores][None, :, :], axis=2)
    return np.array(cores), distances.argmin(axis=1)


def loss_value(p: Problem, margin: float) -> float:
    if p.loss == "hinge":
        return max(0.0, 1 - margin)
    if p.loss == "squared_hinge":
        return max(0.0, 1 - margin) ** 2
    if p.loss == "smooth_hinge":
        if margin > 1:
            return 0.0
        if margin < 1 - p.tau:
            return 1 - margin - p.tau / 2
        return (1 - margin) ** 2 / (2 * p.tau)
    short = max(0.0, 1 - p.theta - margin) ** 2
    return (short + p.mu * max(0.0, margin - 1 - p.theta) ** 2) / (1 - p.theta) ** 2


def loss_slope(p: Problem, margin: float) -> float:
    if p.loss == "hinge":
        return -1.0 if margin < 1 else 0.0
    if p.loss == "squared_hinge":
        return -2 * (1 - margin) if margin < 1 else 0.0
    if p.loss == "smooth_hinge":
        if margin > 1:
            return 0.0
        return -1.0 if margin < 1 - p.tau else (margin - 1) / p.tau
    slope = 0.0
    if margin < 1 - p.theta:
        slope = margin + p.theta - 1
    if margin > 1 + p.theta:
        slope = p.mu * (margin - p.theta - 1)
    return 2 * slope / (1 - p.theta) ** 2


def radius(p: Problem) -> float:
    """The ball that holds the optimum; infinite where the paper gives none."""
    strength = p.C * p.weights.mean()
    if p.loss == "odm":
        band = (1 - p.theta) ** 2 + p.mu * (1 + p.theta) ** 2
        return float(np.sqrt(strength * band) / (1 - p.theta))
    return float(np.sqrt(strength)) if p.loss == "squared_hinge" else np.inf


def kernel(p: Problem, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.exp(-p.gamma * ((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2))


def slope_at(p: Problem, beta: np.ndarray, i: int) -> float:
    """g_i: the derivative of instance i's weighted loss by its score."""
    score = (kernel(p, p.X[i : i + 1], p.cores) @ beta)[0]
    return float(p.weights[i] * p.y[i] * loss_slope(p, p.y[i] * score))


def objective(p: Problem, beta: np.ndarray) -> float:
    scores = kernel(p, p.X, p.cores) @ beta
    losses = [w * loss_value(p, m) for w, m in zip(p.weights, p.y * scores, strict=True)]
    square = beta @ kernel(p, p.cores, p.cores) @ beta
    return float(square / 2 + p.C * np.mean(losses))


def steps(p: Problem) -> Iterator[tuple[int, int, np.ndarray]]:
    """Yield (epoch, steps done, coefficients): 0 is the snapshot, the rest one inner step each."""
    gram = kernel(p, p.cores, p.cores)
    ball, m = radius(p), len(p.X)
    beta, count = np.zeros(len(p.cores)), 0
    for epoch, drawn in enumerate(p.indices):
        snapshot = beta.copy()
        old = np.array([slope_at(p, snapshot, i) for i in range(m)])
        mean = np.zeros(len(p.cores))
        for i in range(m):
            mean[p.cell[i]] += p.C / m * old[i]
        iterates = [beta]
        yield epoch, 0, beta
        for done, t in enumerate(drawn, start=1):
            eta = p.step / (1 + p.step * count) if p.loss == "hinge" else p.step
            direction = beta + mean
            direction[p.cell[t]] += p.C * (slope_at(p, beta, t) - old[t])
            beta = beta - eta * direction
            norm = np.sqrt(max(beta @ gram @ beta, 0.0))
            if norm > ball:
                beta = beta * (ball / norm)
            count += 1
            iterates.append(beta)
            yield epoch, done, beta
        if p.stops is not None:
            beta = iterates[p.stops[epoch]]


def final(p: Problem) -> list[np.ndarray]:
    """The snapshots: coefficients at the start and after each epoch, Option I or II applied."""
    snapshots = [beta for _, done, beta in steps(p) if done == 0]
    *_, (_, _, last) = steps(p)
    if p.stops is not None:
        in_last = [beta for epoch, _, beta in steps(p) if epoch == len(p.indices) - 1]
        last = in_last[p.stops[-1]]
    return [*snapshots, last]
