"""scikit-learn's default SVC on a split, its result kept: it takes minutes and does not change."""

from __future__ import annotations

import json
import time
from typing import NamedTuple

import sklearn
from sklearn.svm import SVC

from benchmarks.data import SEED, Split
from benchmarks.timing import seconds_of
from onkel.compiled.cache import cache_home


class Result(NamedTuple):
    accuracy: float
    seconds: float  # of the processor, to fit
    cached: bool


def svc_result(name: str, split: Split) -> Result:
    """Accuracy and seconds of ``SVC()``, from the cache folder where it was measured before."""
    folder = cache_home() / "benchmarks"
    rows = f"{len(split.y)}-{len(split.y_test)}"
    path = folder / f"svc-{name}-{rows}-seed{SEED}-sklearn{sklearn.__version__}.json"
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return Result(float(kept["accuracy"]), float(kept["processor_seconds"]), True)
    except (OSError, ValueError, KeyError):
        pass  # absent or damaged: measured now
    model = SVC()
    seconds = seconds_of(lambda: model.fit(split.X, split.y), time.process_time)
    accuracy = float(model.score(split.X_test, split.y_test))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        kept = {"accuracy": accuracy, "processor_seconds": seconds}
        path.write_text(json.dumps(kept), encoding="utf-8")
    except OSError:
        pass  # the cache is a convenience
    return Result(accuracy, seconds, False)
