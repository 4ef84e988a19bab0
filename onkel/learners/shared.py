"""Parameters that several families declare, each with its own default, and their one documentation."""

from __future__ import annotations

from typing import Any

from onkel.estimators.parameters import parameter

MARGIN_LOSSES = ("hinge", "squared_hinge", "smooth_hinge", "logistic", "odm")
RESIDUAL_LOSSES = ("l1", "l2", "epsilon_insensitive")
A_LOSS = ("value", "slope")


def average_parameter(default: float) -> Any:
    """Which share of the iterates is averaged."""
    return parameter(
        default=default,
        one_of=(True, False),
        at_least=0,
        at_most=1,
        doc="""Share :math:`a` of the last iterates whose mean is the model that predicts: 0 (or False) takes the
        last iterate alone, 1 (or True) the mean of all. Learning itself goes on from the last iterate. In
        between, two means restart in turn: the one that predicts is over at least :math:`a` and at most
        :math:`1 - (1 - a)^2` of all iterates.""",
    )


def step_parameter(default: float, doc: str = "") -> Any:
    """The constant step of an online gradient descent."""
    return parameter(default=default, above=0, doc=doc or r"Step size :math:`\eta`.")


def auto_regularization_parameter(strength: str) -> Any:
    r"""The :math:`\lambda` of steps :math:`1/(\lambda t)`."""
    return parameter(
        default="auto",
        one_of=("auto",),
        above=0,
        doc=rf"""Strength :math:`\lambda` of the regularization; the steps are :math:`1/(\lambda t)`. ``"auto"`` is
        {strength} / (rows given to ``fit``), of a stream {strength} / 50,000. With a loss that grows with
        the square of the margin (``"squared_hinge"``, ``"odm"``) it is at least 0.3; with one whose slope does
        not follow the residual (``"l1"``, ``"epsilon_insensitive"``) it is divided by the standard deviation of
        the first targets.""",
    )


def residual_loss_parameter(default: str) -> Any:
    """The loss of a regressor."""
    return parameter(
        default=default,
        one_of=RESIDUAL_LOSSES,
        or_having=A_LOSS,
        doc=r"""Loss of the residual :math:`r = f(x) - y`: ``"l1"`` :math:`|r|`, ``"l2"`` :math:`r^2/2`,
        ``"epsilon_insensitive"`` :math:`\max(0, |r| - \epsilon)`; or a part, see :mod:`onkel.losses`.""",
    )


def tube_parameter() -> Any:
    """The tube of the learners that have no other loss."""
    return parameter(
        default=0.1,
        at_least=0,
        doc=r"Half the width :math:`\epsilon` of the tube in which there is no loss.",
    )


def dead_zone_parameter(default: float) -> Any:
    """Where a regressor does not learn."""
    return parameter(
        default=default,
        at_least=0,
        doc="There is no update while the absolute residual is at most this.",
    )
