"""How many threads a learner may use: what ``n_jobs`` says, but never more than its process is meant to have.

Joblib, dask and whoever else runs several processes side by side tell each of them in its environment how many
threads it is meant to have; so learners inside them do not take each other's cores.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from onkel.compiled.threads import WORTH_ASKING, one_blas_thread
from onkel.parallel.crew import Allowing

#: What tells a process how many threads it should use at most.
TOLD_BY = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS")


def threads_for(n_jobs: int | None) -> int:
    """The threads that ``n_jobs`` means here and now."""
    return 1 if n_jobs == 1 else max(1, min([effective_n_jobs(n_jobs), *told_limits()]))


def told_limits() -> list[int]:
    """The limits that the environment tells."""
    told = (os.environ.get(name, "").partition(",")[0].strip() for name in TOLD_BY)
    return [int(number) for number in told if number.isdecimal() and int(number) > 0]


def at_work(n_jobs: int | None, n_rows: int) -> AbstractContextManager[Any]:
    """So many rows are learned or scored: in as many threads as ``n_jobs`` says, each with one thread of BLAS."""
    if n_jobs is not None and (n_jobs == 0 or not isinstance(n_jobs, (int, np.integer))):
        raise ValueError(
            f"n_jobs={n_jobs!r} is not allowed: n_jobs must be None, a number of threads, or -1 for all cores."
        )
    return nullcontext() if n_rows < WORTH_ASKING else _at_work(n_jobs, n_rows)


@contextmanager
def _at_work(n_jobs: int | None, n_rows: int) -> Iterator[None]:
    with Allowing(partial(threads_for, n_jobs)), one_blas_thread(n_rows):
        yield
