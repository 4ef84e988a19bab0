"""Timing: the best of several repetitions, taken in turn so that a noisy moment hits all alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from importlib import import_module
from typing import Any

from benchmarks.report import Options

Job = Callable[[], Any]
learning: Any = import_module("onkel.estimators.online")
layout: Any = import_module("onkel.engine.layout")


def seconds_of(job: Job, clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds that one call takes."""
    began = clock()
    job()
    return clock() - began


def best_times(jobs: Mapping[str, Job], options: Options) -> dict[str, float]:
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
    shipped = learning.at_work
    learning.at_work = lambda n_jobs, n_rows: nullcontext()
    try:
        yield
    finally:
        learning.at_work = shipped


@contextmanager
def multiplied_out() -> Iterator[None]:
    """Learning dense rows by matrix products, however many of their entries are 0."""
    shipped = layout.is_hollow
    layout.is_hollow = lambda X: False
    try:
        yield
    finally:
        layout.is_hollow = shipped


def by_products(job: Job) -> Job:
    """The job, with dense rows multiplied out."""

    def forced() -> None:
        with multiplied_out():
            job()

    return forced
