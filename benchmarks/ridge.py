"""Ridge regression on features: what it costs, that it stays exact, and how good it is as it comes.

The defaults (number of features, how a regularization is chosen, "scale") were chosen on the sets marked *; the
others were kept aside.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy.linalg.blas import dsyrk
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVR

import onkel
from benchmarks.data import (
    CHOSEN_ON,
    CLASSES,
    NUMBERS,
    Split,
    present,
    standardised,
    standardised_numbers,
)
from benchmarks.report import Options, Report
from benchmarks.svc import svc_result
from benchmarks.timing import best_times, seconds_of
from onkel.compiled.threads import one_blas_thread
from onkel.engine.machine import BLOCK_ROWS
from onkel.engine.ridge.strength import STRENGTHS

TITLE = "Ridge regression on Fourier and Nyström features"
#: Rows to learn and to be judged by: SVC and SVR take long with more.
MOST_ROWS = 4000
TIMED_ROWS, FEWEST = 15_000, 1024  # beyond the first look
LONG, SHORTER = 1_000_000, 100_000


def run(report: Report, options: Options) -> None:
    cost_of_a_row(report, options)
    beside_ridge_cv(report, options)
    drift(report, options)
    beside_svm(report, options, "SVC", CLASSES)
    beside_svm(report, options, "SVR", NUMBERS)


def timed_rows(options: Options) -> int:
    return max(FEWEST, min(TIMED_ROWS, options.rows or TIMED_ROWS))


def some_rows(n: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 10))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * random.normal(size=n)


def cost_of_a_row(report: Report, options: Options) -> None:
    """Features, scores before each update, progress, and the inverse made anew now and then."""
    X, y = some_rows(timed_rows(options))
    for size in (1000, 2000):
        block, gram = np.ones((BLOCK_ROWS, size)), np.zeros((size, size), order="F")

        def bare(block: np.ndarray = block, gram: np.ndarray = gram) -> None:
            with one_blas_thread(BLOCK_ROWS):
                dsyrk(1.0, block.T, 1.0, gram, lower=1, overwrite_c=1)

        jobs = {
            "the bare rank-128 update": bare,
            "learning": partial(streamed, X, y, size // 2, 0.1),
            "learning, regularization chosen": partial(streamed, X, y, size // 2, "auto"),
        }
        times = best_times(jobs, options)
        for name, seconds in times.items():
            rows = BLOCK_ROWS if name.startswith("the bare") else len(y)
            report.time(f"D = {size}: {name}", seconds, rows)
        per_row = times["the bare rank-128 update"] / BLOCK_ROWS
        report.bar(
            f"D = {size}: learning a row / the bare update",
            times["learning"] / len(y) / per_row,
            at_most=6.0,
        )


def streamed(X: np.ndarray, y: np.ndarray, n_components: int, regularization: Any) -> Any:
    model = onkel.FourierRidgeRegressor(
        n_components=n_components, gamma=0.1, regularization=regularization, random_state=0
    )
    return model.partial_fit(X, y)


def beside_ridge_cv(report: Report, options: Options) -> None:
    X, y = some_rows(timed_rows(options))
    size = 1000

    def theirs() -> Any:
        sampler = RBFSampler(gamma=0.1, n_components=size, random_state=0)
        return make_pipeline(sampler, RidgeCV(alphas=STRENGTHS)).fit(X, y)

    def ours() -> Any:
        model = onkel.FourierRidgeRegressor(n_components=size // 2, gamma=0.1, random_state=0)
        return model.fit(X, y)

    ours()
    seconds = seconds_of(theirs, options.clock), seconds_of(ours, options.clock)
    report.say(f"RBFSampler + RidgeCV {seconds[0]:.1f} s, FourierRidgeRegressor {seconds[1]:.1f} s")
    report.bar(f"{len(y)} rows: times as fast as RidgeCV", seconds[0] / seconds[1], at_least=5.0)


def drift(report: Report, options: Options) -> None:
    """Far into a stream, against numpy.linalg.solve over all of it."""
    rows = options.rows or (LONG if options.everything else SHORTER)
    X, y = some_rows(rows)
    model = onkel.FourierRidgeRegressor(
        n_components=50, gamma=0.1, regularization=0.01, scale_targets=False, random_state=0
    ).partial_fit(X, y)
    U, pieces = model.components_, range(0, rows, SHORTER)

    def features(first: int) -> np.ndarray:
        turns = X[first : first + SHORTER] @ U.T
        return np.hstack([np.sin(turns), np.cos(turns)]) / np.sqrt(len(U))

    mean = sum(features(first).sum(axis=0) for first in pieces) / rows
    gram, cross = 0.01 * np.eye(len(mean)), np.zeros(len(mean))
    for first in pieces:
        deviations = features(first) - mean
        gram += deviations.T @ deviations
        cross += deviations.T @ (y[first : first + SHORTER] - y.mean())
    expected = y.mean() + (features(0)[:1000] - mean) @ np.linalg.solve(gram, cross)
    gap = np.abs(model.predict(X[:1000]) - expected).max()
    report.bar(f"after {rows} rows: off the batch solution, in 1e-8", 1e8 * gap, at_most=1.0)


def beside_svm(report: Report, options: Options, svm: str, sets: tuple[str, ...]) -> None:
    names = present(sets, options.sets)
    most = min(MOST_ROWS, options.rows or MOST_ROWS)
    report.say(f"{'':<16}{'rows':>6}{svm:>8}{'Fourier':>9}{'Nyström':>9}   points of 100")
    table = {}
    for name in names:
        split = standardised(name, most, most) if svm == "SVC" else standardised_numbers(name, most)
        table[name] = judged(name, split, svm)
        mark = "*" if name in CHOSEN_ON else " "
        text = "".join(f"{value:9.2f}" for value in table[name])
        report.say(f"{name + mark:<16}{len(split.y):>6}{text[1:]}")
    above = {name: (row[1] - row[0], row[2] - row[0]) for name, row in table.items()}
    aside = [points for name, points in above.items() if name not in CHOSEN_ON]
    for k, kind in enumerate(("Fourier", "Nyström")):
        mean = float(np.mean([points[k] for points in above.values()]))
        report.bar(f"{kind}: mean points above {svm}, all sets", mean)
        if aside:
            kept = float(np.mean([points[k] for points in aside]))
            report.say(f"{kind}: on the sets that were kept aside {kept:+.2f}")


def judged(name: str, split: Split, svm: str) -> list[float]:
    """Accuracy or R², in points of 100: of the support vector machine, and on either kind of features."""
    if svm == "SVC":
        theirs = svc_result(name, split).accuracy
        models = onkel.FourierRidgeClassifier, onkel.NystromRidgeClassifier
    else:
        theirs = SVR().fit(split.X, split.y).score(split.X_test, split.y_test)
        models = onkel.FourierRidgeRegressor, onkel.NystromRidgeRegressor
    scores = [theirs]
    for model in models:
        fitted = model(random_state=0).fit(split.X, split.y)
        scores.append(fitted.score(split.X_test, split.y_test))
    return [100.0 * float(score) for score in scores]
