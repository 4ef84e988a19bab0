"""The batch protocol: learn the training rows, predict the test rows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from onkel.evaluate.asking import asked
from onkel.evaluate.kept_arrays import as_rows
from onkel.evaluate.metrics import Scorecard, chosen_metrics
from onkel.evaluate.run import Run, error_metrics, model_size
from onkel.evaluate.scores import task_of
from onkel.evaluate.warm_up import warm_up as warm_up_compiler


def train_and_test(
    learner: Any,
    train: Any,
    test: Any,
    metrics: Sequence[str] | None = None,
    *,
    warm_up: bool = True,
) -> Run:
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
    metrics : sequence of str, default=None
        Names of `onkel.evaluate.metrics.METRICS`; None for the usual ones of the task. What a learner doesn't
        tell (probabilities, say) has none.
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
    chosen = chosen_metrics(metrics, task_of(learner))
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
    predicted = learner.predict(X_test)
    done = time.perf_counter()
    classes = np.unique(np.concatenate([y, y_test])) if is_classifier(learner) else None
    needs = {metric.needs for metric in chosen.values()}
    answers = asked(learner, X_test, y_test, classes, needs, predicted)
    truth, guess = answers.truth, answers.guess
    error = (guess != truth) if is_classifier(learner) else (guess - truth) ** 2
    card = Scorecard(chosen, 0 if classes is None else len(classes))
    card.update(answers)
    figures = {"seen": len(y)} | card.values() | card.bounds()
    figures |= error_metrics(learner, float(np.mean(error)))
    figures |= {"size": model_size(learner), "seconds": fitted - began}
    figures |= {"cpu_seconds": fitted_cpu - began_cpu, "test_seconds": done - fitted}
    if start_up is not None:
        figures["start_up_seconds"] = start_up
    params = learner.get_params(deep=False)
    return Run(type(learner).__name__, params, figures, diagrams=card.curves())
