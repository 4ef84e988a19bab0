"""Many jobs: processes, journal, interruption, failures; the same figures whichever way."""

import json
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from onkel.datasets import gaussian_mixture
from onkel.evaluate import Data, Job, processes, run_jobs
from onkel.evaluate.processes import JobQueue

DATA = Data.of(*gaussian_mixture(1200, 0), name="mixture")
FOGD = Job(DATA, "FOGDClassifier", {"gamma": "=80/n", "n_components": 20}, label="FOGD")
MAJORITY = Job(DATA, "tests.evaluate.learners.Majority")
TIMES = {"seconds", "cpu_seconds", "reading_seconds", "test_seconds", "start_up_seconds"}


def facts(results):
    """Everything but the seconds and the dates."""
    return [
        (
            record.job,
            record.params,
            {name: value for name, value in record.metrics.items() if name not in TIMES},
            {name: values for name, values in record.curve.items() if name != "seconds"},
        )
        for record in results
    ]


@pytest.fixture(scope="module")
def jobs():
    return [replace(FOGD, seed=seed) for seed in range(3)] + [replace(MAJORITY, protocol="batch")]


@pytest.fixture(scope="module")
def alone(jobs):
    return run_jobs(jobs, workers=1)


def test_the_same_in_one_process_and_in_two(jobs, alone):
    seen = []
    results = run_jobs(jobs, workers=2, on_progress=lambda *news: seen.append(news))
    assert facts(results) == facts(alone) and len(results) == 4
    assert [news[:2] for news in seen] == [(i, 4) for i in range(1, 5)]
    assert {news[2].job for news in seen} == set(jobs)
    assert len({record.metrics["mistake_rate"] for record in results[:3]}) > 1
    assert results[0].params["gamma"] == 80 / 1200


def test_versions_are_recorded_and_no_places(alone):
    record = alone[0]
    assert set(record.versions) >= {"onkel", "numpy", "scipy", "scikit-learn", "numba", "python"}
    assert record.date.endswith("+00:00") and record.job.seed == 0
    assert "/" not in json.dumps([record.versions, record.date])


