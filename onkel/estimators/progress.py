"""What a learner tells of its way so far."""

from __future__ import annotations

from typing import NamedTuple


class Progress(NamedTuple):
    """What the predictions before each update scored, over everything seen."""

    seen: int
    mistakes: int  # of a regressor: 0
    mistake_rate: float
    loss: float  # mean
    squared_error: float  # mean; of a classifier: of its margins
