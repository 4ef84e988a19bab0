"""What a learner tells of its way so far."""

from __future__ import annotations

from typing import NamedTuple


class Progress(NamedTuple):
    """What the predictions before each update scored, over everything seen.

    Parameters
    ----------
    seen : int
        Instances seen.
    mistakes : int
        Wrong labels among the predictions; of a regressor 0.
    mistake_rate : float
        Their share.
    loss : float
        The mean loss.
    squared_error : float
        The mean of the squared residuals :math:`f(x) - y`. Of a classifier, which has none, it is the
        mean of the squared margins: large where scores are large, whether they are right or wrong.
    """

    seen: int
    mistakes: int
    mistake_rate: float
    loss: float
    squared_error: float