def test_an_interrupted_run_goes_on_where_it_stopped(jobs, alone, tmp_path, monkeypatch):
    path = tmp_path / "new folder" / "journal.jsonl"
    started = []
    plain = subprocess.Popen

    def noted(*arguments, **options):
        started.append(plain(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(processes.subprocess, "Popen", noted)

    def interrupt(done, total, record):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_jobs(jobs, workers=2, journal=path, on_progress=interrupt)
    assert started and all(process.returncode is not None for process in started)
    assert len(path.read_text().splitlines()) == 1
    seen = []
    results = run_jobs(jobs, workers=1, journal=path, on_progress=lambda *n: seen.append(n[0]))
    assert seen == [2, 3, 4] and facts(results) == facts(alone)
    again = run_jobs(jobs, workers=1, journal=path, on_progress=lambda *n: seen.append(n[0]))
    assert seen == [2, 3, 4] and facts(again) == facts(alone)
    assert [r.metrics["seconds"] for r in again] == [r.metrics["seconds"] for r in results]


def test_a_line_cut_off_is_dropped_and_its_job_run_again(tmp_path):
    path = tmp_path / "journal.jsonl"
    jobs = [replace(MAJORITY, seed=seed) for seed in range(2)]
    first = run_jobs(jobs, workers=1, journal=path)
    whole = path.read_bytes()
    seen = []
    for cut in (5, 60):
        path.write_bytes(whole[:-cut])
        again = run_jobs(jobs, workers=1, journal=path, on_progress=lambda *n: seen.append(n[0]))
        assert seen.pop() == 2 and not seen and facts(again) == facts(first)
        assert [json.loads(line)["job"]["seed"] for line in path.open()] == [0, 1]


def test_a_damaged_journal_is_told_and_left_alone(tmp_path):
    path = tmp_path / "journal.jsonl"
    path.write_text('{"key": "half\nmore\n')
    with pytest.raises(ValueError, match=r"journal\.jsonl, line 1"):
        run_jobs([MAJORITY], workers=1, journal=path)
    assert path.read_text() == '{"key": "half\nmore\n'
    path.write_text("a letter")
    with pytest.raises(ValueError, match="no journal"):
        run_jobs([MAJORITY], workers=1, journal=path)
    assert path.read_text() == "a letter"


def test_two_runs_do_not_share_a_journal(tmp_path):
    path = tmp_path / "journal.jsonl"

    def second(*news):
        with pytest.raises(RuntimeError, match="another run"):
            run_jobs([MAJORITY], workers=1, journal=path)

    run_jobs([MAJORITY], workers=1, journal=path, on_progress=second)


def test_the_label_is_that_of_now_and_twins_run_once(tmp_path):
    path = tmp_path / "journal.jsonl"
    seen = []
    twins = [replace(MAJORITY, label="one"), replace(MAJORITY, label="two")]
    results = run_jobs(twins, workers=1, journal=path, on_progress=lambda *n: seen.append(n[:2]))
    assert [record.job.label for record in results] == ["one", "two"] and seen == [(1, 1)]
    renamed = run_jobs([replace(MAJORITY, label="three")], workers=1, journal=path)
    assert renamed[0].job.label == "three" and renamed[0].date == results[0].date


def test_failures_are_kept_apart_and_tried_again(tmp_path):
    path = tmp_path / "journal.jsonl"
    jobs = [
        Job(DATA, "tests.evaluate.learners.Dying"),
        replace(FOGD, params={"gamma": -1.0}),
        replace(FOGD, params={"gamma": "=1/m"}),
        Job(DATA, "NoLearner"),
        MAJORITY,
        Job(Data("no such set", "all"), "tests.evaluate.learners.Majority"),
        Job(replace(DATA, target="unit_interval"), "tests.evaluate.learners.Majority"),
    ]
    results = run_jobs(jobs, workers=2, journal=path)
    assert [record.job for record in results] == [MAJORITY]
    messages = [record.failure for record in results.failures]
    expected = [
        "exit code 3",
        "gamma",
        "'m' is not allowed",
        "NoLearner",
        "no such set",
        "regression",
    ]
    assert len(messages) == 6
    assert all(part in message for part, message in zip(expected, messages)), messages
    seen = []
    run_jobs(jobs[1:4], workers=1, journal=path, on_progress=lambda *n: seen.append(n[0]))
    assert seen == [1, 2, 3]
    assert run_jobs([], workers=2).records == []
    with pytest.raises(ValueError, match="workers"):
        run_jobs(jobs, workers=0)


def test_a_worker_does_not_outlive_the_run():
    job = Job(Data("no set", "all"), "tests.evaluate.learners.Sleeping")
    code = (
        "import numpy as np\n"
        "from onkel.evaluate import Data, worker\n"
        "data = Data.of(np.eye(3), [0, 1, 0])\n"
        "print(data.content, flush=True)\n"
        "worker.main()"
    )
    command = [sys.executable, "-c", code]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        data = Data("arrays", "all", content=process.stdout.readline().strip())
        task = {"job": replace(job, data=data).to_dict(), "warm_up": False}
        process.stdin.write(json.dumps(task) + "\n")
        process.stdin.flush()
        try:
            assert "asleep\n" in iter(process.stderr.readline, "")  # in the middle of its job
            process.stdin.close()  # as when the process that started it was killed
            assert process.wait(timeout=60) == 0
        finally:
            process.kill()


def test_a_worker_keeps_its_data_set():
    sets = [Data.of(np.eye(3) * k, [0, 1, 0], name=f"set {k}") for k in range(3)]
    queue = JobQueue([Job(sets[k % 3], "A", seed=seed) for seed in range(4) for k in range(3)])
    taken: dict[str, list] = {"one": [], "two": []}
    while (job := queue.take("one")) is not None:
        taken["one"].append(job)
        if (other := queue.take("two")) is not None:
            taken["two"].append(other)
    assert sum(map(len, taken.values())) == 12
    for jobs in taken.values():
        names = [job.data.name for job in jobs]
        changes = sum(a != b for a, b in pairwise(names))
        assert changes == 1 and [job.seed for job in jobs[:4]] == [0, 1, 2, 3]
