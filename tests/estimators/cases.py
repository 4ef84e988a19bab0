"""Every public learner with settings for small data, data for its task, and what a model knows."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

import onkel
from onkel.engine.machine import Machine

EVERY = list(onkel.__all__)
BATCH = ["CSVRGClassifier", "LLSVMClassifier"]
ONLINE = [name for name in EVERY if name not in BATCH]
CLASSIFIERS = [name for name in EVERY if name.endswith("Classifier")]
ONLINE_CLASSIFIERS = [name for name in CLASSIFIERS if name not in BATCH]
ON_FOURIER_FEATURES = ("FOGD", "FourierRidge")
REGRESSORS = [name for name in EVERY if name.endswith("Regressor")]
#: One learner of each kind: growing, budgeted, merged, projected, sampled, covered, explicit, solved.
HANDFUL = [
    "OGDClassifier",
    "RBPClassifier",
    "BSGDClassifier",
    "ProjectronClassifier",
    "SPAClassifier",
    "AVMClassifier",
    "FOGDClassifier",
    "NOGDClassifier",
    "FourierRidgeClassifier",
    "SPAOneClass",
    "OGDRegressor",
]
#: Those of them that learn by a walk; ridge regression knows neither that nor hollow rows.
WALKED = [name for name in HANDFUL if "Ridge" not in name]
SMALL: dict[str, Any] = {
    "gamma": 0.5,
    "budget": 20,
    "maintenance_rate": 50.0,
    "diameter": 0.5,
    "n_components": 30,
    "epochs": 1,
    "random_state": 0,
}


class Data(NamedTuple):
    X: np.ndarray
    y: Any


def make(name: str, **changes: Any) -> Any:
    """The learner with settings for small data."""
    model = getattr(onkel, name)()
    parameters = model.get_params()
    small = {key: value for key, value in SMALL.items() if key in parameters}
    if parameters.get("regularization") == "auto":  # which would depend on the first chunk
        small["regularization"] = 1e-3
    if parameters.get("epsilon") == "auto":  # the same
        small["epsilon"] = 0.1
    if name.startswith("Composed"):
        del small["budget"]
    return model.set_params(**small | changes)


def data_for(name: str, n_rows: int = 60, seed: int = 0, n_features: int = 3) -> Data:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_features))
    y = np.sin(2 * X[:, 0]) + 0.1 * random.normal(size=n_rows)
    if name in CLASSIFIERS:
        return Data(X, np.where(y > 0, "yes", "no"))
    return Data(X, y if name in REGRESSORS else None)


def learn_on(model: Any, X: Any, y: Any, **more: Any) -> Any:
    """``partial_fit``, with ``classes`` where that is needed; a batch learner starts anew."""
    if type(model).__name__ in BATCH:
        return model.fit(X, y, **more)
    if type(model).__name__ in CLASSIFIERS and not hasattr(model, "classes_"):
        more.setdefault("classes", ["no", "yes"])
    return model.partial_fit(X, y, **more)


def composition(model: Any, X: Any, y: Any) -> dict[str, str]:
    """What an online learner is made of for these rows, which are not learned: nothing is compiled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Machine, "learn", lambda machine, X, targets, *_: len(targets))
        machine = learn_on(model, X, y)._fitted()
    made_of = machine.parts._replace(budget=None, task=None)  # which hold tables, or say nothing
    # In words: parts without parameters are empty tuples, and so equal.
    return {"kernel": repr(machine.kernel), "parts": repr(made_of)}


@cache
def _learned(name: str) -> Any:
    return learn_on(make(name), *data_for(name))


def learned(name: str) -> Any:
    """A model of 60 rows, one's own copy."""
    return copy.deepcopy(_learned(name))


def scores(model: Any, X: Any) -> np.ndarray:
    ask = model.decision_function if hasattr(model, "decision_function") else model.predict
    return np.asarray(ask(X))


def knowledge(model: Any) -> dict[str, Any]:
    """All that a call that fails must leave alone."""
    probe = data_for(type(model).__name__, seed=1).X
    known = {"scores": scores(model, probe), "n_features_in_": model.n_features_in_}
    for method in ("predict_proba", "predict_interval"):
        if hasattr(model, method):
            known[method] = getattr(model, method)(probe)
    for attribute in ("t_", "classes_", "gamma_", "progress_", "offset_", "dual_coef_"):
        if hasattr(model, attribute):
            known[attribute] = getattr(model, attribute)
    return known


def assert_knows(model: Any, before: dict[str, Any]) -> None:
    after = knowledge(model)
    assert after.keys() == before.keys()
    for attribute, value in before.items():
        np.testing.assert_array_equal(after[attribute], value, err_msg=attribute)


def size_of(model: Any) -> Any:
    """The number of support vectors, or the shape of the weights of a model without."""
    return getattr(model, "n_support_", None) or model.coef_.shape
