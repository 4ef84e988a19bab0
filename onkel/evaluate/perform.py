"""One job done: data loaded, formulas evaluated, learner made, protocol run."""

from __future__ import annotations

import datetime
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from threadpoolctl import threadpool_limits

from onkel.evaluate.batch import train_and_test
from onkel.evaluate.formulas import evaluate_formula, is_formula
from onkel.evaluate.job import Job, learner_class
from onkel.evaluate.prequential import prequential
from onkel.evaluate.results import Record
from onkel.evaluate.rows import Rows
from onkel.evaluate.run import Run
from onkel.evaluate.scaling import mean_variance

LIBRARIES = ("onkel", "numpy", "scipy", "scikit-learn", "numba")


def perform(job: Job, warm_up: bool = True) -> Record:
    """Run a job; whatever goes wrong becomes a record of a failure.

    Parameters
    ----------
    job : Job
        What to run.
    warm_up : bool, default=True
        Make the machine code of the learner before its seconds are counted.

    Returns
    -------
    Record
        What it gave.
    """
    facts: dict[str, Any] = {"job": job, "versions": versions(), "date": _now()}
    try:
        params, run = _run(job, warm_up)
    except Exception as error:
        return Record(**facts, failure=f"{type(error).__name__}: {error}")
    facts |= {"metrics": run.metrics, "curve": run.curve}
    return Record(**facts, params=params, course=run.course, diagrams=run.diagrams)


def _run(job: Job, warm_up: bool) -> tuple[dict[str, Any], Run]:
    kind = learner_class(job.learner)
    rows = job.data.load(job.protocol, job.seed)
    params = resolved(job, rows)
    learner = kind(**params)
    if is_classifier(learner) and job.data.target != "given":
        raise ValueError(
            f"target={job.data.target!r} is for regression, {job.label} is a classifier"
        )
    if "random_state" in learner.get_params(deep=False) and "random_state" not in params:
        learner.set_params(random_state=job.seed)
    # On one thread in every process, so that rounding is the same whatever the number of workers.
    with threadpool_limits(limits=1):
        if job.protocol == "batch":
            train, test = (rows.X, rows.y), (rows.X_test, rows.y_test)
            return params, train_and_test(learner, train, test, job.metrics, warm_up=warm_up)
        classes = np.unique(rows.y) if rows.classes is None else rows.classes
        run = prequential(
            learner,
            (rows.X, rows.y),
            classes=classes,
            metrics=job.metrics,
            points=job.points,
            warm_up=warm_up,
        )
    return params, run


def resolved(job: Job, rows: Rows) -> dict[str, Any]:
    """The parameters, their formulas evaluated for these rows."""
    if not any(is_formula(value) for value in job.params.values()):
        return dict(job.params)
    X, labels = rows.X, rows.classes
    names = {"n": X.shape[0], "d": X.shape[1]}
    if labels is not None:
        names["classes"] = len(labels)
    if any(is_formula(v) and "variance" in v for v in job.params.values()):
        names["variance"] = mean_variance(X)
    return {
        name: evaluate_formula(value, names) if is_formula(value) else value
        for name, value in job.params.items()
    }


@cache
def versions() -> dict[str, str]:
    """The versions that results depend on; no names of hosts, no paths."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:  # used from its folder, without being installed
            found[library] = getattr(__import__(library), "__version__", "unknown")
    return found


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
