"""Blocks against row by row: the same compiled learner with blocks of one row, and a NumPy loop."""

from __future__ import annotations

from typing import Any

import numpy as np

import onkel
from benchmarks.data import a9a
from benchmarks.report import Options, Report
from benchmarks.timing import best_times, by_products
from benchmarks.walk import BUDGET, GAMMA, REGULARIZATION, bare_blocks, learner, walked
from onkel.compiled.threads import one_blas_thread
from onkel.engine.machine import Machine, Recipe, Shape

BLOCKS, PRODUCTS = "blocks", "blocks, by matrix products in spite of the zeros"
TITLE = "blocks against one row at a time (BSGD-removal, B = 1000, a9a dense float32)"


class RowByRow(onkel.BSGDClassifier):
    """The same learner, whose blocks are single rows."""

    def _make_machine(self, kernel: Any, recipe: Recipe, shape: Shape, seed: int) -> Machine:
        machine = super()._make_machine(kernel, recipe, shape, seed)
        machine.block_rows = 1
        return machine


def run(report: Report, options: Options) -> None:
    X, y = a9a(options.rows)
    blocks = learner(shuffle=False)
    one = RowByRow(**blocks.get_params())
    model, sizes = walked(X, y)
    mistakes = {}

    def loop() -> None:
        mistakes["loop"] = numpy_loop(X, y)

    jobs = {
        BLOCKS: lambda: blocks.fit(X, y),
        PRODUCTS: by_products(lambda: blocks.fit(X, y)),
        "blocks of one row": lambda: one.fit(X, y),
        "NumPy loop": loop,
        "bare product + exp of the blocks": bare_blocks(model._fitted(), X, sizes),
    }
    with one_blas_thread(len(y)):
        best = best_times(jobs, options)
    for what, seconds in best.items():
        report.time(what, seconds, len(y), len(y) * BUDGET)
    ours = f"{blocks.progress_.mistakes} in blocks, {one.progress_.mistakes} in single rows"
    report.say(f"mistakes: {ours}, {mistakes['loop']} in NumPy's loop")
    ratio = best["blocks of one row"] / best[BLOCKS]
    report.bar("blocks of one row / blocks", ratio, at_least=2.5)
    report.say("of the one-row time the larger part are three calls into compiled code a row")
    report.bar("NumPy loop / blocks", best["NumPy loop"] / best[BLOCKS], at_least=8)
    floor = best["NumPy loop"] / best["bare product + exp of the blocks"]
    report.say(
        f"by matrix products: {best['NumPy loop'] / best[PRODUCTS]:.2f}; nothing but the products and "
        f"exp of the blocks would be {floor:.2f}"
    )


class Buffers:
    """Everything the NumPy loop writes to, so that it asks for no memory on the way."""

    def __init__(self, n_features: int, dtype: np.dtype) -> None:
        self.vectors = np.zeros((BUDGET, n_features), dtype)
        self.offsets, self.values, self.coef, self.squares = np.zeros((4, BUDGET), dtype)
        self.born, self.ages = np.zeros((2, BUDGET), np.int64)
        self.tied = np.zeros(BUDGET, bool)

    def smallest(self, now: int) -> int:
        """The vector with the least coefficient, the oldest of those that tie."""
        np.multiply(self.coef, self.coef, out=self.squares)
        np.less_equal(self.squares, self.squares.min() * (1 + 1e-9), out=self.tied)
        self.ages.fill(now)
        np.copyto(self.ages, self.born, where=self.tied)
        return int(self.ages.argmin())


def numpy_loop(X: np.ndarray, y: np.ndarray) -> int:
    """BSGD-removal as one would write it with care in NumPy; returns the mistakes.

    One matrix-vector product a row; coefficients share the scale 1 / (λ (t - 1)).
    """
    store = Buffers(X.shape[1], X.dtype)
    doubled = X * X.dtype.type(2 * GAMMA)
    norms = np.einsum("ij,ij->i", X, X) * X.dtype.type(-GAMMA)
    n = mistakes = 0
    for t, (x, target, norm) in enumerate(zip(doubled, y, norms)):
        k = store.values[:n]
        np.dot(store.vectors[:n], x, out=k)
        k += store.offsets[:n]
        k += norm
        np.exp(k, out=k)
        margin = target * float(np.dot(store.coef[:n], k)) / (REGULARIZATION * max(t, 1))
        mistakes += margin <= 0
        if margin < 1:
            slot = n if n < BUDGET else store.smallest(t)
            store.vectors[slot], store.coef[slot] = X[t], target
            store.offsets[slot], store.born[slot] = norm, t
            n = min(n + 1, BUDGET)
    return mistakes
