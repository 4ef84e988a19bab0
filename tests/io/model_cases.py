"""The models that are kept as files: every public learner, every layout, and choices a file must remember."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

import onkel
from onkel.budgets import DropOldest, DropRandomUnbiased
from onkel.losses import L1, SmoothHinge, SquaredHinge
from onkel.rules import DecreasingStep, SampledGradient

ROWS, MORE_ROWS, PROBES = 60, 20, 8
SMALL: dict[str, Any] = {
    "gamma": 0.5,
    "budget": 12,
    "diameter": 0.8,
    "n_components": 10,
    "maintenance_rate": 20.0,
    "random_state": 0,
}


class Case(NamedTuple):
    """A learner, the parameters that matter here, and the rows it learns from."""

    learner: str
    changes: dict[str, Any] = {}  # noqa: RUF012
    layout: str = "dense"
    classes: int = 2
    rows: int = ROWS
    dtype: Any = np.float64


CASES: dict[str, Case] = {name: Case(name) for name in onkel.__all__} | {
    "composed_oldest": Case(
        "ComposedClassifier",
        {"loss": SmoothHinge(0.5), "rule": DecreasingStep(0.05), "budget": DropOldest(9)},
    ),
    "composed_unbiased": Case(
        "ComposedRegressor",
        {"loss": L1(0.0), "budget": DropRandomUnbiased(9, 5.0), "average": True},
    ),
    "composed_sampled": Case("ComposedClassifier", {"rule": SampledGradient(0.1, 2.0)}),
    "avm_average_all": Case("AVMClassifier", {"average": True}),
    "avm_average_none": Case("AVMClassifier", {"average": False}),
    "avm_boxes": Case("AVMClassifier", {"cells": "box", "loss": "logistic"}),
    "avm_capped": Case("AVMClassifier", {"max_cores": 8, "at_cap": "drop", "exact_rate": 0.2}),
    "avm_csr": Case("AVMClassifier", layout="csr"),
    "avm_hollow": Case("AVMClassifier", {"diameter": 1.5}, "hollow"),
    "avm_three_classes": Case("AVMClassifier", classes=3),
    "avm_wide": Case("AVMClassifier", {"diameter": 1.5}, "wide"),
    "bogd_polynomial": Case("BOGDClassifier", {"kernel": "polynomial", "degree": 2, "coef0": 1.0}),
    "bsgd_average_none": Case("BSGDClassifier", {"average": False}),
    "bsgd_csr": Case("BSGDClassifier", layout="csr"),
    "bsgd_hollow": Case("BSGDRegressor", layout="hollow"),
    "bsgd_neighbours": Case("BSGDClassifier", {"maintenance": "projection", "neighbors": 3}),
    "bsgd_loss_as_a_part": Case(
        "BSGDClassifier",
        {"loss": SquaredHinge(), "regularization": 0.3, "maintenance": "removal"},
    ),
    "bsgd_projection": Case("BSGDClassifier", {"maintenance": "projection", "neighbors": None}),
    "bsgd_single_precision": Case("BSGDClassifier", dtype=np.float32),
    "bsgd_three_classes": Case("BSGDClassifier", classes=3),
    "bsgd_wide": Case("BSGDClassifier", layout="wide"),
    "csvrg_csr": Case("CSVRGClassifier", layout="csr", classes=3),
    "fogd_csr": Case("FOGDClassifier", layout="csr"),
    "fogd_hollow": Case("FOGDClassifier", layout="hollow"),
    "fogd_laplacian": Case("FOGDClassifier", {"kernel": "laplacian", "average": False}),
    "fogd_orthogonal": Case("FOGDClassifier", {"orthogonal": True}, classes=3),
    "fogd_wide": Case("FOGDRegressor", layout="wide"),
    "fourier_ridge_csr": Case("FourierRidgeClassifier", layout="csr", classes=3),
    "fourier_ridge_forgets": Case("FourierRidgeRegressor", {"half_life": 50.0}, dtype=np.float32),
    "llsvm_three_classes": Case("LLSVMClassifier", classes=3),
    "nogd_average_all": Case("NOGDClassifier", {"average": True}),
    "nogd_before_its_budget_is_full": Case("NOGDClassifier", {"budget": 70}),
    "nogd_csr": Case("NOGDClassifier", layout="csr"),
    "nogd_fills_its_budget_later": Case("NOGDClassifier", {"budget": 25}, rows=20),
    "nogd_three_classes": Case("NOGDClassifier", classes=3),
    "nogd_wide": Case("NOGDClassifier", layout="wide"),
    "nystrom_ridge_given_landmarks": Case("NystromRidgeRegressor", {"landmarks": np.eye(3)}),
    "nystrom_ridge_wide": Case("NystromRidgeClassifier", {"kernel": "linear"}, layout="wide"),
    "ogd_hollow": Case("OGDClassifier", layout="hollow"),
    "ogd_laplacian": Case("OGDClassifier", {"kernel": "laplacian"}),
    "ogd_linear": Case("OGDRegressor", {"kernel": "linear"}),
    "projectron_csr": Case("ProjectronClassifier", layout="csr", classes=3),
    "rbp_wide": Case("RBPClassifier", layout="wide"),
    "spa_three_classes": Case("SPAClassifier", classes=3),
}


def make(case: Case) -> Any:
    """The learner that has learned nothing."""
    model = getattr(onkel, case.learner)()
    small = {key: value for key, value in SMALL.items() if key in model.get_params()}
    if case.learner.startswith("Composed"):
        del small["budget"]
    return model.set_params(**small | case.changes)


def data_for(case: Case) -> tuple[Any, np.ndarray]:
    """Rows to learn first, then those to learn after loading, then those to score; and targets."""
    n = case.rows + MORE_ROWS + PROBES
    random = np.random.default_rng(7)
    X = random.uniform(-2, 2, size=(n, 3)).round(3)
    y = (np.sin(2 * X[:, 0]) + 0.3 * X[:, 1]).round(3)
    if case.learner.endswith("Classifier"):
        y = np.digitize(y, [0.0] if case.classes == 2 else [-0.5, 0.5])
        y = np.array(["no", "so", "yes"])[y] if case.classes == 3 else y
    return arranged(X.astype(case.dtype), case.layout, random), y


def arranged(X: np.ndarray, layout: str, random: np.random.Generator) -> Any:
    """The rows as dense, hollow, sparse, or sparse of many features."""
    if layout == "dense":
        return X
    width = {"csr": 5, "hollow": 34, "wide": 1100}[layout]
    few = X * (random.random(X.shape) < 0.8)
    columns = np.broadcast_to([0, width // 2, width - 1], X.shape).ravel()
    rows = np.repeat(np.arange(len(X)), 3)
    spread = sparse.csr_matrix((few.ravel(), (rows, columns)), shape=(len(X), width))
    spread.eliminate_zeros()
    return spread.toarray() if layout == "hollow" else spread
