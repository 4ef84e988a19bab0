"""scikit-learn's support vector machines, as they come and searched over a grid: what a race has to stand beside.

They take many minutes and do not change, so their results are in ``results/svm.csv``; with ``--all`` they are
measured again. Seconds are of the processor, on one core.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import sklearn
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC, SVR

from benchmarks.data import Split
from benchmarks.journal import Journal, kept_in
from benchmarks.report import Options

PATH = Path(__file__).parent / "results" / "svm.csv"
KEY = ("svm", "set", "rows", "test_rows")
COLUMNS = (*KEY, "features", "score", "seconds", "kilobytes", "gamma", "C", "epsilon", "sklearn")
#: Widths as multiples of 1 / number of features: 1 is what ``SVC()`` takes, if the columns are standardised.
WIDTHS = (1 / 16, 1 / 4, 1.0, 4.0, 16.0)
CLASSIFIER_C = (0.1, 1.0, 10.0, 100.0, 1000.0)
#: More is too slow by far: libsvm takes as long for 1000 as for all of these.
REGRESSOR_C = (0.1, 1.0, 10.0, 100.0)
#: Searched at the width and C that are best with the first of them, which is the default.
EPSILONS = (0.1, 0.03, 0.01)
FOLDS = 3


class Baseline(NamedTuple):
    """What a support vector machine got on a split."""

    score: float  # accuracy or R²
    seconds: float  # of the processor, to search and fit


def journal(options: Options) -> Journal:
    return kept_in(PATH, COLUMNS, KEY, options)


def baseline(svm: str, name: str, split: Split, kept: Journal) -> Baseline:
    """One of `FITS` on a split of this set, from the journal where it has been measured before."""
    key = {"svm": svm, "set": name, "rows": len(split.y), "test_rows": len(split.y_test)}
    line = kept.result(key, lambda: measured(FITS[svm], split))
    return Baseline(float(line["score"]), float(line["seconds"]))


def measured(fit: Callable[[Split], Any], split: Split) -> dict[str, Any]:
    began = time.process_time()
    model = fit(split)
    seconds = time.process_time() - began
    chosen = model.get_params()
    return {
        "features": split.X.shape[1],
        "score": f"{model.score(split.X_test, split.y_test):.5f}",
        "seconds": f"{seconds:.3f}",
        "kilobytes": len(pickle.dumps(model)) // 1000,
        "gamma": f"{chosen['gamma']:.6g}" if chosen["gamma"] != "scale" else "scale",
        "C": chosen["C"],
        "epsilon": chosen.get("epsilon", ""),
        "sklearn": sklearn.__version__,
    }


def fitted_svc(split: Split) -> Any:
    return SVC().fit(split.X, split.y)


def fitted_svr(split: Split) -> Any:
    return SVR().fit(split.X, split.y)


def searched(model: Any, grid: dict[str, list[float]], split: Split) -> Any:
    return GridSearchCV(model, grid, cv=FOLDS, n_jobs=1).fit(split.X, split.y).best_estimator_


def searched_svc(split: Split) -> Any:
    return searched(SVC(), {"gamma": widths(split), "C": list(CLASSIFIER_C)}, split)


def searched_svr(split: Split) -> Any:
    """Widths and C first, then, at the best of them, how much may be ignored."""
    best = searched(SVR(), {"gamma": widths(split), "C": list(REGRESSOR_C)}, split)
    return searched(best, {"epsilon": list(EPSILONS)}, split)


def widths(split: Split) -> list[float]:
    return [width / split.X.shape[1] for width in WIDTHS]


FITS: dict[str, Callable[[Split], Any]] = {
    "SVC": fitted_svc,
    "SVC, grid": searched_svc,
    "SVR": fitted_svr,
    "SVR, grid": searched_svr,
}
