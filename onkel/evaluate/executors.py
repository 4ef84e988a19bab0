"""Jobs as tasks of an executor that the caller brings: of concurrent.futures, or the client of a dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from onkel.evaluate.job import Job
from onkel.evaluate.kept_arrays import fetch_arrays, keep_arrays
from onkel.evaluate.perform import perform, versions
from onkel.evaluate.results import Record
from onkel.parallel.executors import manners_of

Arrays = tuple[Any, Any]


@contextmanager
def performed_by(executor: Any, jobs: list[Job], warm_up: bool) -> Iterator[Iterator[Record]]:
    """An iterator of records as jobs get finished; on leaving, those that did not begin are cancelled."""
    submit, completed, cancel = manners_of(executor)
    arrays: dict[str, Any] = {}
    futures: dict[Any, Job] = {}
    try:
        for job in jobs:
            content = job.data.content
            if content and content not in arrays:
                arrays[content] = submit(None, fetch_arrays(content))
            futures[submit(perform_with, job, warm_up, arrays.get(content))] = job
        yield (_record(future, futures[future]) for future in completed(list(futures)))
    finally:
        cancel(list(futures))


def perform_with(job: Job, warm_up: bool, arrays: Arrays | None) -> Record:
    """Run a job where its arrays may never have been."""
    if arrays is not None:
        keep_arrays(job.data.content, *arrays)
    return perform(job, warm_up)


def _record(future: Any, job: Job) -> Record:
    try:
        return future.result()
    except Exception as error:  # the job's own errors are in the record: this is of who ran it
        return Record(job, versions=versions(), failure=f"{type(error).__name__}: {error}")
