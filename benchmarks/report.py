"""The report: times per instance and per kernel value, and bars that are met or missed."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import scipy
import sklearn
from threadpoolctl import threadpool_info  # type: ignore[import-untyped,unused-ignore]

import onkel


class Options(NamedTuple):
    """What the command line may choose."""

    rows: int | None = None  # at most so many of every data set
    repeats: int = 5
    everything: bool = False  # sections that take a sample by default take all
    sets: tuple[str, ...] = ()  # data sets of the table of defaults; none: all
    clock: Callable[[], float] = time.perf_counter  # process_time: others may keep the cores busy


class Bar(NamedTuple):
    """A promise: a number, its limit, and on which side of it the number must be."""

    what: str
    value: float
    limit: float
    at_most: bool

    @property
    def met(self) -> bool:
        return self.value <= self.limit if self.at_most else self.value >= self.limit

    def __str__(self) -> str:
        side = "at most" if self.at_most else "at least"
        verdict = "ok" if self.met else "MISSED"
        return f"  bar   {self.what:<58} {self.value:8.2f}   {side} {self.limit:g}: {verdict}"


def print_at_once(text: str) -> None:
    print(text, flush=True)


class Report:
    """Writes lines as they come, and remembers the bars for the summary."""

    def __init__(self, write: Callable[[str], object] = print_at_once) -> None:
        self.write = write
        self.bars: list[Bar] = []
        self.skipped: list[str] = []

    def title(self, text: str) -> None:
        self.write(f"\n{text}")

    def say(self, text: str) -> None:
        self.write(f"  {text}")

    def time(self, what: str, seconds: float, rows: int, values: float = 0, note: str = "") -> None:
        """Time per instance and, of so many kernel values in all, per kernel value."""
        each = f"{1e9 * seconds / values:8.3f} ns/value" if values else ""
        self.write(f"  {what:<48} {1e6 * seconds / rows:10.3f} µs/row {each:<17} {note}".rstrip())

    def bar(
        self, what: str, value: float, *, at_most: float | None = None, at_least: float = 0
    ) -> None:
        limit = at_least if at_most is None else at_most
        self.bars.append(Bar(what, value, limit, at_most is not None))
        self.write(str(self.bars[-1]))

    def skip(self, section: str, reason: object) -> None:
        self.skipped.append(section)
        self.write(f"  skipped: {reason}")

    def summary(self) -> None:
        met = sum(bar.met for bar in self.bars)
        self.title(f"{met} of {len(self.bars)} bars met")
        for bar in self.bars:
            if not bar.met:
                self.write(str(bar))
        if self.skipped:
            self.say(f"skipped for want of data: {', '.join(self.skipped)}")


def surroundings() -> list[str]:
    """The machine, the versions, the threads: what the times below depend on."""
    blas = [
        f"{pool['internal_api']} {pool['version']} ({pool['num_threads']} threads)"
        for pool in threadpool_info()
        if pool["user_api"] == "blas"
    ]
    return [
        f"{processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}",
        f"Python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}, "
        f"scikit-learn {sklearn.__version__}, numba {numba.__version__}, onkel {onkel.__version__}",
        f"BLAS: {', '.join(sorted(set(blas)))}; while learning one thread, unless a line says so",
    ]


def processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown processor"
