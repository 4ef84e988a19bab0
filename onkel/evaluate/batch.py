"""The batch protocol: learn the training rows, predict the test rows."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from onkel.evaluate.kept_arrays import as_rows
from onkel.evaluate.run import Run, error_metrics, model_size
from onkel.evaluate.warm_up import warm_up as warm_up_compiler


def train_and_test(learner: Any, train: Any, test: Any, *, warm_up: bool = True) -> Run:
    """Fit `learner` to `train` and score its predictions on `test`.

    A test row of a class that the training rows don't have counts as a mistake. There is no curve.

    Parameters
    ----------
    learner : estimator
        A classifier or regressor; afterwards it is what has learned.
    train : (X, y)
        The rows to learn.
    test : (X, y)
        The rows to predict.
    warm_up : bool, default=True
        Make the machine code, or load it, beforehand.

    Returns
    -------
    Run
        Its `seconds` are those of fitting, `test_seconds` those of predicting, `start_up_seconds`
        those of the warm-up.

    Examples
    --------
    >>> from onkel import FOGDClassifier
    >>> from onkel.datasets import gaussian_mixture
    >>> from onkel.evaluate import train_and_test
    >>> learner = FOGDClassifier(gamma=0.4, random_state=0)
    >>> run = train_and_test(learner, gaussian_mixture(3000, 0), gaussian_mixture(1000, 1))
    >>> run.metrics["accuracy"] > 0.75
    True
    """
    (X, y), (X_test, y_test) = as_rows(*train), as_rows(*test)
    if X.shape[1] != X_test.shape[1]:
        raise ValueError(
            f"the training rows have {X.shape[1]} features, the test rows {X_test.shape[1]}"
        )
    for kind, targets in (("training", y), ("test", y_test)):
        if not len(targets):
            raise ValueError(f"there are no {kind} rows")
    start_up = warm_up_compiler(learner, X, y, online=False) if warm_up else None
    began, began_cpu = time.perf_counter(), time.thread_time()
    learner.fit(X, y)
    fitted, fitted_cpu = time.perf_counter(), time.thread_time()
    guess = learner.predict(X_test)
    done = time.perf_counter()
    error = (guess != y_test) if is_classifier(learner) else (guess - y_test) ** 2
    metrics = {"seen": len(y)} | error_metrics(learner, float(np.mean(error)))
    metrics |= {"size": model_size(learner), "seconds": fitted - began}
    metrics |= {"cpu_seconds": fitted_cpu - began_cpu, "test_seconds": done - fitted}
    if start_up is not None:
        metrics["start_up_seconds"] = start_up
    return Run(type(learner).__name__, learner.get_params(deep=False), metrics)
