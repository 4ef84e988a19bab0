"""NBSGD against table 3 of its paper: percent of errors on held-out rows after a single pass.

Hinge loss, removal, beta = 0.6·n, the last model. gamma and lambda·n were chosen from the paper's
grid (2^-8, 2^-4, 1, 2^4, 2^10) by its 5-fold cross-validation on the training rows, with B = 0.1·n,
the default of the authors' program. The grid is read as one of lambda·n: read as printed, of
lambda, its best settings leave every row short of its margin, and NBSGD ends with 5,700 and 6,100
vectors on a9a and ijcnn1 where the table has 3,559 and 759. Two shortcuts: settings below 80 % after
two folds were given up, and gamma < 1 was left out on ijcnn1. The table has no deviations for
these rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onkel import NBSGDClassifier
from onkel.datasets import load
from onkel.reproduce.engine import rules_of_the_papers
from tests.fidelity.table import Figure, compare

RUNS = 5
SPLIT = 35_000  # rows of ijcnn1 that the paper trains on, of 49,990


def held_out(model: Any, learn: tuple, test: tuple) -> tuple[float, float]:
    """Percent of errors on the rows `test`, and the size of the model."""
    model.fit(*learn)
    return 100 - 100 * model.score(*test), model.n_support_


def nbsgd(rows: int, gamma: float, strength: float, budget: int, seed: int) -> NBSGDClassifier:
    return NBSGDClassifier(
        **rules_of_the_papers("NBSGDClassifier"),
        loss="hinge",
        gamma=gamma,
        regularization=strength / rows,
        budget=budget,
        maintenance="removal",
        maintenance_rate="auto",
        average=False,
        random_state=seed,
    )


@pytest.mark.data("a9a")
def test_a9a() -> None:
    """The paper does not state B: 2,270 was chosen to give its number of vectors, so that this
    second figure only checks the growth beyond B (the program's 0.1·n ends at 4,550 vectors with
    16.2 % errors).
    """
    learn, test = load("a9a", "train"), load("a9a", "test")
    learn, test = [(X.astype(np.float32), y) for X, y in (learn, test)]
    runs = [held_out(nbsgd(32_561, 2**-4, 2**4, 2_270, s), learn, test) for s in range(RUNS)]
    errors, size = np.mean(runs, axis=0)
    compare(
        "NBSGD table 3, a9a",
        [Figure("NBSGD", errors, 100 - 83.6), Figure("vectors, B fitted", size, 3_559)],
    )


def split(seed: int) -> tuple[tuple, tuple]:
    """The training file of ijcnn1 cut at random into the paper's 35,000 rows and the others."""
    X, y = load("ijcnn1", "train")
    X = X.toarray().astype(np.float32)
    learn, test = np.split(np.random.default_rng(seed).permutation(len(y)), [SPLIT])
    return (X[learn], y[learn]), (X[test], y[test])


@pytest.mark.data("ijcnn1")
def test_ijcnn1_held_out_at_random() -> None:
    """The paper does not say which rows it tests on. Rows held out at random give its accuracy.

    Its 759 vectors could not be had together with it: of the settings tried, those that end near
    759 (B = 300 or 450) err on 6 % or more, and where the budget never fills, a pass that reaches
    97 % has met more than 1,500 margin errors.
    """
    runs = [held_out(nbsgd(SPLIT, 2**4, 2**-4, SPLIT // 10, s), *split(s)) for s in range(RUNS)]
    errors, size = np.mean(runs, axis=0)
    compare(
        "NBSGD table 3, ijcnn1, rows held out at random",
        [
            Figure("NBSGD", errors, 100 - 97.3),
            Figure("NBSGD, vectors", size, 759, found=2_770),
        ],
    )


@pytest.mark.data("ijcnn1")
def test_ijcnn1_test_file() -> None:
    """On the set's own test rows, which are distributed otherwise, the same machine does worse: so
    they can hardly be what the paper tested on.
    """
    (X, y), (X_test, y_test) = load("ijcnn1", "train"), load("ijcnn1", "test")
    learn = X[:SPLIT].toarray().astype(np.float32), y[:SPLIT]
    test = X_test.toarray().astype(np.float32), y_test
    runs = [held_out(nbsgd(SPLIT, 2**4, 2**-4, SPLIT // 10, s), learn, test) for s in range(RUNS)]
    errors, _ = np.mean(runs, axis=0)
    compare(
        "NBSGD table 3, ijcnn1, its test file",
        [Figure("NBSGD", errors, 100 - 97.3, found=4.25)],
    )
