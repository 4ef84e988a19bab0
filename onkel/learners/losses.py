"""Losses by name, as flat parameters of estimators."""

from __future__ import annotations

from typing import Any

from onkel.balls import TargetBall, WholeSpace
from onkel.estimators.checks import check_number_of_classes, spread_of
from onkel.estimators.classifier import OnlineClassifier
from onkel.estimators.documentation import fitted
from onkel.estimators.online import FirstLook
from onkel.estimators.parameters import declared, parameter
from onkel.estimators.regressor import OnlineRegressor
from onkel.learners.shared import (
    MARGIN_LOSSES,
    RESIDUAL_LOSSES,
    dead_zone_parameter,
    margin_loss_parameter,
    residual_loss_parameter,
)
from onkel.losses import declares
from onkel.rules import DecreasingStep


@declared
class MarginLossClassifier(OnlineClassifier):
    """A classifier with a choice of losses."""

    loss: Any = margin_loss_parameter("hinge")
    tau: float = parameter(
        default=0.5,
        above=0,
        at_most=1,
        doc=r"""Width :math:`\tau` of the rounded part of ``loss="smooth_hinge"``.""",
    )
    theta: float = parameter(
        default=0.2,
        at_least=0,
        below=1,
        doc=r"""Half the width :math:`\theta` of the band around 1 in which ``loss="odm"`` costs nothing.""",
    )
    mu: float = parameter(
        default=0.5,
        above=0,
        at_most=1,
        doc=r"""Price :math:`\mu` of margins that are too large, relative to those that are too small, with
        ``loss="odm"``.""",
    )

    def _loss(self, look: FirstLook) -> Any:
        loss = self.loss
        if isinstance(loss, str):
            loss = loss_with_fields_of(self, MARGIN_LOSSES[loss])
        check_number_of_classes(self, loss)
        return loss

    def _auto_regularization(self, loss: Any, look: FirstLook, usual: float) -> float:
        return max(CURVED_LEAST, usual) if declares(loss, "curved") else usual

    def _ball(self, loss: Any, regularization: float) -> Any:
        return WholeSpace()


@declared
class ResidualLossRegressor(OnlineRegressor):
    """A regressor with a choice of losses."""

    loss: Any = residual_loss_parameter("epsilon_insensitive")
    epsilon: Any = parameter(
        default="auto",
        one_of=("auto",),
        at_least=0,
        doc=r"""Half the width :math:`\epsilon` of the tube of ``loss="epsilon_insensitive"``, in units of
        ``target_scale_`` if ``scale_targets``. ``"auto"`` is 0.1, or half the standard deviation of the targets given
        to ``fit``, or of the first 512 of a stream, where that is less.""",
    )
    dead_zone: float = dead_zone_parameter(0.0)

    epsilon_ = fitted(
        "float", "Half the width of the tube; there is none where ``loss`` is a part."
    )

    def _loss(self, look: FirstLook) -> Any:
        if not isinstance(self.loss, str):
            return self.loss
        epsilon = self.epsilon
        if epsilon == "auto":
            epsilon = min(LARGEST_TUBE, 0.5 * spread_of(look.targets))
        self.epsilon_ = float(epsilon)
        return loss_with_fields_of(self, RESIDUAL_LOSSES[self.loss], epsilon=self.epsilon_)

    def _auto_regularization(self, loss: Any, look: FirstLook, usual: float) -> float:
        """A loss of slope 1 makes steps 1/(lambda t) whatever the unit of the targets.

        These are taken into account, so that a model of dollars is that of thousands of dollars,
        times a thousand.
        """
        return usual / spread_of(look.targets) if declares(loss, "unit_slope") else usual

    def _ball(self, loss: Any, regularization: float) -> Any:
        """A curved loss needs the ball of its solution if it is not strongly regularised."""
        norm = declares(loss, "solution_norm")
        if norm is None or regularization > 1.0:
            return WholeSpace()
        return TargetBall(regularization / norm**2)


def loss_with_fields_of(learner: Any, loss: Any, **resolved: float) -> Any:
    """A loss of this kind, whose fields are parameters of the learner; ``resolved``: those that may be "auto"."""
    return loss(*(resolved.get(field, getattr(learner, field)) for field in loss._fields))


#: What "auto" takes a stream to be as long as, when nobody knows.
STREAM_ROWS = 50_000
#: The least "auto" of a loss that grows with the square of the margin: the first steps, 1/(lambda t), must
#: not be too long.
CURVED_LEAST = 0.3
#: "auto" for epsilon: this, or half the standard deviation of the targets where that is less.
LARGEST_TUBE = 0.1


def chosen_regularization(estimator: Any, loss: Any, look: FirstLook, strength: float) -> float:
    """The number given, or "auto": a strength divided by the number of rows, as the loss needs it.

    However many epochs: more passes lead on to the same solution, with ever smaller steps. (A lambda
    divided by the epochs would keep the last step as long as it was, and ask of a budget of vectors
    a model of larger norm than they can hold: what merging loses is as large as 1/lambda.)
    """
    if estimator.regularization != "auto":
        return float(estimator.regularization)
    rows = look.n_rows // estimator.epochs if look.complete else STREAM_ROWS
    return float(estimator._auto_regularization(loss, look, strength / rows))


def decreasing_step(estimator: Any, regularization: float) -> DecreasingStep:
    """Steps 1/(lambda t), delayed until none is longer than the first may be."""
    if estimator.first_step is None:
        return DecreasingStep(regularization)
    return DecreasingStep(regularization, 1.0 / (regularization * estimator.first_step))
