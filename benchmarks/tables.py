"""Raw tables in one pass: how well adult is learned, how fast the flights, and who takes the time.

Of the flights only what is known before departure is used; rows without a target are left out.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import AbsentError
from benchmarks.report import Options, Report
from onkel import FOGDClassifier, FOGDRegressor, TableEncoder, make_stream_pipeline
from onkel.evaluate import prequential
from onkel.stream import Chunk, open_stream

TITLE = "raw tables: adult (a quarter held back), nycflights in the order of time; FOGD"
KNOWN_BEFORE = [
    "year", "month", "day", "sched_dep_time", "sched_arr_time", "carrier", "flight", "tailnum", "origin",
    "dest", "distance", "hour", "minute", "time_hour",
]  # fmt: skip
INCOMES = ["<=50K", ">50K"]


def run(report: Report, options: Options) -> None:
    adult, flights = table("adult.csv.xz"), table("nycflights.csv.xz")
    report.bar("adult: accuracy", accuracy(adult, options.rows), at_least=0.84)
    learn_flights(flights, 5000)  # compiles
    rows, stages = learn_flights(flights, options.rows)
    total = sum(stages.values())
    for stage, seconds in stages.items():
        report.time(f"flights: {stage}", seconds, rows, note=f"{100 * seconds / total:.0f} %")
    report.bar("flights: thousand rows per second of processor", rows / total / 1e3, at_least=50)
    means = error_of_means(flights, options.rows)
    found = {
        "as it comes, row by row": (error_before_rows(flights, options.rows), means),
        "as it comes, chunk by chunk": errors_before_chunks(flights, options.rows),
        "l1, row by row": (error_before_rows(flights, options.rows, loss="l1"), means),
    }
    for name, (error, of_mean) in found.items():
        report.say(f"flights, {name}: running MAE {error:.2f}, of the running mean {of_mean:.2f}")
        report.bar(f"flights, {name}: MAE / the mean's", error / of_mean, at_most=1)


def table(name: str) -> Path:
    path = Path(os.environ.get("ONKEL_DATA", "")) / "tables" / name
    if not path.exists():
        raise AbsentError(f"the table {name!r} is absent (in the folder tables of ONKEL_DATA)")
    return path


def chunks_of(path: Path, rows: int | None, **options: Any) -> Iterator[Chunk]:
    stream = open_stream(path, raw=True, **options)
    return islice(stream, None if rows is None else -(-rows // 4096))


def flights_of(path: Path, rows: int | None) -> Iterator[Chunk]:
    return chunks_of(path, rows, target="arr_delay", columns=KNOWN_BEFORE, on_error="skip")


def accuracy(path: Path, rows: int | None) -> float:
    """Of every fourth row, which the model does not learn."""
    model = make_stream_pipeline(TableEncoder(), FOGDClassifier(random_state=0))
    held_back = []
    for X, y in chunks_of(path, rows, target="income"):
        test = np.arange(len(y)) % 4 == 3
        model.partial_fit(X[~test], y[~test], classes=INCOMES)
        held_back.append((X[test], y[test]))
    return float(np.concatenate([model.predict(X) == y for X, y in held_back]).mean())


class Watched(FOGDRegressor):
    """A learner whose clock runs while it learns."""

    seconds = 0.0

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        began = time.process_time()
        super().partial_fit(X, y, sample_weight)
        self.seconds += time.process_time() - began
        return self


def learn_flights(path: Path, rows: int | None) -> tuple[int, dict[str, float]]:
    """Rows learned, and the processor seconds of each stage."""
    learner = Watched(random_state=0)
    model = make_stream_pipeline(TableEncoder(), learner)
    seen, within, began = 0, 0.0, time.process_time()
    for X, y in flights_of(path, rows):
        entered = time.process_time()
        model.partial_fit(X, y)
        within += time.process_time() - entered
        seen += len(y)
    total = time.process_time() - began
    stages = {"reading": total - within, "encoding": within - learner.seconds}
    return seen, {**stages, "learning": learner.seconds}


def error_of_means(path: Path, rows: int | None) -> float:
    """The mean absolute error of the mean of all rows before."""
    chunks = chunks_of(path, rows, target="arr_delay", columns=[], on_error="skip")
    y = np.concatenate([y for _, y in chunks])
    before = (np.cumsum(y) - y)[1:] / np.arange(1, len(y))
    return float(np.abs(before - y[1:]).mean())


def errors_before_chunks(path: Path, rows: int | None) -> tuple[float, float]:
    """The mean absolute errors of FOGD with its defaults and of the mean, before each chunk: five days ahead."""
    model = make_stream_pipeline(TableEncoder(), FOGDRegressor(random_state=0))
    errors, means, total, seen = [np.zeros(0)], [np.zeros(0)], 0.0, 0
    for X, y in flights_of(path, rows):
        if seen:
            errors.append(np.abs(model.predict(X) - y))
            means.append(np.abs(total / seen - y))
        model.partial_fit(X, y)
        total, seen = total + y.sum(), seen + len(y)
    return float(np.concatenate(errors).mean()), float(np.concatenate(means).mean())


def error_before_rows(path: Path, rows: int | None, **settings: Any) -> float:
    """The mean absolute error of FOGD, asked before each row."""
    model = make_stream_pipeline(TableEncoder(), FOGDRegressor(random_state=0, **settings))
    result = prequential(model, flights_of(path, rows), metrics=["mae"])
    return float(result.metrics["mae"])
