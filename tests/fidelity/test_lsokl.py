"""FOGD, NOGD and their competitors against table 5 of the LSOKL paper: percent of mistakes, online.

Training and test rows together; gamma = 1/128 (sigma = 8), B = 100, D = 4B, k = 0.2B. The steps are
those of the authors' program (its 0.002 for FOGD is on features without our 1/sqrt(D), so times D);
the paper tunes nothing else. Projectron and Projectron++ project only once the budget is full
(the paper gives no tolerance: 0 here; 0.1 does the same on a9a, and 0.3 points worse on ijcnn1).

Always guessing the larger class errs on 23.9 % of a9a and 9.57 % of ijcnn1: of the two figures of
ijcnn1 only FOGD's says that something was learned, and so it is held to that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onkel import (
    BOGDClassifier,
    BPASClassifier,
    FOGDClassifier,
    ForgetronClassifier,
    KernelPerceptronClassifier,
    NOGDClassifier,
    OGDClassifier,
    ProjectronClassifier,
    ProjectronPPClassifier,
    RBPClassifier,
)
from onkel.datasets import load
from tests.fidelity.table import Figure, compare, online

GAMMA = 1 / (2 * 8**2)
BUDGET = 100
FOGD: dict[str, Any] = {
    "n_components": 4 * BUDGET,
    "step": 0.002 * 4 * BUDGET,
    "gamma": GAMMA,
    "average": False,
}
NOGD: dict[str, Any] = {
    "budget": BUDGET,
    "rank": 20,
    "step": 0.2,
    "gamma": GAMMA,
    "average": False,
    "loss": "hinge",
}


def rows(name: str) -> tuple:
    X, y = load(name, "all")
    return (X if name == "a9a" else X.toarray()).astype(np.float32), y


@pytest.mark.data("a9a")
def test_fogd_and_nogd_on_a9a() -> None:
    X, y = rows("a9a")
    compare(
        "LSOKL table 5, a9a",
        [
            Figure("FOGD", online(FOGDClassifier, X, y, **FOGD)[0], 17.4, 0.1),
            Figure("NOGD", online(NOGDClassifier, X, y, **NOGD)[0], 17.4, 0.2),
        ],
    )


@pytest.mark.data("ijcnn1")
def test_fogd_and_nogd_on_ijcnn1() -> None:
    X, y = rows("ijcnn1")
    fogd = online(FOGDClassifier, X, y, **FOGD)[0]
    nogd = online(NOGDClassifier, X, y, **NOGD)[0]
    compare(
        "LSOKL table 5, ijcnn1",
        [Figure("FOGD", fogd, 9.06, 0.05), Figure("NOGD", nogd, 9.55, 0.01)],
    )
    assert fogd < 9.57 - 0.3  # better than the constant guess, which is all that NOGD achieves


@pytest.mark.data("a9a")
def test_unbounded_competitors_on_a9a() -> None:
    X, y = rows("a9a")
    perceptron = online(KernelPerceptronClassifier, X, y, runs=1, gamma=GAMMA, average=0)[0]
    ogd = online(OGDClassifier, X, y, runs=1, gamma=GAMMA, step=0.2, average=False)[0]
    compare(
        "LSOKL table 5, a9a, no budget",
        [Figure("Perceptron", perceptron, 20.9, 0.1), Figure("OGD", ogd, 16.3, 0.1)],
    )


@pytest.mark.data("a9a")
def test_budgeted_competitors_on_a9a() -> None:
    """Forgetron: the authors' program takes the wrong root where a < 0 and so "shrinks" by factors
    above 1. With that root one order of the rows gives 28.3 %, within the paper's spread; the
    right one is worse here.
    """
    X, y = rows("a9a")

    def mistakes(learner: type, **settings: Any) -> float:
        return online(learner, X, y, gamma=GAMMA, budget=BUDGET, **settings)[0]

    bogd = mistakes(BOGDClassifier, step=0.2, regularization=1 / len(y) ** 2, average=False)
    compare(
        "LSOKL table 5, a9a, B = 100",
        [
            Figure("RBP", mistakes(RBPClassifier), 27.1, 0.2),
            Figure("Forgetron", mistakes(ForgetronClassifier), 27.8, 0.4),
            Figure("Projectron", mistakes(ProjectronClassifier, tolerance=0.0), 21.6, 1.9),
            Figure("Projectron++", mistakes(ProjectronPPClassifier, tolerance=0.0), 18.6, 0.5),
            Figure("BPA-S", mistakes(BPASClassifier, C=1.0), 21.1, 0.2),
            Figure("BOGD", bogd, 27.9, 0.2),
        ],
    )
