"""Streams that change: FOGD that finds its half-life itself, against one that forgets nothing and river's forest.

Prequential: every row is predicted before it is learned. Generated streams that drift in every row or now and then,
the gaussian mixture with its labels swapped half-way, and real sets in their natural order behind onkel's scaler.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.data import AbsentError
from benchmarks.forest import COLUMNS, KEY, PATH, forest_key, forest_result
from benchmarks.journal import Journal, kept_in
from benchmarks.report import Options, Report
from benchmarks.timing import best_times, seconds_of
from onkel import FOGDClassifier, FOGDRegressor, StreamPipeline
from onkel.datasets import (
    available,
    drifting_clusters,
    gaussian_mixture,
    load,
    rotating_hyperplane,
    sea,
)
from onkel.drift import Adwin
from onkel.estimators.hearing import listening
from onkel.tables.scaler import Scaler

TITLE = "Streams that change: half_life='auto', against None and river's ARF of ten trees"
MOST_ROWS = 20_000
REGRESSION = ("nycflights",)
#: Rows before and after the swap of labels that accuracy is compared over.
BEFORE, AFTER, SPAN = 2000, 2000, 1000


def swapped(rows: int) -> tuple[np.ndarray, np.ndarray]:
    X, y = gaussian_mixture(rows, random_state=0)
    y[rows // 2 :] *= -1
    return X, y


def in_order(name: str, rows: int) -> tuple[np.ndarray, np.ndarray]:
    X, y = load(name)
    return X[:rows].toarray(), y[:rows]


STREAMS: dict[str, Callable[[int], tuple[np.ndarray, np.ndarray]]] = {
    "swap": swapped,
    "still": partial(gaussian_mixture, random_state=1),
    "hyperplane": partial(rotating_hyperplane, random_state=0),
    "clusters": partial(drifting_clusters, random_state=0),
    "sea": partial(sea, random_state=0),
}
REAL = ("covtype", "weather", "outdoor", "kddcup99", "nycflights")


class Course(NamedTuple):
    """What a learner made of a stream before each update, and how long it took."""

    errors: np.ndarray  # mistakes, or squared residuals
    seconds: float


def run(report: Report, options: Options) -> None:
    names = [*STREAMS, *(name for name in REAL if name in available())]
    names = [name for name in names if not options.sets or name in options.sets]
    most = options.rows or MOST_ROWS
    report.say(
        "accuracy in % (R² x 100 of nycflights) before each update; points above ARF; times as fast"
    )
    report.say(
        f"{'':<14}{'rows':>7}{'None':>8}{'auto':>8}{'x None':>8}{'ARF':>8}{'above':>8}{'faster':>8}"
    )
    above, faster, dearer = [], [], []
    kept = kept_in(PATH, COLUMNS, KEY, options)
    for name in names:
        X, y = STREAMS[name](most) if name in STREAMS else in_order(name, most)
        plain, auto = (course(name, half_life, X, y, options) for half_life in (None, "auto"))
        forest, told = beside(name, X, y, kept), ""
        dearer.append(auto.seconds / plain.seconds)
        ours = worth(name, auto.errors.mean(), y)
        if forest is not None:
            theirs = worth(name, float(forest["error"]), y)
            faster.append(float(forest["seconds"]) / auto.seconds)
            told = f"{theirs:8.2f}{ours - theirs:+8.2f}{faster[-1]:8.0f}"
            if name not in REGRESSION:
                above.append(ours - theirs)
        before = worth(name, plain.errors.mean(), y)
        report.say(f"{name:<14}{len(y):>7}{before:8.2f}{ours:8.2f}{dearer[-1]:8.2f}{told}")
        judge(report, name, plain, auto)
    report.bar("auto: times as long as None, at most", max(dearer), at_most=3.0)
    if above:
        report.bar(
            "auto: points above ARF, the mean of classifiers", float(np.mean(above)), at_least=-2
        )
        mean = float(np.exp(np.mean(np.log(faster))))
        report.bar("auto: times as fast as ARF, the geometric mean", mean, at_least=50)
    detectors(report, options)


def detectors(report: Report, options: Options) -> None:
    """What a detector costs beside learning, with as many features as usual and with a tenth of them."""
    X, y = gaussian_mixture(MOST_ROWS, random_state=1)
    mistakes = (np.random.default_rng(0).random(len(y)) < 0.2).astype(float)
    jobs: dict[str, Callable[[], Any]] = {"onkel's ADWIN": partial(watched_by_ours, mistakes)}
    try:
        from river.drift import ADWIN
    except ImportError:
        report.say("river is not installed: its ADWIN is not timed")
    else:
        jobs["river's ADWIN"] = partial(watched_by_theirs, ADWIN, mistakes)
    for components in (1000, 100):
        learner = FOGDClassifier(n_components=components, random_state=0)
        learn = partial(learner.partial_fit, X, y, classes=[-1, 1])
        jobs[f"learning, {components} components"] = learn
    for name, seconds in best_times(jobs, options).items():
        report.time(name, seconds, len(y))


def watched_by_ours(values: np.ndarray) -> None:
    detector, position = Adwin(), 0
    while position < len(values):
        position += detector.update_until(values[position:])


def watched_by_theirs(make: Any, values: np.ndarray) -> bool:
    detector, seen = make(), False
    for value in values.tolist():
        detector.update(value)
        seen = seen or detector.drift_detected
    return seen


def judge(report: Report, name: str, plain: Course, auto: Course) -> None:
    """What is promised of single streams."""
    half = len(auto.errors) // 2
    if name == "swap" and half >= AFTER + SPAN:
        before = 100 * auto.errors[half - BEFORE : half].mean()
        after = 100 * auto.errors[half + AFTER : half + AFTER + SPAN].mean()
        report.bar("swap: points lost, 2,000 rows after it", after - before, at_most=2.0)
    if name == "still":
        lost = 100 * (auto.errors.mean() - plain.errors.mean())
        report.bar("still: points that auto loses where nothing changes", lost, at_most=0.5)


def worth(name: str, error: float, y: np.ndarray) -> float:
    """Accuracy in per cent; of a regressor the share of the variance that is explained."""
    return 100 * (1 - error / float(np.var(y))) if name in REGRESSION else 100 * (1 - error)


def beside(name: str, X: np.ndarray, y: np.ndarray, kept: Journal) -> dict[str, str] | None:
    """What river's forest makes of the stream; None without river."""
    try:
        key = forest_key(name, len(y))
        return kept.result(key, partial(forest_result, X, y, name in REGRESSION))
    except AbsentError:
        return None


def course(name: str, half_life: Any, X: np.ndarray, y: np.ndarray, options: Options) -> Course:
    """The errors before each update; the least seconds of several repetitions, the first one not counted."""
    heard, seconds = learned(name, half_life, X, y), float("inf")
    for _ in range(options.repeats):
        job = partial(learned, name, half_life, X, y)
        seconds = min(seconds, seconds_of(job, options.clock))
    if name in REGRESSION:
        return Course((heard[:, 0] - y) ** 2, seconds)
    labels = np.unique(y)
    said = heard[:, 0] > 0 if heard.shape[1] == 1 else heard.argmax(axis=1)
    return Course(labels[said.astype(int)] != y, seconds)


def learned(name: str, half_life: Any, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The scores that rows had before they were learned."""
    make = FOGDRegressor if name in REGRESSION else FOGDClassifier
    learner = make(half_life=half_life, random_state=0)
    labels = {} if name in REGRESSION else {"classes": np.unique(y)}
    with listening(learner) as listener:
        StreamPipeline([("scaler", Scaler()), ("fogd", learner)]).partial_fit(X, y, **labels)
        heard = listener.take()
    if heard is None:
        raise AbsentError(f"{len(y)} rows are too few: a learner looks at 512 first")
    return heard.scores
