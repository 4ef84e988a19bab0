"""Losses by name, as flat parameters of estimators."""

from __future__ import annotations

from typing import Any

import numpy as np

from onkel.balls import TargetBall, WholeSpace
from onkel.estimators.online import FirstLook, OnlineClassifier, OnlineRegressor
from onkel.estimators.parameters import declared, parameter
from onkel.losses import (
    L1,
    L2,
    EpsilonInsensitive,
    Hinge,
    Logistic,
    Odm,
    SmoothHinge,
    SquaredHinge,
)

MARGIN_LOSSES = ("hinge", "squared_hinge", "smooth_hinge", "logistic", "odm")
RESIDUAL_LOSSES = ("l1", "l2", "epsilon_insensitive")
A_LOSS = ("value", "slope")


@declared
class MarginLossClassifier(OnlineClassifier):
    """A classifier with a choice of losses."""

    loss: Any = parameter(default="hinge", one_of=MARGIN_LOSSES, or_having=A_LOSS)
    tau: float = parameter(default=0.5, above=0, at_most=1)
    theta: float = parameter(default=0.2, at_least=0, below=1)
    mu: float = parameter(default=0.5, above=0, at_most=1)

    def _loss(self, look: FirstLook) -> Any:
        if not isinstance(self.loss, str):
            return self.loss
        if self.loss == "odm" and len(self.classes_) > 2:
            raise ValueError(
                f"loss='odm' is for two classes, got {len(self.classes_)}: use CSVRGClassifier, "
                f"or wrap this classifier in sklearn.multiclass.OneVsRestClassifier."
            )
        made = {
            "hinge": Hinge(),
            "squared_hinge": SquaredHinge(),
            "smooth_hinge": SmoothHinge(self.tau),
            "logistic": Logistic(),
            "odm": Odm(self.theta, self.mu),
        }
        return made[self.loss]


@declared
class ResidualLossRegressor(OnlineRegressor):
    """A regressor with a choice of losses."""

    loss: Any = parameter(default="epsilon_insensitive", one_of=RESIDUAL_LOSSES, or_having=A_LOSS)
    epsilon: Any = parameter(default="auto", one_of=("auto",), at_least=0)
    dead_zone: float = parameter(default=0.0, at_least=0)

    def _loss(self, look: FirstLook) -> Any:
        if not isinstance(self.loss, str):
            return self.loss
        epsilon = self.epsilon
        if epsilon == "auto":
            epsilon = min(LARGEST_TUBE, 0.5 * spread_of(look.targets))
        self.epsilon_ = float(epsilon)
        made = {
            "l1": L1(self.dead_zone),
            "l2": L2(self.dead_zone),
            "epsilon_insensitive": EpsilonInsensitive(self.epsilon_, self.dead_zone),
        }
        return made[self.loss]


def solution_ball(loss: Any, regularization: float) -> Any:
    """The squared loss needs its ball if it is not strongly regularised; others do without."""
    needs = isinstance(loss, L2) and regularization <= 1.0
    return TargetBall(regularization) if needs else WholeSpace()


#: What "auto" takes a stream to be as long as, when nobody knows.
STREAM_ROWS = 50_000
#: Losses that grow with the square of the margin: the first steps, 1/(lambda t), must not be too long.
CURVED, CURVED_LEAST = ("squared_hinge", "odm"), 0.3
#: Losses of a residual whose slope does not follow its size.
UNIT_SLOPE = ("l1", "epsilon_insensitive")
#: "auto" for epsilon: this, or half the standard deviation of the targets where that is less.
LARGEST_TUBE = 0.1
#: Targets that differ by less, relative to the largest, are taken for equal.
SAME_TARGETS = 1e-12


def chosen_regularization(estimator: Any, look: FirstLook, strength: float) -> float:
    """The number given, or "auto": a strength divided by the rows that will be learned.

    A loss of slope 1 makes steps 1/(lambda t) whatever the unit of the targets: these are taken into
    account, so that a model of dollars is that of thousands of dollars, times a thousand.
    """
    if estimator.regularization != "auto":
        return float(estimator.regularization)
    rows = look.n_rows if look.complete else max(STREAM_ROWS, look.n_rows)
    if estimator.loss in CURVED:
        return max(CURVED_LEAST, strength / rows)
    if estimator.loss in UNIT_SLOPE:
        strength /= spread_of(look.targets)
    return strength / rows


def spread_of(targets: np.ndarray) -> float:
    """The standard deviation; of equal targets their size, or 1."""
    largest = float(np.abs(targets).max(initial=0.0))
    if largest == 0.0:
        return 1.0
    spread = float(np.std(targets / largest))  # of squares none overflows, nor is lost
    return largest * (spread if spread > SAME_TARGETS else 1.0)
