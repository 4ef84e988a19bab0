"""Many learners on the same data: the short way to `run_jobs`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from onkel.evaluate.data import Data
from onkel.evaluate.job import Job, learner_class
from onkel.evaluate.pool import OnProgress, run_jobs
from onkel.evaluate.results import Results

TEST_SHARE = 0.3


def compare(
    learners: Mapping[str, Any] | Sequence[Any],
    data: Any,
    *,
    protocol: str = "online",
    repeats: int = 5,
    rows: int | None = None,
    features: str = "given",
    metrics: Sequence[str] | None = None,
    points: int = 60,
    workers: int = 2,
    journal: str | Path | None = None,
    on_progress: OnProgress | None = None,
    executor: Any = None,
) -> Results:
    """Run learners on the same rows in the same orders, `repeats` of them.

    Parameters
    ----------
    learners : list or dict
        Estimators or names of classes; as a dict, each under its label.
    data : str, Data, (X, y), Bunch, or a list of these
        A name of `onkel.datasets`, a `Data`, or arrays; those of a list are called "arrays 1",
        "arrays 2" by their place.
    protocol : {"online", "batch"}, default="online"
        One pass that predicts first; or "batch": tested on the set's own test part or, where it has
        none, on 30 % of the rows, drawn anew each time.
    repeats : int, default=5
        Seeds, from 0 on: of the order of rows and of each learner (over its random_state).
    rows : int, default=None
        As in `Data`, unless `data` is one.
    features : {"given", "unit_interval", "minus_one_one", "unit_variance"}, default="given"
        As in `Data`, unless `data` is one.
    metrics : sequence of str, default=None
        Names of `onkel.evaluate.metrics.METRICS`; None for the usual ones of the task. What a learner doesn't
        tell (probabilities, say) has none.
    points : int, default=60
        The most points of the online curves.
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
    Results
        A record a learner, set and seed.

    Examples
    --------
    >>> from onkel import AVMClassifier, FOGDClassifier
    >>> from onkel.datasets import gaussian_mixture
    >>> from onkel.evaluate import compare
    >>> learners = {"AVM": AVMClassifier(diameter=1.0, gamma=0.4), "FOGD": FOGDClassifier(gamma=0.4)}
    >>> results = compare(learners, gaussian_mixture(2000, 0), repeats=2, workers=1)
    >>> [(row["label"], row["count"]) for row in results.summary()]
    [('AVM', 2), ('FOGD', 2)]
    """
    if repeats < 1:
        raise ValueError(f"repeats must be at least 1, got {repeats}")
    settings = {"rows": rows, "features": features}
    given = data if isinstance(data, list) else [data]
    names = [f"arrays {i + 1}" for i in range(len(given))] if len(given) > 1 else ["arrays"]
    sets = [_data(one, protocol, name, settings) for one, name in zip(given, names)]
    shared: dict[str, Any] = {"protocol": protocol, "points": points}
    shared["metrics"] = metrics if metrics is None else tuple(metrics)
    jobs = [
        replace(job, data=one, seed=seed, **shared)
        for one in sets
        for job in _labelled(learners, sets[0])
        for seed in range(repeats)
    ]
    return run_jobs(
        jobs, workers=workers, journal=journal, on_progress=on_progress, executor=executor
    )


def _labelled(learners: Mapping[str, Any] | Sequence[Any], data: Data) -> list[Job]:
    if isinstance(learners, str) or not len(learners):
        raise ValueError(f"learners={learners!r} must be a list or a dict of learners")
    if isinstance(learners, Mapping):
        return [_job(learner, data, str(label)) for label, learner in learners.items()]
    jobs = [_job(learner, data, "") for learner in learners]
    labels = [job.label for job in jobs]
    for label in labels:
        if labels.count(label) > 1:  # they would be taken for repetitions of one
            raise ValueError(f"two learners are called {label}: give a dict, each under its label")
    return jobs


def _job(learner: Any, data: Data, label: str) -> Job:
    """A job for a name, a class or an instance: only parameters that aren't as by default."""
    if isinstance(learner, str):
        learner_class(learner)  # a wrong name is told before anything is run
        return Job(data, learner, label=label)
    kind = learner if isinstance(learner, type) else type(learner)
    name = f"{kind.__module__}.{kind.__qualname__}"
    if kind.__module__.startswith("onkel."):
        name = kind.__name__
    elif kind.__module__ == "__main__":
        raise TypeError(f"{kind.__name__} must be in a module of its own, for workers to import it")
    elif kind.__module__.startswith("sklearn."):
        # "sklearn.svm._classes.SVC" is where it is written, "sklearn.svm.SVC" where it is found
        name = ".".join([part for part in name.split(".") if not part.startswith("_")])
    if isinstance(learner, type):
        return Job(data, name, label=label)
    try:
        usual = kind().get_params(deep=False)
    except TypeError:  # it has no defaults for some
        usual = {}
    mine = learner.get_params(deep=False)
    chosen = {
        key: value
        for key, value in mine.items()
        if key != "random_state" and not (key in usual and _same(value, usual[key]))
    }
    return Job(data, name, chosen, label=label)


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other


def _data(data: Any, protocol: str, name: str, settings: dict[str, Any]) -> Data:
    if isinstance(data, Data):
        return data
    if isinstance(data, str):
        if protocol == "online":
            return Data(data, "all", **settings)
        from onkel.datasets import info

        own = "test" in info(data).parts
        return Data(data, **settings) if own else Data(data, "all", test=TEST_SHARE, **settings)
    if isinstance(data, tuple) and len(data) == 2:
        return Data.of(*data, name=name, **settings)
    if hasattr(data, "data") and hasattr(data, "target"):
        return Data.of(data.data, data.target, name=name, **settings)
    raise TypeError(f"data must be a name, a Data, (X, y) or a Bunch, got {type(data).__name__}")
