"""First use: import and first fit in a new process, with an empty folder of compiled code and again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

from benchmarks.report import Options, Report

TITLE = "import and first fit on 500 rows in a new process, from an empty cache and from a warm one"
SAMPLE = ("AVMClassifier", "BSGDClassifier", "FOGDClassifier", "NOGDClassifier", "ProjectronClassifier")
COLD, WARM = 8.0, 2.0

# Runs in the new process; what Python itself needs to start is not counted.
PROGRAM = """
import json, sys, time
began = time.perf_counter()
import numpy as np
import onkel
imported = time.perf_counter()
X = np.random.default_rng(0).normal(size=(500, 20))
score = X[:, 0] + X[:, 1] * X[:, 2]
getattr(onkel, sys.argv[1])().fit(X, score if "Regressor" in sys.argv[1] else np.where(score > 0, 1, -1))
print(json.dumps([imported - began, time.perf_counter() - imported]))
"""


def run(report: Report, options: Options) -> None:
    worst = {"cold": ("", 0.0), "warm": ("", 0.0)}
    for name in every_learner() if options.everything else SAMPLE:
        text = f"{name:<28}"
        with tempfile.TemporaryDirectory() as folder:
            for kind in ("cold", "warm"):
                imported, fitted = first_use(name, folder)
                worst[kind] = max(worst[kind], (name, imported + fitted), key=lambda pair: pair[1])
                text += f"{kind:>6}: {imported:5.2f} + {fitted:5.2f} = {imported + fitted:5.2f} s   "
        report.say(text.rstrip())
    for kind, limit in (("cold", COLD), ("warm", WARM)):
        name, seconds = worst[kind]
        report.bar(f"seconds, {kind} cache, slowest ({name})", seconds, at_most=limit)


def every_learner() -> list[str]:
    import onkel

    return sorted(onkel.__all__)


def first_use(name: str, folder: str) -> tuple[float, float]:
    """Seconds to import and to fit, in a process whose compiled code is kept in ``folder``."""
    surroundings = os.environ | {"ONKEL_CACHE": folder}
    command = [sys.executable, "-c", PROGRAM, name]
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=True)
    imported, fitted = json.loads(done.stdout)
    return imported, fitted
