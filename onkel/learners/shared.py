"""Parameters that several families declare, each with its own default, and their one documentation."""

from __future__ import annotations

from typing import Any

from onkel.estimators.parameters import parameter
from onkel.losses import (
    L1,
    L2,
    EpsilonInsensitive,
    Hinge,
    Logistic,
    Odm,
    SmoothHinge,
    SquaredHinge,
    declares,
)

#: Losses by name. Their fields are parameters of the learners, and the first lines of their docstrings
#: are what a learner's documentation says of them.
MARGIN_LOSSES: dict[str, Any] = {
    "hinge": Hinge,
    "squared_hinge": SquaredHinge,
    "smooth_hinge": SmoothHinge,
    "logistic": Logistic,
    "odm": Odm,
}
RESIDUAL_LOSSES: dict[str, Any] = {"l1": L1, "l2": L2, "epsilon_insensitive": EpsilonInsensitive}


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
        the square of the margin ({names_of(MARGIN_LOSSES, "curved")}) it is at least 0.3; with one whose slope does
        not follow the residual ({names_of(RESIDUAL_LOSSES, "unit_slope")}) it is divided by the standard deviation of
        the targets given to ``fit``, or of the first 512 of a stream.""",
    )


def first_step_parameter() -> Any:
    r"""How long the first of the steps :math:`1/(\lambda t)` may be."""
    return parameter(
        default=1.0,
        one_of=(None,),
        above=0,
        doc=r"""Bound :math:`\eta_1` on the first steps: they are :math:`1/(\lambda (t + t_0))` with
        :math:`t_0 = 1/(\lambda \eta_1)`. Every instance keeps the same weight; the model only grows to its size
        from small. None is the rule of the papers, :math:`t_0 = 0`, whose first step is :math:`1/\lambda`.""",
    )


def names_of(losses: dict[str, Any], declaration: str) -> str:
    """Those of the losses that declare this, whatever their fields are."""
    made = {name: loss(*(0.5 for _ in loss._fields)) for name, loss in losses.items()}
    return ", ".join(f'``"{name}"``' for name, loss in made.items() if declares(loss, declaration))


def margin_loss_parameter(default: str) -> Any:
    """The loss of a classifier."""
    return _loss_parameter(default, MARGIN_LOSSES, "margin :math:`m`")


def residual_loss_parameter(default: str) -> Any:
    """The loss of a regressor."""
    return _loss_parameter(default, RESIDUAL_LOSSES, "residual :math:`r = f(x) - y`")


def _loss_parameter(default: str, losses: dict[str, Any], argument: str) -> Any:
    words = [f'``"{name}"`` {first_line(loss)}' for name, loss in losses.items()]
    return parameter(
        default=default,
        one_of=tuple(losses),
        or_having=("value", "slope"),
        doc=f"Loss of the {argument}: {'; '.join(words)}; or a part, see :mod:`onkel.losses`.",
    )


def first_line(part: Any) -> str:
    """What the docstring of a part begins with, as it stands within a sentence."""
    line = part.__doc__.partition("\n")[0].removesuffix(".")
    return line[:1].lower() + line[1:]


def tube_parameter(default: float) -> Any:
    """The tube of the learners that have no other loss."""
    return parameter(
        default=default,
        at_least=0,
        doc=r"""Half the width :math:`\epsilon` of the tube in which there is no loss, in units of ``target_scale_``
        if ``scale_targets``.""",
    )


def dead_zone_parameter(default: float) -> Any:
    """Where a regressor does not learn."""
    return parameter(
        default=default,
        at_least=0,
        doc="""There is no update while the absolute residual is at most this, in units of ``target_scale_`` if
        ``scale_targets``.""",
    )
