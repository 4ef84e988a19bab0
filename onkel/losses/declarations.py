"""What a loss says of itself beside its value and slope: learners ask this, never for its type or name.

A loss declares by properties or class attributes. A user's loss that does not declare gets the usual
answer.
"""

from __future__ import annotations

from typing import Any

USUAL_ANSWERS: dict[str, Any] = {
    # What it is a function of: "margin", for classifiers, or "residual", for regressors; None: of either.
    "argument": None,
    # It grows with the square of its argument: its slope has no bound, so first steps must not be too long.
    "curved": False,
    # It punishes margins that are too large, which has no meaning between a class and its best rival.
    "needs_two_classes": False,
    # Its slope is -1, 0 or 1 however large the argument: steps do not follow the unit of the targets.
    "unit_slope": False,
    # The largest second derivative; None: it has a kink.
    "curvature": None,
    # The minimiser of lambda/2 |w|^2 + mean loss has |w| <= this * max |y| / sqrt(lambda); None: no bound is used.
    "solution_norm": None,
}


def declares(loss: Any, name: str) -> Any:
    """
    What a loss declares.

    Parameters
    ----------
    loss : part
        The loss, onkel's own or a user's.
    name : {"argument", "curved", "needs_two_classes", "unit_slope", "curvature", "solution_norm"}
        What is asked.

    Returns
    -------
    str, bool, float or None
        The loss' attribute of that name, or the usual answer where it has none.
    """
    return getattr(loss, name, USUAL_ANSWERS[name])
