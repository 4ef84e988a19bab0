"""Which learner for which kind of data: one pass, predicting each row before it is learned.

Mistakes, size of the model, and time beside FOGD's.
Text and drift are generated, so that the section needs no data set for them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.feature_extraction.text import HashingVectorizer

import onkel
from benchmarks.data import AbsentError, standardised
from benchmarks.report import Options, Report
from benchmarks.timing import seconds_of
from onkel.datasets import drifting_clusters, gaussian_mixture, rotating_hyperplane

TITLE = "Which learner for which kind of data"
ROWS = 20_000
Stream = tuple[Any, np.ndarray]


def learners() -> dict[str, Any]:
    return {
        "FOGD": onkel.FOGDClassifier(random_state=0),
        "AVM": onkel.AVMClassifier(random_state=0),
        "NOGD": onkel.NOGDClassifier(random_state=0),
        "BSGD merging 500": onkel.BSGDClassifier(random_state=0),
        "BSGD merging 50": onkel.BSGDClassifier(budget=50, random_state=0),
        "BSGD removal 500": onkel.BSGDClassifier(maintenance="removal", random_state=0),
        "RBP 500": onkel.RBPClassifier(budget=500, random_state=0),
        "FOGD, last model": onkel.FOGDClassifier(average=False, random_state=0),
    }


def benchmark_set(name: str) -> Callable[[int], Stream]:
    def rows_of(rows: int) -> Stream:
        split = standardised(name, rows, 1)
        return split.X, split.y

    return rows_of


def hashed_text(rows: int, topics_to_tell: int = 2, boost: float = 4.0) -> Stream:
    """Documents of 30 to 150 words from topics that share a Zipf vocabulary, but each says some words more often."""
    random = np.random.default_rng(0)
    words = 1.0 / np.arange(1, 20_001)
    topics = []
    for _ in range(topics_to_tell):
        own = words * np.where(random.random(words.size) < 0.05, boost, 1.0)
        topics.append(own / own.sum())
    y = random.integers(0, topics_to_tell, rows)
    documents = [
        " ".join(
            f"w{word}" for word in random.choice(words.size, random.integers(30, 150), p=topics[c])
        )
        for c in y
    ]
    return HashingVectorizer(n_features=2**18, alternate_sign=False).transform(documents), y


def abrupt(rows: int) -> Stream:
    """The gaussian mixture, its labels swapped half-way."""
    X, y = gaussian_mixture(rows, 0)
    return X, np.where(np.arange(rows) < rows // 2, y, -y)


def gradual(rows: int) -> Stream:
    return rotating_hyperplane(rows, random_state=0)


def clusters(rows: int) -> Stream:
    return drifting_clusters(rows, random_state=0)


STREAMS: dict[str, Callable[[int], Stream]] = {
    "dense, moderate width (covtype)": benchmark_set("covtype"),
    "dense, moderate width (ijcnn1)": benchmark_set("ijcnn1"),
    "on few cells (skin)": benchmark_set("skin"),
    "wide (mnist)": benchmark_set("mnist"),
    "text, 2^18 columns": hashed_text,
    "drift, abrupt": abrupt,
    "drift, gradual": gradual,
    "drift, clusters": clusters,
}


def run(report: Report, options: Options) -> None:
    report.say("% mistakes on the way, % in the last fifth, numbers in the model, time / FOGD's")
    rows = min(ROWS, options.rows or ROWS)
    for name, make in STREAMS.items():
        try:
            X, y = make(rows)
        except AbsentError as reason:
            report.say(f"{name}: {reason}")
            continue
        report.say(f"{name}: {X.shape[0]} x {X.shape[1]}")
        first = 0.0
        for learner, model in learners().items():
            rate, late, seconds = learned(model, X, y)
            first = first or seconds
            report.say(
                f"  {learner:<20}{100 * rate:>8.2f}{100 * late:>8.2f}"
                f"{numbers_in(model):>12,}{seconds / first:>8.2f}"
            )


def learned(model: Any, X: Any, y: np.ndarray) -> tuple[float, float, float]:
    """The rates of mistakes over all rows and over the last fifth, and processor seconds before that."""
    classes, cut = np.unique(y), 4 * len(y) // 5
    clone(model).partial_fit(X[:2000], y[:2000], classes=classes)  # compiles
    seconds = seconds_of(
        lambda: model.partial_fit(X[:cut], y[:cut], classes=classes), time.process_time
    )
    before = model.progress_
    after = model.partial_fit(X[cut:], y[cut:]).progress_
    late = (after.mistakes - before.mistakes) / (after.seen - before.seen)
    return after.mistake_rate, late, seconds


def numbers_in(model: Any) -> int:
    """How many numbers a model must keep to predict."""
    if hasattr(model, "components_"):
        return int(model.coef_.size + model.components_.size)
    vectors = model.support_vectors_
    return int(model.dual_coef_.size + getattr(vectors, "nnz", vectors.size))
