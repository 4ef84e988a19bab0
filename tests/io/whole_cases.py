"""More models that are kept as files: pipelines with what stands before a learner, and learners in others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.preprocessing import StandardScaler

from onkel import (
    AVMClassifier,
    BSGDRegressor,
    FOGDClassifier,
    FOGDRegressor,
    RaceClassifier,
    RaceRegressor,
    TableEncoder,
    make_stream_pipeline,
)
from onkel.drift import DriftAware
from onkel.stream import Scaler
from tests.io.model_cases import MORE_ROWS, PROBES, ROWS

random = np.random.default_rng(11)
N = ROWS + MORE_ROWS + PROBES
X = (random.uniform(-1, 1, (N, 3)) * [100, 0.01, 1] + [500, 0, 3]).round(4)
NUMBERS = (np.sin((X[:, 0] - 500) / 30) + 50 * X[:, 1]).round(3)
LABELS = np.where(NUMBERS > 0, "yes", "no")
TABLE: dict[str, Any] = {
    "a": [f"{v:.2f}" if i % 9 else "?" for i, v in enumerate(X[:, 0])],
    "b": [float(v) if i % 7 else None for i, v in enumerate(X[:, 1])],
    "word": [("u", "v", "", f"w{i // 30}")[i % 4] for i in range(N)],
    "day": [f"2024-0{1 + i % 9}-1{i % 10}T0{i % 7}:30" for i in range(N)],
    "yes": [("true", "false", "?")[i % 3] for i in range(N)],
    "name": [f"row {i}" for i in range(N)],
    "nothing": [None] * N,
}
WIDTHS = {"gamma": [0.1, 0.5, 2.0]}


class Whole(NamedTuple):
    """How the model is made, its rows, and their targets."""

    make: Callable[[], Any]
    X: Any
    y: Any
    rows: int = ROWS


def encoder(**changes: Any) -> TableEncoder:
    return TableEncoder(look=16, min_count=2, max_words=6, n_hashed=2, **changes)


def fogd(**changes: Any) -> FOGDClassifier:
    return FOGDClassifier(n_components=10, gamma=0.5, random_state=0, **changes)


WHOLES: dict[str, Whole] = {
    "table_fogd": Whole(lambda: make_stream_pipeline(encoder(), fogd()), TABLE, LABELS),
    "table_that_widens": Whole(
        lambda: make_stream_pipeline(
            encoder(fixed_width=False, sparse_output=False),
            BSGDRegressor(budget=12, gamma=0.5, random_state=0),
        ),
        TABLE,
        NUMBERS,
    ),
    "scaler_avm": Whole(
        lambda: make_stream_pipeline(
            Scaler("unit_interval"), AVMClassifier(gamma=2.0, random_state=0), look=16
        ),
        X,
        LABELS,
    ),
    "standard_scaler_fogd": Whole(
        lambda: make_stream_pipeline(
            StandardScaler(), FOGDRegressor(n_components=10, gamma=0.5, random_state=0), look=16
        ),
        X,
        NUMBERS,
    ),
    "drift_aware": Whole(lambda: DriftAware(fogd()), X / [100, 0.01, 1], LABELS),
    "half_lives_of_fogd": Whole(lambda: fogd(half_life="auto"), X / [100, 0.01, 1], LABELS),
    "half_lives_of_bsgd": Whole(
        lambda: BSGDRegressor(budget=12, gamma=0.5, half_life="auto", random_state=0),
        X / [100, 0.01, 1],
        NUMBERS,
    ),
    "RaceClassifier": Whole(
        lambda: RaceClassifier(candidates=WIDTHS, learner=fogd(), random_state=0),
        X / [100, 0.01, 1],
        LABELS,
    ),
    "RaceRegressor": Whole(
        lambda: RaceRegressor(candidates=WIDTHS, learner=BSGDRegressor(budget=12), random_state=0),
        X / [100, 0.01, 1],
        NUMBERS,
    ),
    "in_its_first_look": Whole(lambda: fogd(), X / [100, 0.01, 1], LABELS, rows=10),
}


def taken(X: Any, rows: slice) -> Any:
    """Some rows of an array, or of a table."""
    return {name: cells[rows] for name, cells in X.items()} if isinstance(X, dict) else X[rows]
