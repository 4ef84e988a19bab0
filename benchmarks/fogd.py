"""FOGD: against the bare product with sin and cos, and against RBFSampler with SGDClassifier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import SGDClassifier

import onkel
from benchmarks.data import a9a
from benchmarks.report import Options, Report
from benchmarks.timing import all_blas_threads, best_times
from onkel.compiled.threads import one_blas_thread
from onkel.engine.machine import BLOCK_ROWS
from onkel.maps.fourier import sines_and_cosines_of

TITLE = "FOGD, D = 1000 frequencies, a9a dense float32"
FREQUENCIES = 1000
GAMMA = 1 / 128
CHUNK = 256


def learner(**changes: Any) -> Any:
    settings: dict[str, Any] = {"n_components": FREQUENCIES, "gamma": GAMMA, "step": 2.0}
    return onkel.FOGDClassifier(**(settings | {"average": False, "random_state": 0} | changes))


def run(report: Report, options: Options) -> None:
    X, y = a9a(options.rows)
    jobs = {
        "FOGD": lambda: learner().fit(X, y),
        "FOGD, suffix average": lambda: learner(average=0.5).fit(X, y),
        "bare product + sin, cos": bare_features(learner().fit(X[:500], y[:500]), X),
        "RBFSampler + SGDClassifier": sampler_and_sgd(X, y),
    }
    with one_blas_thread(len(y)):
        best = best_times(jobs, options)
    values = len(y) * 2 * FREQUENCIES
    for what, seconds in best.items():
        report.time(what, seconds, len(y), values)
    fastest = min(best_times({"": jobs["RBFSampler + SGDClassifier"]}, options).values())
    report.time("RBFSampler + SGDClassifier", fastest, len(y), values, "all BLAS threads")
    fastest = min(fastest, best["RBFSampler + SGDClassifier"])
    ratio = best["FOGD"] / best["bare product + sin, cos"]
    report.bar("FOGD / bare product + sin, cos", ratio, at_most=1.5)
    report.bar("scikit-learn (the faster way) / FOGD", fastest / best["FOGD"], at_least=3)
    del jobs["RBFSampler + SGDClassifier"]
    with all_blas_threads():
        lifted = best_times(jobs, options)
    for what, seconds in lifted.items():
        report.time(what, seconds, len(y), values, "all BLAS threads")
    gain = best["FOGD"] / lifted["FOGD"]
    report.say(f"with all threads FOGD is {gain:.2f} x as fast as with one")


def bare_features(model: Any, X: np.ndarray) -> Callable[[], None]:
    """Features alone: one product a block, and one sweep that turns it to sines and cosines."""
    frequencies = np.ascontiguousarray(model.components_.T)
    raw = np.zeros((BLOCK_ROWS, FREQUENCIES), X.dtype)
    features = np.zeros((BLOCK_ROWS, 2 * FREQUENCIES), X.dtype)

    def job() -> None:
        for first in range(0, len(X), BLOCK_ROWS):
            block = X[first : first + BLOCK_ROWS]
            count = len(block)
            np.dot(block, frequencies, out=raw[:count])
            sines_and_cosines_of(raw[:count], features[:count])

    return job


def sampler_and_sgd(X: np.ndarray, y: np.ndarray) -> Callable[[], None]:
    """What scikit-learn offers for the same: as many features, of the same type."""
    sampler = RBFSampler(gamma=GAMMA, n_components=2 * FREQUENCIES, random_state=0).fit(X[:CHUNK])
    if sampler.transform(X[:1]).dtype != X.dtype:
        raise RuntimeError("RBFSampler changed the type: this would not be a fair comparison")

    def job() -> None:
        model = SGDClassifier(random_state=0)
        for first in range(0, len(y), CHUNK):
            rows = slice(first, first + CHUNK)
            model.partial_fit(sampler.transform(X[rows]), y[rows], classes=np.unique(y))

    return job
