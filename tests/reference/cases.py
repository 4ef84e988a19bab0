"""Reference room: small streams in the plane, and every twin with settings that suit them."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tests.reference import losses
from tests.reference.avm import AVM
from tests.reference.base import Array, Twin
from tests.reference.bsgd import BSGD, NBSGD
from tests.reference.functional import FOGD, NOGD
from tests.reference.online_gradient import BOGD, NORMA, OGD
from tests.reference.passive_aggressive import BPAS, PassiveAggressive
from tests.reference.perceptrons import RBP, Forgetron, Perceptron, Projectron, ProjectronPlusPlus
from tests.reference.sampled import OSKL, SPA
from tests.reference.sgd import SGD

GAMMA = 2.0
BUDGET = 12
OUTPUTS = {"binary": 1, "multiclass": 3, "regression": 1}
TASKS = list(OUTPUTS)
Stream = tuple[Array, NDArray[Any], Array]  # rows, targets, draws
T = TypeVar("T", bound=Twin)


def rbf(x: Array, v: Array) -> float:
    return float(np.exp(-GAMMA * np.sum((x - v) ** 2)))


def stream(task: str, n: int = 60, seed: int = 0) -> Stream:
    """Rows, targets and draws: XOR blobs, six blobs of three classes in turn, a wave."""
    rng = np.random.default_rng(seed)
    draws = np.hstack([rng.random((n, 2)), np.random.default_rng((seed, 1)).random((n, 2))])
    if task == "regression":
        X = rng.uniform(-1.0, 1.0, (n, 2))
        return X, np.sin(3.0 * X[:, 0]) * X[:, 1] + 0.5, draws
    n_blobs = 4 if task == "binary" else 6
    blob = rng.integers(0, n_blobs, n)
    angle = 2.0 * np.pi * blob / n_blobs
    X = np.stack([np.cos(angle), np.sin(angle)], axis=1) + 0.15 * rng.standard_normal((n, 2))
    return X, (2.0 * (blob % 2) - 1.0 if task == "binary" else (blob % 3).astype(float)), draws


def overlapping(task: str, n: int = 60, seed: int = 0) -> Stream:
    """The rows of the wave for every task: classes that touch, so that errors never end."""
    X, wave, draws = stream("regression", n, seed)
    if task == "binary":
        return X, np.where(wave > 0.5, 1.0, -1.0), draws
    return X, (np.digitize(wave, [0.3, 0.7]) * 1.0 if task == "multiclass" else wave), draws


def fed(twin: T, data: Stream) -> T:
    """The twin, after the whole stream."""
    for x, target, draw in zip(*data, strict=True):
        twin.learn(x, target, draw)
    return twin


def build(kind: type[T], task: str, loss: Any = None, **options: Any) -> T:
    """A twin with the rbf kernel and the usual loss of its task."""
    if loss is None:
        loss = losses.l2() if task == "regression" else losses.hinge()
    return kind(task, OUTPUTS[task], rbf, loss, **options)


def curve(twin: Twin, data: Stream, probe: Array) -> Array:
    """Scores of the last model at the probe rows, after every instance: (n, rows, C)."""
    rows = []
    for x, target, draw in zip(*data, strict=True):
        twin.learn(x, target, draw)
        rows.append([twin.scores(p) for p in probe])
    return np.array(rows)


def same_curve(left: Twin, right: Twin, task: str, data: Stream | None = None) -> None:
    data = stream(task) if data is None else data
    probe = stream(task, 8, seed=9)[0]
    expected = curve(right, data, probe)
    assert np.abs(expected).max() > 1e-3
    np.testing.assert_allclose(curve(left, data, probe), expected, rtol=0, atol=1e-7)


U = np.random.default_rng(5).normal(0.0, np.sqrt(2.0 * GAMMA), (200, 2))
INSENSITIVE: dict[str, Any] = {"regression_loss": losses.epsilon_insensitive(0.1)}
MARGIN = {"regularization": 0.01}
# a step of 1 / (0.01 t) on the l2 loss overshoots without end
GENTLE = {"binary": 0.01, "multiclass": 0.01, "regression": 0.5}
LEARNERS: dict[str, tuple[type[Twin], dict[str, Any]]] = {
    "sgd": (SGD, MARGIN),
    "pegasos": (SGD, {**MARGIN, "project": True}),
    "removal": (BSGD, {**MARGIN, "budget": BUDGET}),
    "projection": (BSGD, {**MARGIN, "budget": BUDGET, "maintenance": "projection"}),
    "neighbors": (
        BSGD,
        {**MARGIN, "budget": BUDGET, "maintenance": "projection", "neighbors": 4},
    ),
    "merging": (BSGD, {**MARGIN, "budget": BUDGET, "maintenance": "merging", "gamma": GAMMA}),
    "nbsgd": (NBSGD, {**MARGIN, "budget": BUDGET, "maintenance_rate": 30.0}),
    "avm": (AVM, {**MARGIN, "diameter": 0.6}),
    "avm box": (AVM, {**MARGIN, "diameter": 0.6, "cells": "box", "exact_rate": 2.0}),
    "perceptron": (Perceptron, {"step": 0.1, "dead_zone": 0.1}),
    "rbp": (RBP, {"budget": BUDGET, "step": 0.1, "dead_zone": 0.1}),
    "forgetron": (Forgetron, {"budget": BUDGET, "step": 0.1, "dead_zone": 0.1}),
    "projectron": (Projectron, {"budget": BUDGET, "step": 0.1, "dead_zone": 0.1}),
    "projectron++": (ProjectronPlusPlus, {"budget": BUDGET}),
    "ogd": (OGD, {"step": 0.3, "dead_zone": 0.01}),
    "norma": (NORMA, {"step": 0.1, "nu": 0.4, "regularization": 0.01, "budget": BUDGET}),
    "bogd": (BOGD, {"step": 0.3, "budget": BUDGET, "regularization": 0.01}),
    "pa": (PassiveAggressive, {"aggressiveness": 1.0, **INSENSITIVE}),
    "bpas": (BPAS, {"aggressiveness": 1.0, "budget": BUDGET, **INSENSITIVE}),
    "spa": (SPA, {"step": 1.0, "alpha": 1.0, "beta": 2.0, "average": False, **INSENSITIVE}),
    "oskl": (OSKL, {"step": 0.3, "slope_bound": 2.0, "average": False}),
    "fogd": (FOGD, {"step": 0.3, "directions": U}),
    "nogd": (NOGD, {"step": 0.3, "budget": BUDGET, "n_components": 8}),
}
BOUNDED = [name for name, (_, o) in LEARNERS.items() if "budget" in o and name != "nbsgd"]


def named(name: str, task: str, **more: Any) -> Twin:
    kind, options = LEARNERS[name]
    options = {**options, **more}
    regression_loss = options.pop("regression_loss", None)
    loss = regression_loss if task == "regression" else None
    if task == "regression" and issubclass(kind, SGD):
        options |= {"l2_ball": True, "regularization": GENTLE[task]}
    return build(kind, task, loss, **options)
