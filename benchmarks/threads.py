"""Two threads against one, within one run: learning and predicting; never slower, and the same model.

And two learners in a thread each, which do not get into each other's way.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Any, NamedTuple

import joblib
import numpy as np

import onkel
from benchmarks.report import Options, Report
from benchmarks.timing import best_times

TITLE = "two threads against one (100 dense features)"
ROWS, FEATURES, PREDICTED = 12_000, 100, 8_000


class Case(NamedTuple):
    """A learner, and how many times as fast two threads should be, at least."""

    name: str
    learner: Callable[..., Any]
    rows: int = ROWS
    learning: float = 0.95
    predicting: float = 0.95


CASES = (
    Case("BSGD-removal, B = 2000", lambda **n: onkel.BSGDClassifier(
        budget=2000, maintenance="removal", random_state=0, **n), learning=1.6, predicting=1.8),
    Case("BSGD-removal, B = 1000", lambda **n: onkel.BSGDClassifier(
        budget=1000, maintenance="removal", random_state=0, **n), predicting=1.8),
    Case("BSGD-removal, B = 100", lambda **n: onkel.BSGDClassifier(
        budget=100, maintenance="removal", random_state=0, **n)),
    Case("Fourier ridge, D = 2000", lambda **n: onkel.FourierRidgeClassifier(
        n_components=1000, regularization=1.0, gamma=0.01, random_state=0, **n), 5_000, 1.5, 1.8),
    Case("FOGD, D = 4000", lambda **n: onkel.FOGDClassifier(
        n_components=4000, random_state=0, **n), learning=1.3, predicting=1.8),
    Case("FOGD, D = 100", lambda **n: onkel.FOGDClassifier(n_components=100, random_state=0, **n)),
    # The eigenvalues, once and in one thread, take as long as a third of the rows.
    Case("NOGD, B = 1000", lambda **n: onkel.NOGDClassifier(
        budget=1000, random_state=0, **n), 30_000, 1.3, 1.8),
    Case("AVM", lambda **n: onkel.AVMClassifier(random_state=0, **n)),
)  # fmt: skip


def rows(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of two classes that a kernel machine can tell apart, with some noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, FEATURES))
    y = np.sin(X[:, 0] * 2) + X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(n) > 0
    return X, y.astype(int)


#: Learned by two models at once, each in a thread of its own.
AT_ONCE = ("BSGD-removal, B = 1000", "BSGD-removal, B = 100", "FOGD, D = 100")


def run(report: Report, options: Options) -> None:
    report.say(f"cores: {joblib.cpu_count()}; a bar of 0.95 says: not slower")
    for case in CASES:
        measure(case, report, options)
    for case in CASES:
        if case.name in AT_ONCE:
            measure_at_once(case, report, options)


def measure(case: Case, report: Report, options: Options) -> None:
    n_rows = min(case.rows, options.rows or case.rows)
    X, y = rows(n_rows + PREDICTED)
    models = {n: case.learner(n_jobs=n) for n in (1, 2)}
    learning = {
        str(n): lambda model=model: model.fit(X[:n_rows], y[:n_rows]) for n, model in models.items()
    }
    learned = best_times(learning, options)
    new = X[n_rows:]
    same = np.array_equal(*(model.decision_function(new) for model in models.values()))
    predicting = {str(n): lambda model=model: model.predict(new) for n, model in models.items()}
    predicted = best_times(predicting, options)
    report.time(f"{case.name}: learning, one thread", learned["1"], n_rows)
    report.time(f"{case.name}: predicting, one thread", predicted["1"], len(new))
    report.bar(f"{case.name}: learning", learned["1"] / learned["2"], at_least=case.learning)
    report.bar(
        f"{case.name}: predicting", predicted["1"] / predicted["2"], at_least=case.predicting
    )
    if not same:
        raise AssertionError(f"{case.name}: two threads give another model than one")


def measure_at_once(case: Case, report: Report, options: Options) -> None:
    """Two learners in two threads beside the same two one after the other: they share no lock but Python's."""
    n_rows = min(case.rows, options.rows or case.rows)
    X, y = rows(n_rows)
    two = [case.learner() for _ in range(2)]

    def at_once() -> None:
        threads = [Thread(target=model.fit, args=(X, y)) for model in two]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    found = best_times({"in turn": lambda: [m.fit(X, y) for m in two], "at once": at_once}, options)
    gain = found["in turn"] / found["at once"]
    report.bar(f"{case.name}: two learners, a thread each", gain, at_least=0.95)
