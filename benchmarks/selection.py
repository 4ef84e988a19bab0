"""river's ways to select a model on a stream, beside a race: accuracy before each update, and rows a second.

river's results are in ``results/river.csv``: they take minutes and do not change.
"""

from __future__ import annotations

import time
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import onkel
from benchmarks.data import SEED, AbsentError, standardised
from benchmarks.forest import row_by_row
from benchmarks.journal import kept_in
from benchmarks.report import Options, Report
from benchmarks.timing import seconds_of

PATH = Path(__file__).parent / "results" / "river.csv"
KEY = ("selection", "set", "rows")
COLUMNS = (*KEY, "accuracy", "seconds", "river")
ROWS, SET = 20_000, "cod-rna"  # two classes: so wants river's logistic regression


def beside_river(report: Report, options: Options) -> None:
    split = standardised(SET, min(ROWS, options.rows or ROWS), 1)
    kept, rows = kept_in(PATH, COLUMNS, KEY, options), len(split.y)
    report.say(f"{SET}, {rows} rows, predicted before they are learned; river: twelve models")
    for name in ("SuccessiveHalvingClassifier", "BanditClassifier"):
        key = {"selection": name, "set": SET, "rows": rows}
        line = kept.result(key, partial(selected, name, split.X, split.y > 0))
        say(report, f"river's {name}", float(line["accuracy"]), rows, float(line["seconds"]))
    race = onkel.RaceClassifier(random_state=0)
    seconds = seconds_of(lambda: race.partial_fit(split.X, split.y), time.process_time)
    say(report, "RaceClassifier()", 1.0 - race.progress_.mistake_rate, rows, seconds)


def say(report: Report, name: str, accuracy: float, rows: int, seconds: float) -> None:
    report.say(f"{name:<36}{100 * accuracy:>7.2f} %{rows / seconds:>10,.0f} rows a second")


def selected(name: str, X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Accuracy and processor seconds of one of river's selections, row by row."""
    try:
        from river import bandit, metrics, model_selection, preprocessing
    except ImportError:
        raise AbsentError("river is not installed: pip install onkel[river]") from None
    models = river_models()
    if name == "BanditClassifier":
        policy = bandit.EpsilonGreedy(epsilon=0.1, decay=0.001, burn_in=100, seed=SEED)
        chooser: Any = model_selection.BanditClassifier(models, metrics.Accuracy(), policy)
    else:  # the largest budget with which half of the models leave at each rung
        budget = len(models) * len(y)
        chooser = model_selection.SuccessiveHalvingClassifier(models, metrics.Accuracy(), budget)
    errors, seconds = row_by_row(preprocessing.StandardScaler() | chooser, X, y, regression=False)
    return {
        "accuracy": f"{1.0 - errors:.5f}",
        "seconds": f"{seconds:.2f}",
        "river": version("river"),
    }


def river_models() -> list[Any]:
    """Linear models, linear ones on random features, and trees: what river has for such data."""
    from river import feature_extraction, linear_model, naive_bayes, optim, tree

    def logistic(lr: float) -> Any:
        return linear_model.LogisticRegression(optimizer=optim.SGD(lr))

    def on_features(gamma: float, lr: float) -> Any:
        sampler = feature_extraction.RBFSampler(gamma=gamma, n_components=100, seed=SEED)
        return sampler | logistic(lr)

    return [
        *(logistic(lr) for lr in (0.001, 0.01, 0.1)),
        *(on_features(gamma, lr) for gamma in (0.005, 0.02, 0.08) for lr in (0.01, 0.1)),
        tree.HoeffdingTreeClassifier(grace_period=50),
        tree.HoeffdingTreeClassifier(grace_period=200),
        naive_bayes.GaussianNB(),
    ]
