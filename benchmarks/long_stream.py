"""A stream far larger than memory should be: generated text through the real reader and learner.

16 MB of random rows, over and over, come out of something that only looks like a file.
"""

from __future__ import annotations

import io
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import onkel
from benchmarks.memory import most_memory
from benchmarks.report import Options, Report
from onkel.stream import Chunk, open_stream, prefetched

TITLE = "a generated svmlight stream at constant memory: 5 GB with --all, else 64 MB"
WHOLE, SAMPLE, POOL = 5 * 10**9, 64 * 10**6, 16 * 10**6
FEATURES, PRESENT = 50, 40
MOST_GROWTH = 50  # MB between the tenth part of the stream and its end


def run(report: Report, options: Options) -> None:
    text = some_text(min(POOL, (options.rows or POOL) * 400))
    size = len(text) * 2 if options.rows else WHOLE if options.everything else SAMPLE
    read_all(report, "reading", Repeated(text, size), None)
    # A first few rows compile, before memory is watched.
    learn(learner(), next(iter(open_stream(io.BytesIO(text), n_features=FEATURES))))
    model = learner()
    read_all(report, "reading and FOGD (D = 100)", Repeated(text, size), model)
    rate = 100 * model.progress_.mistake_rate
    report.say(f"{model.progress_.seen} rows learned, {rate:.2f} % mistakes")


def learner() -> Any:
    return onkel.FOGDClassifier(n_components=100, gamma=0.01, random_state=0)


def learn(model: Any, chunk: Chunk) -> None:
    model.partial_fit(chunk.X, chunk.y, classes=[-1, 1])


class Repeated(io.RawIOBase):
    """A file of `size` bytes: the same text again and again, cut after a whole line."""

    def __init__(self, text: bytes, size: int) -> None:
        self.text, self.place = memoryview(text), 0
        last = size % len(text)
        self.size = size - last + text.rfind(b"\n", 0, last) + 1

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        start = self.place % len(self.text)
        piece = self.text[start : start + min(len(buffer), self.size - self.place)]
        buffer[: len(piece)] = piece
        self.place += len(piece)
        return len(piece)


def some_text(size: int) -> bytes:
    """Rows of 40 of 50 features, four decimals each, about 400 bytes a row."""
    rng = np.random.default_rng(0)
    lines = []
    while size > 0:
        places = np.sort(rng.permutation(FEATURES)[:PRESENT]) + 1
        values = rng.standard_normal(PRESENT)
        label = 1 if values[:5].sum() > 0 else -1
        pairs = " ".join(f"{j}:{v:.4f}" for j, v in zip(places.tolist(), values.tolist()))
        lines.append(f"{label} {pairs}\n")
        size -= len(lines[-1])
    return "".join(lines).encode()


def read_all(report: Report, what: str, file: Repeated, model: Any) -> None:
    memory: list[float] = []
    rows = 0
    began = time.perf_counter()
    for chunk in watched(prefetched(open_stream(file, n_features=FEATURES)), file, memory):
        rows += len(chunk.y)
        if model is not None:
            learn(model, chunk)
    seconds = time.perf_counter() - began
    memory.append(resident())
    start, middle, end = memory[0], memory[len(memory) // 2], memory[-1]
    speed = file.size / seconds / 1e6
    report.time(what, seconds, rows, note=f"{file.size / 1e9:.2f} GB, {speed:.0f} MB/s")
    report.say(f"resident memory: start {start:.0f}, middle {middle:.0f}, end {end:.0f} MB")
    growth = max(memory[len(memory) // 10 :]) - memory[len(memory) // 10]
    report.bar(f"{what}: growth of memory after a tenth [MB]", growth, at_most=MOST_GROWTH)


def watched(chunks: Any, file: Repeated, memory: list[float]) -> Iterator[Chunk]:
    """The chunks; and the memory in use, noted a hundred times in all."""
    for chunk in chunks:
        if file.place >= len(memory) * file.size / 100:
            memory.append(resident())
        yield chunk


def resident() -> float:
    """The process's memory in MB; where it cannot be known now, the most that it ever was."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:
        return most_memory()
