"""river's adaptive random forest of ten trees over a stream, row by row.

Its results are in ``results/forest.csv``: they take minutes and do not change. Its seconds are of the machine that
measured them; ``--all`` measures them again, so that they are of the same run as the others.
"""

from __future__ import annotations

import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import SEED, AbsentError

PATH = Path(__file__).parent / "results" / "forest.csv"
KEY = ("stream", "rows", "river", "trees")
COLUMNS = (*KEY, "error", "seconds")
TREES = 10


def forest_key(stream: str, rows: int) -> dict[str, Any]:
    """By what its result on a stream is known."""
    try:
        return {"stream": stream, "rows": rows, "river": version("river"), "trees": TREES}
    except PackageNotFoundError:
        raise AbsentError("river is not installed: pip install onkel[river]") from None


def forest_result(X: np.ndarray, y: np.ndarray, regression: bool) -> dict[str, Any]:
    """Its error before each update (share of mistakes, or mean square), and the processor's seconds."""
    from river import forest, preprocessing

    make = forest.ARFRegressor if regression else forest.ARFClassifier
    model: Any = make(n_models=TREES, seed=SEED)
    if regression:  # its leaves are linear models
        model = preprocessing.StandardScaler() | model
    error, seconds = row_by_row(model, X, y, regression)
    return {"error": f"{error:.6g}", "seconds": f"{seconds:.2f}"}


def row_by_row(model: Any, X: np.ndarray, y: np.ndarray, regression: bool) -> tuple[float, float]:
    errors, began = 0.0, time.process_time()
    for row, target in zip(X.tolist(), y.tolist()):
        x = dict(enumerate(row))
        said = model.predict_one(x)
        errors += ((said or 0.0) - target) ** 2 if regression else said != target
        model.learn_one(x, target)
    return errors / len(y), time.process_time() - began
