"""The usual candidates: learners and widths that serve most data."""

from __future__ import annotations

from typing import Any

from onkel.learners.fogd import FOGDClassifier, FOGDRegressor
from onkel.learners.ridge import NystromRidgeClassifier, NystromRidgeRegressor
from onkel.race.candidates import Candidate

#: Multiples of the race's gamma. The dear ones are few.
RIDGE_WIDTHS = (0.5, 2.0)
GRADIENT_WIDTHS = (1.0, 4.0, 16.0)
#: Landmarks of ridge regression: a row costs in proportion to their square.
LANDMARKS = 1200


def usual_classifiers(race: Any) -> list[Candidate]:
    """Ridge regression on landmarks, and gradient descent on Fourier features."""
    return [
        *ridge(race, NystromRidgeClassifier, "Nyström ridge"),
        *gradient(race, FOGDClassifier, "FOGD"),
    ]


def usual_regressors(race: Any) -> list[Candidate]:
    """The same for numbers."""
    return [
        *ridge(race, NystromRidgeRegressor, "Nyström ridge"),
        *gradient(race, FOGDRegressor, "FOGD"),
    ]


def ridge(race: Any, learner: Any, name: str) -> list[Candidate]:
    settings = {"n_components": LANDMARKS}
    return [candidate(race, learner, name, width, **settings) for width in RIDGE_WIDTHS]


def gradient(race: Any, learner: Any, name: str) -> list[Candidate]:
    return [candidate(race, learner, name, width) for width in GRADIENT_WIDTHS]


def candidate(race: Any, learner: Any, name: str, width: float, **settings: Any) -> Candidate:
    """A learner with a multiple of the race's gamma."""
    gamma = width * race.gamma_
    estimator = learner(kernel=race.kernel, gamma=gamma, intercept=race.intercept, **settings)
    params = {"learner": learner.__name__, "gamma": gamma, **settings}
    return Candidate(f"{name}, γ × {width:g}", estimator, params)
