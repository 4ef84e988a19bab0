"""Jobs as tasks of an executor that the caller brings."""

import json
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dask.distributed import Client

from onkel import FOGDClassifier, SPAClassifier
from onkel.datasets import gaussian_mixture
from onkel.evaluate import Data, Job, compare, run_jobs, search


@pytest.fixture(scope="module")
def jobs() -> list[Job]:
    data = Data.of(*gaussian_mixture(800, 0), name="mixture")
    params = {"gamma": 0.4, "n_components": 20}
    return [Job(data, "FOGDClassifier", params, seed=seed) for seed in range(3)]


def rates(results: Any) -> list[float]:
    return [record.metrics["mistake_rate"] for record in results]


def test_threads_and_a_cluster_give_what_processes_give(jobs: list[Job], tmp_path: Path) -> None:
    expected = rates(run_jobs(jobs, workers=1))
    with ThreadPoolExecutor(2) as threads:
        assert rates(run_jobs(jobs, executor=threads)) == expected
    journal = tmp_path / "runs.jsonl"
    with Client(
        processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None
    ) as client:
        assert rates(run_jobs(jobs, executor=client, journal=journal)) == expected
        learners = [FOGDClassifier(n_components=20), SPAClassifier()]
        X, y = gaussian_mixture(800, 1)
        results = compare(learners, (X, y), repeats=2, executor=client)
        assert rates(results) == rates(compare(learners, (X, y), repeats=2, workers=1))
        found = search(jobs[0], {"gamma": [1e-6, 0.4]}, executor=client)
        assert found.best == {"gamma": 0.4}
    kept = [json.loads(line) for line in journal.read_text().splitlines()]
    assert {record["key"] for record in kept} == {job.key for job in jobs}

    class Never(Executor):
        def submit(self, *arguments: Any, **more: Any) -> Future[Any]:
            raise AssertionError("it is in the journal")

    assert rates(run_jobs(jobs, executor=Never(), journal=journal)) == expected


def test_who_cannot_run_a_job_is_a_failure_of_that_job(jobs: list[Job]) -> None:
    class Broken(Executor):
        def submit(self, *arguments: Any, **more: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.set_exception(OSError("the machine is gone"))
            return future

    results = run_jobs(jobs, executor=Broken())
    assert len(results.failures) == 3 and "the machine is gone" in str(results.failures[0].failure)


def test_what_is_no_executor_is_refused(jobs: list[Job]) -> None:
    with pytest.raises(TypeError, match="executor="):
        run_jobs(jobs, executor=np.zeros(3))
