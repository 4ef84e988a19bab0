"""Timing: the best of several repetitions, taken in turn so that a noisy moment hits all alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import onkel.estimator

Job = Callable[[], Any]


def stopwatch(job: Job) -> float:
    """Seconds that one call takes."""
    began = time.perf_counter()
    job()
    return time.perf_counter() - began


def processor_seconds(job: Job) -> float:
    """Seconds of processor time of one call: for what takes too long to be repeated on a busy machine."""
    began = time.process_time()
    job()
    return time.process_time() - began


def best_times(jobs: dict[str, Job], repeats: int, warm_up: bool = True) -> dict[str, float]:
    """The least seconds of each job over ``repeats`` rounds; a first round compiles and is not counted."""
    if warm_up:
        for job in jobs.values():
            job()
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(repeats):
        for name, job in jobs.items():
            best[name] = min(best[name], stopwatch(job))
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
