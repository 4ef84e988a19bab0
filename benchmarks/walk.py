"""Walk overhead: a whole fit against its kernel blocks, and these against bare products and exp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import onkel
from benchmarks.data import a9a
from benchmarks.report import Options, Report
from benchmarks.timing import all_blas_threads, best_times, by_products, multiplied_out
from onkel.compiled.simd import exp_inplace
from onkel.compiled.threads import one_blas_thread
from onkel.engine.machine import BLOCK_ROWS
from onkel.engine.walk import fill
from onkel.kernels.geometry import for_blocks
from onkel.model.state import workspace_pointer
from onkel.model.tile import Tile

TITLE = "BSGD-removal, B = 1000, a9a dense float32"
BUDGET = 1000
GAMMA = 1 / 128
REGULARIZATION = 1e-5

Blocks = list[tuple[int, int, int]]  # first row, rows, vectors


def learner(**changes: Any) -> Any:
    settings: dict[str, Any] = {"budget": BUDGET, "maintenance": "removal", "gamma": GAMMA}
    settings |= {"regularization": REGULARIZATION, "average": False, "random_state": 0}
    settings |= {"first_step": None, "intercept": False, "probabilities": False}  # the paper's rule
    return onkel.BSGDClassifier(**(settings | changes))


def run(report: Report, options: Options) -> None:
    X, y = a9a(options.rows)
    with multiplied_out():
        model, blocks = walked(X, y)
    values = sum(rows * (n + rows) for _, rows, n in blocks)
    jobs = {
        "whole fit": by_products(lambda: learner().fit(X, y)),
        "kernel blocks alone": kernel_blocks(model._fitted(), X, blocks),
        "bare product + exp": bare_blocks(model._fitted(), X, blocks),
    }
    with one_blas_thread(len(y)):
        best = best_times(jobs, options)
    lines(report, best, len(y), values, "")
    ratio = best["whole fit"] / best["kernel blocks alone"]
    report.bar("fit / its kernel blocks", ratio, at_most=1.5)
    ratio = best["kernel blocks alone"] / best["bare product + exp"]
    report.bar("kernel blocks / bare product + exp", ratio, at_most=1.5)
    hollow_way(report, options, X, y)
    with all_blas_threads():
        lifted = best_times(jobs, options)
    lines(report, lifted, len(y), values, "all BLAS threads")
    share = lifted["whole fit"] / lifted["kernel blocks alone"]
    gain = best["whole fit"] / lifted["whole fit"]
    report.say(f"with all threads: fit / blocks {share:.2f}, and the fit {gain:.2f} x as fast")


def hollow_way(report: Report, options: Options, X: np.ndarray, y: np.ndarray) -> None:
    """What users get with these rows, of which nine in ten entries are 0."""
    model, blocks = walked(X, y)
    machine = model._fitted()
    jobs = {
        "whole fit": lambda: learner().fit(X, y),
        "kernel blocks alone": kernel_blocks(machine, X, blocks),
        "rows made sparse": lambda: machine._rows(X, BLOCK_ROWS),
    }
    best = best_times(jobs, options)
    lines(report, best, len(y), 0, "by non-zeros")
    ratio = best["whole fit"] / (best["kernel blocks alone"] + best["rows made sparse"])
    report.say(f"by non-zeros: fit / its kernel blocks and making rows sparse {ratio:.2f}")


def lines(report: Report, best: dict[str, float], rows: int, values: int, note: str) -> None:
    for what, seconds in best.items():
        report.time(what, seconds, rows, values, note)


def walked(X: np.ndarray, y: np.ndarray) -> tuple[Any, Blocks]:
    """A learned model, and how many vectors it had before each of the blocks on the way."""
    model, blocks = learner(), []
    for first in range(0, len(y), BLOCK_ROWS):
        chunk = slice(first, first + BLOCK_ROWS)
        size = model.n_support_ if first else 0
        model.partial_fit(X[chunk], y[chunk], classes=np.unique(y))
        blocks.append((first, len(y[chunk]), size))
    return model, blocks


def kernel_blocks(machine: Any, X: np.ndarray, blocks: Blocks) -> Callable[[], None]:
    """Nothing but what a fit computes of kernel values, block by block."""
    rows = machine._rows(X, BLOCK_ROWS)
    workspace = workspace_pointer(*machine.new_workspace(BLOCK_ROWS, learning=True))
    kernel = for_blocks(machine.kernel, X.dtype)

    def job() -> None:
        for first, count, n in blocks:
            fill(kernel, machine.store, rows, Tile(first, count, 0, n, True), workspace)

    return job


def bare_blocks(machine: Any, X: np.ndarray, blocks: Blocks) -> Callable[[], None]:
    """The least it could be: matrix products of the same sizes, and exp of every number."""
    vectors = machine.vectors()
    out = np.zeros(BLOCK_ROWS * max(BUDGET, BLOCK_ROWS), X.dtype)

    def job() -> None:
        for first, count, n in blocks:
            block = X[first : first + count]
            for others in (vectors[:n], block):
                values = out[: count * len(others)]
                np.dot(block, others.T, out=values.reshape(count, len(others)))
                exp_inplace(values)

    return job
