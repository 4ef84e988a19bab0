"""Timing: the best of several repetitions, taken in turn so that a noisy moment hits all alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import onkel.estimator
from benchmarks.report import Options

Job = Callable[[], Any]


def seconds_of(job: Job, clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds that one call takes."""
    began = clock()
    job()
    return clock() - began


def best_times(jobs: dict[str, Job], options: Options) -> dict[str, float]:
    """The least seconds of each job; a first round compiles and is not counted."""
    for job in jobs.values():
        job()
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(options.repeats):
        for name, job in jobs.items():
            best[name] = min(best[name], seconds_of(job, options.clock))
    return best


@contextmanager
def all_blas_threads() -> Iterator[None]:
    """Learning without its limit to one BLAS thread: to show what the limit is good for."""
    shipped = onkel.estimator.one_blas_thread
    onkel.estimator.one_blas_thread = lambda n_rows: nullcontext()
    try:
        yield
    finally:
        onkel.estimator.one_blas_thread = shipped
