"""What a race costs: many configurations of one learner side by side, beside one of them alone."""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any

import numpy as np

import onkel
from benchmarks.report import Options, Report
from benchmarks.timing import best_times
from onkel.datasets import gaussian_mixture

ROWS, ROWS_ELSEWHERE, FEWEST = 200_000, 30_000, 1024
GRID = {"gamma": [0.05, 0.1, 0.2, 0.4, 0.8, 1.6], "step": [0.3, 1.0, 3.0, 10.0]}
CONFIGURATIONS = int(np.prod([len(values) for values in GRID.values()]))


def cost_of_many(report: Report, options: Options) -> None:
    """A grid of FOGD, and the default candidates, on one long stream."""
    rows = max(FEWEST, min(ROWS, options.rows or ROWS))
    X, y = gaussian_mixture(rows, random_state=0)
    one = onkel.FOGDClassifier(gamma=0.4, random_state=0)
    jobs = {
        "one FOGD": partial(streamed, one, X, y),
        f"a race of {CONFIGURATIONS} FOGD": partial(
            streamed, onkel.RaceClassifier(candidates=GRID, learner=one, random_state=0), X, y
        ),
        "the race as it comes": partial(streamed, onkel.RaceClassifier(random_state=0), X, y),
    }
    times = best_times(jobs, options._replace(repeats=min(2, options.repeats)))
    for name, seconds in times.items():
        report.time(name, seconds, rows)
    alone, many, _ = times.values()
    report.bar(f"{CONFIGURATIONS} configurations / one, {rows} rows", many / alone, at_most=5.0)


def cost_elsewhere(report: Report, options: Options) -> None:
    """Such races with a pool of two processes, by the clock on the wall: what those do is not this process's time."""
    rows = max(FEWEST, min(ROWS_ELSEWHERE, options.rows or ROWS_ELSEWHERE))
    X, y = gaussian_mixture(rows, random_state=0)
    learner = onkel.FOGDClassifier(gamma=0.4, random_state=0)
    ridge = onkel.FourierRidgeClassifier(n_components=300, random_state=0)
    widths = {"gamma": GRID["gamma"]}
    races: dict[str, dict[str, Any]] = {
        f"a race of {CONFIGURATIONS} FOGD": {"candidates": GRID, "learner": learner},
        f"a race of {len(widths['gamma'])} Fourier ridge": {"candidates": widths, "learner": ridge},
        "the race as it comes": {},
    }
    at_the_wall = options._replace(repeats=min(2, options.repeats), clock=time.perf_counter)
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        for name, settings in races.items():
            jobs = {
                where: partial(
                    streamed, onkel.RaceClassifier(random_state=0, **settings), X, y, **more
                )
                for where, more in {"here": {}, "elsewhere": {"executor": pool}}.items()
            }
            here, elsewhere = best_times(jobs, at_the_wall).values()
            ratio = f"two processes / none: {elsewhere / here:.2f}"
            report.time(f"{name}, two processes", elsewhere, rows, note=ratio)


def streamed(model: Any, X: np.ndarray, y: np.ndarray, **more: Any) -> Any:
    """The whole stream from its beginning, in order."""
    return model.set_params(shuffle=False).fit(X, y, **more)
