"""A learner has only parameters that it uses: each of them changes the model, in some setting of the others."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

from onkel.budgets import DropOldest
from onkel.kernels import Rbf
from onkel.losses import L1, Logistic
from onkel.rules import ConstantStep
from tests.estimators.cases import (
    BATCH,
    EVERY,
    REGRESSORS,
    composition,
    data_for,
    make,
    scores,
)


class Change(NamedTuple):
    """Another value of a parameter, and the setting in which it matters."""

    value: Any
    setting: dict[str, Any] = {}  # noqa: RUF012 - never changed


#: With short steps: those of a loss that grows with the square must not be too long.
ODM = {"loss": "odm", "regularization": 0.5, "step": 0.02}
CHANGES: dict[str, Change] = {
    "C": Change(0.05),
    "U": Change(0.1),
    "at_cap": Change("drop", {"max_cores": 3}),
    "average": Change(0.3, {"average": 0.0}),
    "budget": Change(5),
    "cells": Change("box"),
    "class_weight": Change("balanced"),
    "coef0": Change(1.0, {"kernel": "polynomial", "maintenance": "removal"}),
    "contamination": Change(0.3),
    "dead_zone": Change(0.4, {"regularization": 0.3}),
    "degree": Change(2, {"kernel": "polynomial", "maintenance": "removal"}),
    "diameter": Change(1.5),
    "epochs": Change(3),
    "epsilon": Change(0.7, {"loss": "epsilon_insensitive"}),
    "exact_decay": Change(0.1, {"exact_rate": 1.0, "diameter": 2.0}),
    "exact_rate": Change(5.0, {"diameter": 2.0}),
    "first_step": Change(None),
    "gamma": Change(0.9),
    "half_life": Change(20.0),
    "inner_steps": Change(7),
    "intercept": Change(True, {"intercept": False}),
    "kernel": Change(Rbf(0.9)),
    "landmarks": Change("kmeans"),
    "loss_cap": Change(0.2),
    "maintenance": Change("removal"),
    "maintenance_rate": Change(1.0),
    "max_cores": Change(3),
    "mu": Change(
        0.01, ODM | {"theta": 0.0, "step": 0.2, "regularization": 0.2, "epochs": 3, "gamma": 0.05}
    ),
    "n_components": Change(10),
    "neighbors": Change(1, {"maintenance": "projection"}),
    "nu": Change(0.9),
    "option": Change("random"),
    "orthogonal": Change(True),
    "project": Change(True, {"regularization": 0.2, "first_step": None}),
    "random_state": Change(1),
    "rank": Change(1),
    "regularization": Change(0.3),
    "rescale": Change(False),
    "rule": Change(ConstantStep(0.05)),
    "sampling": Change(1.5),
    "scale_targets": Change(False),
    "shuffle": Change(False),
    "step": Change(0.03),
    "tau": Change(0.05, {"loss": "smooth_hinge"}),
    "theta": Change(0.6, ODM),
    "tolerance": Change(0.9),
}
#: Seen in what a learner is made of: to learn with every loss and average would compile for minutes.
SEEN_IN_PARTS = ("average", "dead_zone", "epsilon", "loss", "mu", "tau", "theta")
#: Parameters that change no model, and why they are there.
NO_MODEL = {
    ("CSVRGClassifier", "kernel"),  # the only value there is, so that every learner says its kernel
    ("CSVRGClassifier", "memory_cap"),  # how much memory is used
}
#: Of all learners: one adds a method, one says which rows are taken, and one how many threads work (tests/threads).
BESIDE_THE_MODEL = ("probabilities", "grow_features", "n_jobs")


def change_of(name: str, parameter: str) -> Change:
    other = "squared_hinge" if name in BATCH else "logistic"
    if parameter == "loss":
        if name.startswith("Composed"):
            return Change(L1() if name in REGRESSORS else Logistic())
        return Change("l1" if name in REGRESSORS else other, {"regularization": 0.3})
    if name.startswith("Composed") and parameter == "budget":
        return Change(DropOldest(5))
    if name.startswith("NBSGD") and parameter == "maintenance_rate":
        return Change(1.0, {"budget": 5})
    return CHANGES[parameter]


@cache
def fitted_scores(name: str, settings: tuple[tuple[str, Any], ...]) -> np.ndarray:
    X, y = data_for(name, n_rows=120)
    return scores(make(name, **dict(settings)).fit(X, y), X)


CASES = [
    (name, parameter)
    for name in EVERY
    for parameter in make(name).get_params()
    if (name, parameter) not in NO_MODEL and parameter not in BESIDE_THE_MODEL
]


@pytest.mark.parametrize(("name", "parameter"), CASES)
def test_every_parameter_matters(name: str, parameter: str) -> None:
    change = change_of(name, parameter)
    known = make(name).get_params()
    setting = {key: value for key, value in change.setting.items() if key in known}
    settings = setting, setting | {parameter: change.value}
    if parameter in SEEN_IN_PARTS and name not in BATCH:
        X, y = data_for(name)
        before, after = (composition(make(name, **chosen), X, y) for chosen in settings)
        assert before != after, f"{parameter} does nothing in {name}"
        return
    before, after = (fitted_scores(name, tuple(chosen.items())) for chosen in settings)
    assert not np.array_equal(before, after), f"{parameter} does nothing in {name}"
