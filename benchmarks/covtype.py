"""One pass of AVM over covtype, from the packed file: who takes the time?

All seven classes, in the order of the file, scaled to [0, 1] by what was seen before; the diameter
of the paper's table 4. Shares are processor time of one thread, one stage after the other.
"""

from __future__ import annotations

import lzma
import time
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import onkel
from benchmarks.data import require
from benchmarks.report import Options, Report
from benchmarks.timing import seconds_of
from onkel.datasets import locate
from onkel.stream import Chunk, Stream, open_stream, prefetched, scaled
from onkel.stream.base import Wrapped

TITLE = "AVM (δ = 3, γ = 1), one prequential pass over covtype (7 classes) from the .xz file"
FEATURES = 54
CLASSES = range(1, 8)
ROUNDS = 3  # a pass takes seconds: the best of three will do


def run(report: Report, options: Options) -> None:
    require("covtype")
    path = locate("covtype")[0]
    learn(chunks_of(path, 2 * 4096))  # compiles
    rows, stages, model = watched(path, options.rows)
    total = sum(stages.values())
    for stage, seconds in stages.items():
        report.time(stage, seconds, rows, note=f"{100 * seconds / total:.0f} %")
    rate = 100 * model.progress_.mistake_rate
    report.say(
        f"{model.progress_.seen} rows, {model.n_support_} core points, {rate:.2f} % mistakes"
    )
    best = {"one after the other": float("inf"), "reading ahead": float("inf")}
    for _ in range(min(ROUNDS, options.repeats)):
        for what, ahead in zip(best, (False, True)):
            # Wall time whatever the options say: reading ahead saves no processor time.
            job = partial(learn, chunks_of(path, options.rows, ahead))
            best[what] = min(best[what], seconds_of(job))
    for what, seconds in best.items():
        report.time(f"wall time, {what}", seconds, rows, note=f"{seconds:.2f} s")
    gain = best["one after the other"] / best["reading ahead"]
    report.say(f"reading ahead makes the pass {gain:.2f} x as fast")
    reading = stages["decompression"] + stages["parsing"]
    report.bar("(decompression + parsing) / learning", reading / stages["learning"], at_least=1)


def chunks_of(source: Any, rows: int | None, ahead: bool = False) -> Iterator[Chunk]:
    stream: Stream = scaled(open_stream(source, n_features=FEATURES, labels="class"))
    if ahead:
        stream = prefetched(stream)
    return islice(stream, None if rows is None else -(-rows // 4096))


def learn(chunks: Iterator[Chunk]) -> Any:
    model = onkel.AVMClassifier(diameter=3.0, gamma=1.0, random_state=0)
    for X, y in chunks:
        model.partial_fit(X, y, classes=CLASSES)
    return model


class WatchedFile:
    """A file whose clock runs while it is read."""

    def __init__(self, file: Any) -> None:
        self.file, self.seconds = file, 0.0

    def read(self, size: int) -> bytes:
        began = time.thread_time()
        piece: bytes = self.file.read(size)
        self.seconds += time.thread_time() - began
        return piece


class WatchedStream(Wrapped):
    """A stream whose clock runs while it is asked for the next chunk."""

    seconds = 0.0

    def __iter__(self) -> Iterator[Chunk]:
        chunks = iter(self.source)
        while True:
            began = time.thread_time()
            chunk = next(chunks, None)
            self.seconds += time.thread_time() - began
            if chunk is None:
                return
            yield chunk


def watched(path: Path, rows: int | None) -> tuple[int, dict[str, float], Any]:
    """Rows, processor seconds of each stage, and the model, of one pass without reading ahead."""
    with lzma.open(path) as text:
        unpacking = WatchedFile(text)
        parsing = WatchedStream(open_stream(unpacking, n_features=FEATURES, labels="class"))
        scaling = WatchedStream(scaled(parsing))
        began = time.thread_time()
        model = learn(islice(scaling, None if rows is None else -(-rows // 4096)))
        total = time.thread_time() - began
    stages = {
        "decompression": unpacking.seconds,
        "parsing": parsing.seconds - unpacking.seconds,
        "scaling": scaling.seconds - parsing.seconds,
        "learning": total - scaling.seconds,
    }
    return model.progress_.seen, stages, model
