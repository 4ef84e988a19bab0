"""Parameters by search: a grid, each candidate validated the way the papers do it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from onkel.evaluate.data import Data
from onkel.evaluate.job import Job
from onkel.evaluate.metrics import better_of
from onkel.evaluate.pool import OnProgress, run_jobs
from onkel.evaluate.results import Record, Results


@dataclass
class Search:
    """The outcome of a search.

    Parameters
    ----------
    best : dict
        The parameters found.
    score : float
        Their score.
    metric : str
        What the score is.
    job : Job
        The job given, with the parameters found.
    table : list of dict
        One row a candidate, in the order of the grid: its parameters, score, score_std, count,
        failure.
    results : Results
        All runs.
    """

    best: dict[str, Any]
    score: float
    metric: str
    job: Job
    table: list[dict[str, Any]]
    results: Results


def search(
    job: Job,
    grid: Mapping[str, Sequence[Any]],
    *,
    validation: str | float | int = "online",
    rows: int | None = None,
    repeats: int = 1,
    metric: str | None = None,
    workers: int = 2,
    journal: str | Path | None = None,
    on_progress: OnProgress | None = None,
    executor: Any = None,
) -> Search:
    """Find the best parameters of a grid; of equals the first.

    Parameters
    ----------
    job : Job
        What to find parameters for; test rows of a batch job are never looked at (with `repeats`
        and a test share: those of the same seed).
    grid : dict of lists
        Values to try for each parameter, formulas too; the last one changes fastest.
    validation : "online", float in (0, 1) or int, default="online"
        The rate of one pass, the share of rows held out, or a number of folds.
    rows : int, default=None
        As many rows at most, drawn by the job's seed; None for all.
    repeats : int, default=1
        As many seeds, from the job's on; scores are means.
    metric : str, default=None
        One of the job's metrics to go by; None for mistake_rate or, of regressors, squared_error.
    workers : int, default=2
        Number of processes, as in `run_jobs`.
    journal : str or Path, default=None
        A file that keeps finished runs, as in `run_jobs`.
    on_progress : callable, default=None
        Called after each run, as in `run_jobs`.
    executor : dask.distributed.Client or concurrent.futures.Executor, default=None
        Who runs them instead of processes of its own, as in `run_jobs`.

    Returns
    -------
    Search
        The parameters found, and what all candidates scored.

    Examples
    --------
    >>> from onkel.datasets import gaussian_mixture
    >>> from onkel.evaluate import Data, Job, search
    >>> job = Job(Data.of(*gaussian_mixture(1500, 0)), "FOGDClassifier", {"n_components": 50})
    >>> search(job, {"gamma": [1e-6, 0.4]}, workers=1).best
    {'gamma': 0.4}
    """
    if not isinstance(job, Job):
        raise TypeError(
            f"job must be a Job, which names data and learner, got {type(job).__name__}: "
            "give Job(Data('a9a'), 'AVMClassifier', {...})"
        )
    candidates = _candidates(grid)
    trials = [_trials(job, candidate, validation, rows, repeats) for candidate in candidates]
    jobs = [trial for group in trials for trial in group]
    results = run_jobs(
        jobs, workers=workers, journal=journal, on_progress=on_progress, executor=executor
    )
    metric = metric or _usual_metric(results)
    found = {record.job.key: record for record in [*results, *results.failures]}
    table = [
        candidate | _scored([found[trial.key] for trial in group], metric)
        for candidate, group in zip(candidates, trials)
    ]
    sign = -1 if better_of(metric) > 0 else 1
    # what failed or diverged (nan) is never the best; of equals min takes the first
    place = min(range(len(table)), key=lambda i: _order(table[i]["score"], sign))
    score, best = table[place]["score"], candidates[place]
    if score is None or np.isnan(score):
        raise ValueError(f"no candidate could be scored: {table[place]['failure'] or metric}")
    return Search(best, score, metric, replace(job, params=job.params | best), table, results)


def _order(score: float | None, sign: int) -> float:
    return np.inf if score is None or np.isnan(score) else sign * score


def _candidates(grid: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    for name, values in grid.items():
        if isinstance(values, str) or not len(values):
            raise ValueError(f"grid: {name}={values!r} must be a list of values to try")
    return [dict(zip(grid, values)) for values in product(*grid.values())]


def _trials(
    job: Job, candidate: dict[str, Any], validation: Any, rows: int | None, repeats: int
) -> list[Job]:
    """The jobs that validate a candidate: one a seed, or one a seed and fold."""
    data = job.data if rows is None else replace(job.data, rows=rows)
    if job.protocol == "online":
        data = replace(data, test="own")  # no rows are spared: none will be tested with
    variants, protocol = _validated(data, validation, job.protocol)
    common: dict[str, Any] = {"params": job.params | candidate, "protocol": protocol, "points": 1}
    seeds = range(job.seed, job.seed + repeats)
    return [replace(job, data=d, seed=seed, **common) for seed in seeds for d in variants]


def _validated(data: Data, validation: Any, protocol: str) -> tuple[list[Data], str]:
    if validation == "online":
        return [data if protocol == "online" else replace(data, validate="online")], "online"
    if isinstance(validation, int) and validation >= 2:
        return [replace(data, validate=(fold, validation)) for fold in range(validation)], "batch"
    if isinstance(validation, float) and 0 < validation < 1:
        return [replace(data, validate=validation)], "batch"
    raise ValueError(
        f"validation={validation!r} must be 'online', a share between 0 and 1, or at least 2 folds"
    )


def _usual_metric(results: Results) -> str:
    if not len(results):
        raise ValueError(f"no candidate could be run: {results.failures[0].failure}")
    return "mistake_rate" if "mistake_rate" in results[0].metrics else "squared_error"


def _scored(records: list[Record], metric: str) -> dict[str, Any]:
    """A candidate's score; a candidate that failed once has none."""
    failure = next((record.failure for record in records if record.failure), None)
    if failure:
        return {"score": None, "score_std": None, "count": 0, "failure": failure}
    if metric not in records[0].metrics:
        known = ", ".join(records[0].metrics)
        raise ValueError(f"metric={metric!r} isn't measured here, only {known}")
    values = [record.metrics[metric] for record in records]
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else None
    mean = float(np.mean(values))
    return {"score": mean, "score_std": spread, "count": len(values), "failure": None}
