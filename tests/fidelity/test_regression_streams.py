"""Fidelity room: every regressor with its defaults, on streams of raw targets, is safe from the start on.

What it has predicted so far is never much worse than the running mean, and at the end it is as good as it was before
targets were scaled and first steps bounded (figures of then, where these were above 0).
"""

from functools import cache

import numpy as np
import pytest
from sklearn.metrics import r2_score
from sklearn.preprocessing import StandardScaler

import onkel
from onkel.datasets import load
from onkel.estimators.regressor import OnlineRegressor

SETS = ("cadata", "cpusmall", "abalone", "space_ga", "mg", "housing")
REGRESSORS = [
    name
    for name in onkel.__all__
    if name.endswith("Regressor") and issubclass(getattr(onkel, name), OnlineRegressor)
]
MOST_ROWS = 5000
FIRST_JUDGED, EVERY = 50, 25
#: R² at the end of the same streams, in the order of the sets, before: of the others it was below 0.
BEFORE = {
    "FOGDRegressor": (0.711, 0.896, 0.556, 0.539, 0.669, 0.597),
    "NOGDRegressor": (0.700, 0.857, 0.559, 0.530, 0.671, 0.625),
    "OGDRegressor": (0.605, 0.845, 0.524, 0.470, 0.630, 0.495),
    "PARegressor": (0.0, 0.617, 0.527, 0.510, 0.526, 0.139),
    "SPARegressor": (0.0, 0.0, 0.115, 0.243, 0.394, 0.0),
    "NORMARegressor": (0.0, 0.0, 0.0, 0.133, 0.412, 0.0),
    "KernelPerceptronRegressor": (0.0, 0.0, 0.334, 0.456, 0.595, 0.0),
    "ProjectronRegressor": (0.0, 0.0, 0.329, 0.422, 0.597, 0.0),
    "RBPRegressor": (0.0, 0.0, 0.0, 0.139, 0.215, 0.0),
    "ForgetronRegressor": (0.0, 0.0, 0.0, 0.078, 0.302, 0.0),
}


@cache
def split(name: str) -> tuple[np.ndarray, ...]:
    """Rows in random order, features standardised, targets as they are: to learn, and to judge by."""
    X, y = load(name)
    X, order = getattr(X, "toarray", lambda: X)(), np.random.default_rng(0).permutation(len(y))
    X, y, n = X[order], y[order].astype(float), int(0.7 * len(y))
    X = StandardScaler().fit(X[:n]).transform(X)
    return X[:n][:MOST_ROWS], y[:n][:MOST_ROWS], X[n:], y[n:]


def errors_of_running_mean(y: np.ndarray) -> np.ndarray:
    """Mean squared error of the mean of the rows before, after each row; the first row costs nothing."""
    count = np.arange(1, len(y) + 1)
    before = np.r_[y[0], np.cumsum(y)[:-1] / count[:-1]]
    return np.cumsum((y - before) ** 2) / count


@pytest.mark.data(*SETS)
@pytest.mark.parametrize("data", SETS)
@pytest.mark.parametrize("name", REGRESSORS)
def test_is_safe_on_the_way_and_good_in_the_end(name: str, data: str) -> None:
    X, y, X_test, y_test = split(data)
    few = {"n_components": 200} if "Ridge" in name else {}  # chunks of 25 rows take their time
    model, allowed = getattr(onkel, name)(random_state=0, **few), 1.1**2 * errors_of_running_mean(y)
    for first in range(0, len(y), EVERY):
        model.partial_fit(X[first : first + EVERY], y[first : first + EVERY])
        seen = model.progress_.seen
        if seen >= FIRST_JUDGED:
            assert model.progress_.squared_error < allowed[seen - 1], f"after row {seen}"
    before = BEFORE.get(name, (0.0,) * len(SETS))[SETS.index(data)]
    assert r2_score(y_test, model.predict(X_test)) >= before


@pytest.mark.data("cadata")
@pytest.mark.parametrize("name", REGRESSORS)
def test_unit_and_offset_of_the_targets_do_not_matter(name: str) -> None:
    X, y, X_test, y_test = split("cadata")
    plain, moved = (getattr(onkel, name)(random_state=0) for _ in range(2))
    plain.partial_fit(X[:1500], y[:1500])
    moved.partial_fit(X[:1500], 1000.0 * y[:1500] + 1e6)
    scores = [
        r2_score(y_test, plain.predict(X_test)),
        r2_score(1000.0 * y_test + 1e6, moved.predict(X_test)),
    ]
    assert scores[0] == pytest.approx(scores[1], abs=1e-3)
