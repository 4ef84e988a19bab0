"""First use: import and first fit in a new process, from an empty cache and again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import onkel
from benchmarks.report import Options, Report

TITLE = "import and first fit on 500 rows in a new process, from an empty cache and from a warm one"
SAMPLE = tuple(f"{name}Classifier" for name in ("AVM", "BSGD", "FOGD", "NOGD", "Projectron"))
COLD, WARM = 8.0, 2.0

# Runs in the new process; what Python itself needs to start is not counted.
PROGRAM = """
import json, sys, time
clock = getattr(time, sys.argv[2])
began = clock()
import numba, numpy as np, sklearn.base
libraries = clock()
import onkel
learner = getattr(onkel, sys.argv[1])
imported = clock()
X = np.random.default_rng(0).normal(size=(500, 20))
score = X[:, 0] + X[:, 1] * X[:, 2]
y = score if sys.argv[1].endswith("Regressor") else np.where(score > 0, 1, -1)
learner().fit(X, y)
print(json.dumps([libraries - began, imported - libraries, clock() - imported]))
"""

# The least that a library on Numba and scikit-learn can do.
FLOOR = """
import json, sys, time
clock = getattr(time, sys.argv[1])
began = clock()
import numba, numpy, sklearn.base
@numba.njit(cache=True)
def nothing(x):
    return x
nothing(numpy.zeros(1))
print(json.dumps(clock() - began))
"""


def run(report: Report, options: Options) -> None:
    worst = {"cold": ("", 0.0), "warm": ("", 0.0)}
    for name in every_learner() if options.everything else SAMPLE:
        text = f"{name:<28}"
        for kind, parts in zip(worst, first_uses(name, options.clock.__name__)):
            seconds = sum(parts)
            worst[kind] = max(worst[kind], (name, seconds), key=lambda pair: pair[1])
            spent = " + ".join(f"{part:.2f}" for part in parts)
            text += f"{kind:>6}: {spent} = {seconds:.2f} s   "
        report.say(text.rstrip())
    report.say("(importing Numba and scikit-learn + importing onkel + fit)")
    cold, warm = floors(options.clock.__name__)
    text = "for comparison, these imports and one compiled function that does nothing"
    report.say(f"{text}: cold {cold:.2f} s, warm {warm:.2f} s")
    for kind, limit in (("cold", COLD), ("warm", WARM)):
        name, seconds = worst[kind]
        report.bar(f"seconds, {kind} cache, slowest ({name})", seconds, at_most=limit)


def every_learner() -> list[str]:
    return sorted(onkel.__all__)


def first_uses(name: str, clock: str) -> list[tuple[float, ...]]:
    """Seconds to import and to fit, in two processes one after the other: cold, then warm."""
    while True:
        with tempfile.TemporaryDirectory() as folder:
            surroundings = os.environ | {"ONKEL_CACHE": folder}
            results = [first_use(name, clock, surroundings) for _ in range(2)]
            # Compiled code is kept by what the sources are: if these change, nothing is warm.
            if len(list(Path(folder, "compiled").iterdir())) == 1:
                return results


def floors(clock: str) -> list[float]:
    """Seconds that no library of this kind can undercut: cold, then warm."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "floor.py")
        program.write_text(FLOOR, encoding="utf-8")
        surroundings = os.environ | {"NUMBA_CACHE_DIR": folder}
        command = [sys.executable, str(program), clock]
        return [answer(command, surroundings) for _ in range(2)]


def first_use(name: str, clock: str, surroundings: dict[str, str]) -> tuple[float, ...]:
    return tuple(answer([sys.executable, "-c", PROGRAM, name, clock], surroundings))


def answer(command: list[str], surroundings: dict[str, str]) -> Any:
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)
