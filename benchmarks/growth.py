"""Growth: a model of bounded size learns its millionth instance as fast as its ten-thousandth.

Each learner has a process of its own (``python -m benchmarks.growth NAME ROWS``): only there does
the peak of memory say something about this learner. The stream is drawn while it is learned.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import onkel
from benchmarks.memory import most_memory
from benchmarks.report import Options, Report
from onkel.datasets import gaussian_mixture, gaussian_mixture_stream

TITLE = "time per instance and peak memory from 10^4 to 10^6 instances (gaussian mixture, B = 100)"
ROWS = 1_000_000
CHUNK = 10_000
#: The best of so many chunks from the second on, and of as many last ones, is compared.
CHUNKS_COMPARED = 9
FLAT = 1.25
MEGABYTES = 16.0

BUDGET: dict[str, Any] = {"budget": 100}
LEARNERS: dict[str, tuple[str, dict[str, Any]]] = {
    "AVM": ("AVMClassifier", {"diameter": 1.0, "max_cores": 100}),
    "FOGD": ("FOGDClassifier", {"n_components": 100}),
    "NOGD": ("NOGDClassifier", BUDGET),
    "BSGD-removal": ("BSGDClassifier", BUDGET | {"maintenance": "removal"}),
    "BSGD-projection": ("BSGDClassifier", BUDGET | {"maintenance": "projection", "neighbors": 4}),
    "BSGD-exact-projection": (
        "BSGDClassifier",
        BUDGET | {"maintenance": "projection", "neighbors": None},
    ),
    "BSGD-merging": ("BSGDClassifier", BUDGET | {"maintenance": "merging"}),
    "RBP": ("RBPClassifier", BUDGET),
    "Forgetron": ("ForgetronClassifier", BUDGET),
    "Projectron": ("ProjectronClassifier", BUDGET),
    "Projectron++": ("ProjectronPPClassifier", BUDGET),
    "BPA-S": ("BPASClassifier", BUDGET),
    "BOGD": ("BOGDClassifier", BUDGET),
    "NORMA": ("NORMAClassifier", BUDGET),
}


def run(report: Report, options: Options) -> None:
    rows = options.rows or ROWS
    grown: dict[str, tuple[float, float]] = {}
    for name in LEARNERS:
        command = [sys.executable, "-m", "benchmarks.growth", name, str(rows)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        early, late, memory_early, memory_late, share_early, share_late = json.loads(done.stdout)
        grown[name] = late / early, memory_late - memory_early
        report.say(
            f"{name:<24}{1e6 * early:8.3f} -> {1e6 * late:7.3f} µs/row ({late / early:4.2f} x)"
            f"{memory_early:8.1f} -> {memory_late:6.1f} MB"
            f"   margin below 1: {share_early:4.0%} -> {share_late:4.0%}"
        )
    if rows < (2 * CHUNKS_COMPARED + 1) * CHUNK:
        report.say(f"{rows} rows are too few: early and late chunks are the same, no bar is judged")
        return
    slowest = max(grown, key=lambda name: grown[name][0])
    report.bar(f"largest growth of time per instance ({slowest})", grown[slowest][0], at_most=FLAT)
    fattest = max(grown, key=lambda name: grown[name][1])
    report.bar(f"largest growth of memory, MB ({fattest})", grown[fattest][1], at_most=MEGABYTES)


def follow(name: str, rows: int) -> tuple[float, ...]:
    """Seconds per row, peak MB and share of rows with a margin below 1, each early and late.

    The share tells whether a learner slows down because it learns from more rows than before.
    """
    kind, settings = LEARNERS[name]

    def new() -> Any:
        return getattr(onkel, kind)(gamma=0.4, random_state=0, **settings)

    classes = np.array([-1, 1])
    X, y = gaussian_mixture(CHUNK, random_state=1)
    new().partial_fit(X, y, classes=classes)  # compiles
    forget_peak_memory()
    model, times, shares, early_peak = new(), [], [], 0.0
    last = -(-rows // CHUNK)
    for X, y in gaussian_mixture_stream(rows, CHUNK, random_state=0):
        began = time.process_time()
        model.partial_fit(X, y, classes=classes)
        times.append((time.process_time() - began) / len(y))
        if len(times) in (1, last):
            shares.append(float(np.mean(y * model.decision_function(X) < 1)))
        early_peak = early_peak or most_memory()
    settled = times[1:] or times
    compared = min(settled[:CHUNKS_COMPARED]), min(settled[-CHUNKS_COMPARED:])
    return *compared, early_peak, most_memory(), shares[0], shares[-1]


def forget_peak_memory() -> None:
    """Let the peak start anew, where the system can: compiling takes more than learning."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
    except OSError:
        pass


if __name__ == "__main__":
    print(json.dumps(follow(sys.argv[1], int(sys.argv[2]))))
