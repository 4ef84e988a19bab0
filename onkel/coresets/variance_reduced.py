"""The other visiting order: CSVRG's epochs, a full gradient and then many cheap steps.

Minimise ``1/2 |w|^2 + (C/m) sum_i weight_i l(y_i f(x_i))`` over ``w = sum_j beta_j phi(c_j)``, the
``c_j`` being the r core points of a coverage. An epoch takes a snapshot, the slopes ``g~_i`` there
and their mean ``mu = (C/m) sum_i g~_i phi(c(i))``; an inner step draws t and does

    w <- project[ (1 - eta) w - eta C (g_t - g~_t) phi(c(t)) - eta mu ].

With ``w = a v + b mu`` a step changes two scalars and one entry of v, and the scores of mu at data
and cores are known for the whole epoch: O(r) a step, ``|w|^2`` included. The outputs of one-vs-rest
share coverage, kernel rows and draws.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from copy import copy
from itertools import count
from typing import Any, NamedTuple, Self

import numpy as np

from onkel.compiled.decorators import inner, jit
from onkel.compiled.draws import draw, uniform
from onkel.coresets.coverage import squared_distances
from onkel.model.questions import slope, value

FOLD_BELOW = 1e-12  # ``a`` shrinks with every step; it is folded into v long before it underflows
LANE_STEP, LANE_STOP = 0, 1
FILLED_AT_ONCE = 256  # rows of the table of kernel values: what is made of them stays in the cache


# ---- slopes -------------------------------------------------------------------------------------


@jit
def all_slopes(loss: Any, scores: Any, signs: Any, weights: Any, slopes: Any) -> float:
    """Fill ``slopes`` (outputs x m) with ``weight y l'(y f)``; return the sum of the losses."""
    total = 0.0
    for c in range(signs.shape[0]):
        for i in range(signs.shape[1]):
            margin = signs[c, i] * scores[c, i]
            total += weights[i] * value(loss, margin)
            slopes[c, i] = weights[i] * signs[c, i] * slope(loss, margin)
    return total


# ---- kernel rows --------------------------------------------------------------------------------


def rbf_in_place(distances: np.ndarray, gamma: float) -> np.ndarray:
    with np.errstate(over="ignore"):  # exp(-infinity) is right
        distances *= -gamma
    return np.exp(distances, out=distances)


