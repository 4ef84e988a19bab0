"""SPA and its competitors against table 2 of the SPA paper: its gaussian stream of a million rows.

gamma = 0.4; SPA with alpha = 0.5 and beta = 200, which keeps about 1,100 vectors, the budget of the
others. The table prints accuracies; here they are percents of mistakes. As in the paper the steps
of SPA, OSKL and BOGD are chosen from 10^-3 .. 10^3, and C of BPA-S from 0.25, 0.5, 1, 2, by the
mistakes on one order of the rows (BOGD and BPA-S: of its first 200,000). No labelling can err on
less than 19.56 %.
"""

from __future__ import annotations

import functools

import numpy as np

from onkel import (
    BOGDClassifier,
    BPASClassifier,
    ForgetronClassifier,
    OSKLClassifier,
    RBPClassifier,
    SPAClassifier,
)
from onkel.datasets import gaussian_mixture
from tests.fidelity.table import Figure, compare, online

GAMMA = 0.4
BUDGET = 1100
ROWS = 1_000_000
SUBSAMPLE = 200_000  # for learners whose rate has settled by then


@functools.cache
def stream() -> tuple:
    X, y = gaussian_mixture(ROWS, random_state=0)
    return X.astype(np.float32), y


def mistakes(learner: type, rows: int = ROWS, runs: int = 1, **settings: float) -> float:
    X, y = stream()
    return online(learner, X[:rows], y[:rows], runs, gamma=GAMMA, **settings)[0]


def test_sampling_learners() -> None:
    """Both with the running average; G of OSKL so that it keeps as many vectors as SPA."""
    X, y = stream()
    spa = {"gamma": GAMMA, "loss_cap": 0.5, "sampling": 200.0, "step": 1e-3, "average": True}
    oskl = {"gamma": GAMMA, "sampling": 400.0, "step": 1e-3, "average": True}
    spa_mistakes, spa_size = online(SPAClassifier, X, y, runs=3, **spa)
    oskl_mistakes, oskl_size = online(OSKLClassifier, X, y, runs=2, **oskl)
    compare(
        "SPA table 2, gaussian",
        [
            Figure("SPA", spa_mistakes, 100 - 79.82, 0.15),
            Figure("SPA, vectors", spa_size, 1100),
            Figure("OSKL", oskl_mistakes, 100 - 79.56, 0.24),
            Figure("OSKL, vectors", oskl_size, 1112),
        ],
    )


def test_budgeted_learners() -> None:
    """BPA-S: the paper says that C was chosen from its grid, but 23.91 % is what C = 1 gives (the
    value that the authors' LSOKL program carries). The best of the grid, 0.25, gives 20 % here, and
    the paper's PA-I row looks like C = 0.5 (21.05 % mistakes, 47.3 % of the rows kept; ours 20.9 %
    and 47.3 % of 50,000 rows), so its choice of C is not that of the least mistakes. The first row
    is the tuned figure, which does not match; C of the second was picked because it does.
    BOGD: lambda is not stated; 1/n² as in the authors' LSOKL program.
    """
    tuned = mistakes(BPASClassifier, SUBSAMPLE, budget=BUDGET, C=0.25)
    bogd = mistakes(
        BOGDClassifier, budget=BUDGET, step=1e-2, regularization=1 / ROWS**2, average=False
    )
    # BPA-S grows worse for long (23.5 % after 200,000 rows): only the whole stream compares.
    compare(
        "SPA table 2, gaussian, B = 1100",
        [
            Figure("BPA-S, C tuned", tuned, 100 - 76.09, 0.04, found=20.0),
            Figure(
                "BPA-S, C = 1", mistakes(BPASClassifier, budget=BUDGET, C=1.0), 100 - 76.09, 0.04
            ),
            Figure("BOGD", bogd, 100 - 79.21, 0.01),
            Figure("RBP", mistakes(RBPClassifier, budget=BUDGET), 100 - 72.87, 0.52),
            Figure(
                "Forgetron",
                mistakes(ForgetronClassifier, SUBSAMPLE, budget=BUDGET),
                100 - 72.94,
                0.03,
            ),
        ],
    )
