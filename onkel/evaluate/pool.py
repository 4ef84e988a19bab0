"""Many jobs, in worker processes, with a journal: `run_jobs`."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from typing import Any

from onkel.evaluate.executors import performed_by
from onkel.evaluate.job import Job
from onkel.evaluate.journal import Journal
from onkel.evaluate.kept_arrays import write_arrays
from onkel.evaluate.perform import perform
from onkel.evaluate.processes import JobQueue, Worker
from onkel.evaluate.results import Record, Results

OnProgress = Callable[[int, int, Record], None]


def run_jobs(
    jobs: Sequence[Job],
    *,
    workers: int = 2,
    journal: str | Path | None = None,
    warm_up: bool = True,
    on_progress: OnProgress | None = None,
    executor: Any = None,
) -> Results:
    """Run jobs, in `workers` processes; their results in the order of the jobs.

    A job that goes wrong is a record in `Results.failures`, with a message. Ctrl-C stops the
    workers and leaves the journal whole.

    Parameters
    ----------
    jobs : sequence of Job
        What to run.
    workers : int, default=2
        Number of processes, each with one BLAS thread; 1 runs the jobs in this process.
    journal : str or Path, default=None
        A file where each finished job is written at once. Called again with the same file,
        jobs that are in it aren't run again (those that failed are). Results are found by the job
        alone, whatever the version of onkel: delete the file when the code or the data has changed.
    warm_up : bool, default=True
        Make the machine code of a learner before its seconds are counted.
    on_progress : callable, default=None
        Called with (jobs done, jobs in all, the last record).
    executor : dask.distributed.Client or concurrent.futures.Executor, default=None
        Who runs the jobs instead of `workers` processes: each job is a task. Arrays travel to a cluster once; a data
        set must be in the folder of data of every machine. What an executor could not run is a failure of that
        job, which runs again with the next call.

    Returns
    -------
    Results
        A record a job.

    Examples
    --------
    >>> from onkel.datasets import gaussian_mixture
    >>> from onkel.evaluate import Data, Job, run_jobs
    >>> data = Data.of(*gaussian_mixture(2000, 0), name="mixture")
    >>> jobs = [Job(data, "FOGDClassifier", {"gamma": 0.4}, seed=seed) for seed in range(3)]
    >>> row = run_jobs(jobs, workers=1).summary(metrics=["mistake_rate"])[0]
    >>> row["data"], row["count"], row["mistake_rate"] < 0.3
    ('mixture', 3, True)
    """
    if workers < 1:
        raise ValueError(f"workers must be at least 1, got {workers}")
    jobs = list(jobs)
    finished: dict[str, Record] = {}
    with Journal(journal) as kept:
        todo: dict[str, Job] = {}
        for job in jobs:
            found = kept.find(job)
            if found is not None:
                finished[job.key] = found
            else:
                todo.setdefault(job.key, job)
        done, total = len(finished), len(finished) + len(todo)
        started = (
            performed_by(executor, list(todo.values()), warm_up)
            if executor is not None
            else _performed(list(todo.values()), workers, warm_up)
        )
        with started as records:
            for record in records:
                kept.write(record)
                finished[record.job.key] = record
                done += 1
                if on_progress:
                    on_progress(done, total, record)
    # the same job under two labels was run once
    return Results(Record(**vars(finished[job.key]) | {"job": job}) for job in jobs)


@contextmanager
def _performed(jobs: list[Job], workers: int, warm_up: bool) -> Iterator[Iterator[Record]]:
    """An iterator of records as jobs get finished; on leaving all workers are gone."""
    queue = JobQueue(jobs)
    if workers == 1 or len(jobs) <= 1:
        yield (perform(job, warm_up) for job in iter(lambda: queue.take("only"), None))
        return
    with tempfile.TemporaryDirectory(prefix="onkel-") as folder:
        write_arrays(Path(folder), {job.data.content for job in jobs if job.data.content})
        answers: Queue[Record | BaseException] = Queue()
        started = [Worker(queue, answers, folder, warm_up) for _ in range(min(workers, len(jobs)))]
        try:
            yield _collect(answers, len(jobs))
        finally:
            queue.close()
            for worker in started:
                worker.stop()


def _collect(answers: Queue[Any], count: int) -> Iterator[Record]:
    for _ in range(count):
        answer = answers.get()
        if isinstance(answer, BaseException):
            raise answer
        yield answer