class KernelRows:
    """The m x r block of kernel values between data and cores, and each row's nearest core.

    Held whole if it fits ``memory_cap`` MiB; otherwise made again, block by block, when asked for.
    """

    def __init__(self, X: Any, cores: np.ndarray, gamma: float, memory_cap: float) -> None:
        self.X, self.V, self.gamma = X, X[cores], gamma
        m, r = X.shape[0], cores.size
        fit = int(memory_cap * 2**20 / (r * X.dtype.itemsize))
        self.block = max(1, min(4096, fit))
        self.whole = np.empty((m, r), dtype=X.dtype) if m <= fit else None
        self.cell = np.empty(m, dtype=np.intp)
        for start in range(0, m, FILLED_AT_ONCE):
            part = slice(start, start + FILLED_AT_ONCE)
            distances = squared_distances(X[part], self.V)
            self.cell[part] = distances.argmin(axis=1)
            if self.whole is not None:
                self.whole[part] = rbf_in_place(distances, gamma)
        self.cell[cores] = np.arange(r)  # a core is its own nearest, whatever rounding says
        if self.whole is not None:
            self.gram = self.whole[cores].astype(np.float64, copy=False)
        else:
            self.gram = rbf_in_place(squared_distances(self.V, self.V).astype(np.float64), gamma)
        np.fill_diagonal(self.gram, 1.0)

    def restricted_to(self, rows: np.ndarray) -> Self:
        """The same cores with some of the data."""
        part = copy(self)
        part.X, part.cell = self.X[rows], self.cell[rows]
        part.whole = None if self.whole is None else self.whole[rows]
        return part

    def take(self, picks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Kernel rows and, for every pick, where among them its row is."""
        if self.whole is not None:
            return self.whole, picks
        made = rbf_in_place(squared_distances(self.X[picks], self.V), self.gamma)
        return made, np.arange(picks.size)

    def scores(self, coefficients: np.ndarray) -> np.ndarray:
        """Scores (outputs x m) of coefficients (outputs x r) at the data."""
        factor = coefficients.T.astype(self.X.dtype)
        if self.whole is not None:
            return np.ascontiguousarray((self.whole @ factor).T, dtype=np.float64)
        scores = np.empty((coefficients.shape[0], self.X.shape[0]))
        for start in range(0, self.X.shape[0], self.block):
            part = slice(start, start + self.block)
            made = rbf_in_place(squared_distances(self.X[part], self.V), self.gamma)
            scores[:, part] = (made @ factor).T
        return scores


# ---- epochs -------------------------------------------------------------------------------------


class Plan(NamedTuple):
    """How to descend; step size in inner step n is ``step / (1 + decay n)``."""

    loss: Any  # a part: value and slope of the margin
    C: float
    radius: float
    step: float
    decay: float
    inner_steps: int
    stop_early: bool  # Option II: the snapshot is a random inner iterate


class Snapshot(NamedTuple):
    """What stays fixed in an epoch; rows are outputs."""

    signs: Any  # outputs x m, +-1
    weights: Any  # m
    cell: Any  # m
    gram: Any  # r x r
    slopes: Any  # outputs x m, at the snapshot
    mean: Any  # outputs x r, coefficients of mu
    mean_at_rows: Any  # outputs x m, scores of mu
    mean_at_cores: Any  # outputs x r
    mean_square: Any  # outputs, |mu|^2


class Iterate(NamedTuple):
    """w = a v + b mu, with |v|^2 and <v, mu> kept beside it."""

    v: Any  # outputs x r
    a: Any
    b: Any
    square: Any
    cross: Any


@inner
def dot(x: Any, y: Any) -> float:
    total = 0.0
    for j in range(x.shape[0]):
        total += x[j] * y[j]
    return total


@inner
def add_to_core(
    change: float, j: int, c: int, now: Iterate, epoch: Snapshot, bounded: bool
) -> None:
    """Add ``change phi(c_j)`` to w, that is ``change / a`` to one entry of v."""
    add = change / now.a[c]
    if bounded:
        at_core = dot(epoch.gram[j], now.v[c])
        now.square[c] += add * (2.0 * at_core + add * epoch.gram[j, j])
        now.cross[c] += add * epoch.mean_at_cores[c, j]
    now.v[c, j] += add


@inner
def project(radius: float, c: int, now: Iterate, epoch: Snapshot) -> None:
    a, b = now.a[c], now.b[c]
    square = a * a * now.square[c] + 2.0 * a * b * now.cross[c] + b * b * epoch.mean_square[c]
    if square > radius * radius:
        shrink = radius / math.sqrt(square)
        now.a[c] *= shrink
        now.b[c] *= shrink


@inner
def fold(c: int, now: Iterate) -> None:
    a = now.a[c]
    for j in range(now.v.shape[1]):
        now.v[c, j] *= a
    now.square[c] *= a * a
    now.cross[c] *= a
    now.a[c] = 1.0


@jit
def walk(
    rows: Any, where: Any, picks: Any, first: int, plan: Plan, epoch: Snapshot, now: Iterate
) -> None:
    """Inner steps ``first, first + 1, ...`` with the drawn instances ``picks``."""
    bounded = plan.radius < np.inf
    for i in range(picks.shape[0]):
        t, row = picks[i], rows[where[i]]
        eta = plan.step / (1.0 + plan.decay * (first + i))
        for c in range(epoch.signs.shape[0]):
            y = epoch.signs[c, t]
            score = now.a[c] * dot(row, now.v[c]) + now.b[c] * epoch.mean_at_rows[c, t]
            g = epoch.weights[t] * y * slope(plan.loss, y * score)
            now.a[c] *= 1.0 - eta
            now.b[c] = (1.0 - eta) * now.b[c] - eta
            change = -eta * plan.C * (g - epoch.slopes[c, t])
            if change != 0.0:
                add_to_core(change, epoch.cell[t], c, now, epoch, bounded)
            if bounded:
                project(plan.radius, c, now, epoch)
            if now.a[c] < FOLD_BELOW:
                fold(c, now)


@jit
def draw_rows(seed: int, first: int, steps: int, m: int) -> Any:
    """The instances of ``steps`` inner steps, uniform with replacement."""
    picks = np.empty(steps, dtype=np.int64)
    for i in range(steps):
        picks[i] = int(draw(seed, first + i, LANE_STEP) * m)
    return picks


def take_snapshot(
    rows: KernelRows, signs: np.ndarray, weights: np.ndarray, plan: Plan, slopes: np.ndarray
) -> Snapshot:
    outputs, m = signs.shape
    r = rows.gram.shape[0]
    mean = np.empty((outputs, r))
    for c in range(outputs):
        mean[c] = plan.C / m * np.bincount(rows.cell, weights=slopes[c], minlength=r)
    at_cores = mean @ rows.gram
    square = np.einsum("cj,cj->c", mean, at_cores)
    return Snapshot(
        signs, weights, rows.cell, rows.gram, slopes, mean, rows.scores(mean), at_cores, square
    )


def run_epoch(
    rows: KernelRows, beta: np.ndarray, epoch: Snapshot, plan: Plan, seed: int, number: int
) -> np.ndarray:
    """The coefficients after the inner steps of epoch ``number`` (from 0), starting at ``beta``."""
    outputs, m = epoch.signs.shape
    at_cores = beta @ rows.gram
    now = Iterate(
        beta.copy(),
        np.ones(outputs),
        np.zeros(outputs),
        np.einsum("cj,cj->c", beta, at_cores),
        np.einsum("cj,cj->c", epoch.mean, at_cores),
    )
    first = number * plan.inner_steps
    # the iterates after the chosen one would be thrown away: they are not computed
    steps = plan.inner_steps
    if plan.stop_early:
        steps = int(uniform(seed, number, LANE_STOP) * steps)
    for start in range(0, steps, rows.block):
        picks = draw_rows(seed, first + start, min(rows.block, steps - start), m)
        made, where = rows.take(picks)
        walk(made, where, picks, first + start, plan, epoch, now)
    return now.a[:, None] * now.v + now.b[:, None] * epoch.mean


def epochs(
    rows: KernelRows, signs: np.ndarray, weights: np.ndarray, plan: Plan, seed: int
) -> Iterator[tuple[np.ndarray, float]]:
    """Yield coefficients (outputs x r) and objective after each epoch, without end."""
    outputs, m = signs.shape
    beta = np.zeros((outputs, rows.gram.shape[0]))
    slopes = np.empty((outputs, m))
    all_slopes(plan.loss, np.zeros((outputs, m)), signs, weights, slopes)
    for number in count():
        snapshot = take_snapshot(rows, signs, weights, plan, slopes)
        beta = run_epoch(rows, beta, snapshot, plan, seed, number)
        losses = all_slopes(plan.loss, rows.scores(beta), signs, weights, slopes)
        square = float(np.einsum("cj,cj->", beta, beta @ rows.gram))
        yield beta, square / 2 + plan.C / m * losses
