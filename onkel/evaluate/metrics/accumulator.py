"""What every metric is: it takes answers in any chunks, and tells its value at any time.

The value depends on the rows and their order alone: sums run row by row, so that other chunks give
the same number to the last digit.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from onkel.evaluate.metrics.answers import Answers


class Accumulator:
    """One metric over all rows so far, in bounded memory.

    Every metric is made from the number of classes (0 for regression) and, as the second argument, the
    number of rows that it must be exact for, if that matters.
    """

    #: Whether its value takes a while to work out, so that it shouldn't be asked for all the time.
    slow: ClassVar[bool] = False

    def __init__(self, n_classes: int = 0, exact_rows: int | None = None) -> None:
        pass

    def update(self, answers: Answers) -> None:
        """Take more rows."""
        raise NotImplementedError

    def grow(self, places: NDArray[np.intp], n_classes: int) -> None:
        """There are so many classes from now on; those before are at these places among them."""

    def value(self) -> float:
        """The metric over all rows so far; nan where it isn't defined."""
        raise NotImplementedError

    def state(self) -> dict[str, Any]:
        """Everything it knows, as JSON can hold it."""
        return {name: _plain(value) for name, value in vars(self).items()}

    def restore(self, state: dict[str, Any]) -> Self:
        """Go on from a state: of the same metric, made with the same parameters."""
        for name, now in vars(self).items():
            vars(self)[name] = _as_before(now, state[name])
        return self


def running_sum(start: float, values: NDArray[Any]) -> float:
    """The sum, one value after the other from `start` on: the same in any chunks.

    >>> running_sum(running_sum(0.1, np.array([0.2])), np.array([0.3])) == running_sum(0.1, np.array([0.2, 0.3]))
    True
    """
    return float(np.add.accumulate(np.concatenate([[start], values]))[-1])


def _plain(value: Any) -> Any:
    if isinstance(value, Accumulator):
        return value.state()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value


def _as_before(now: Any, kept: Any) -> Any:
    if isinstance(now, Accumulator):
        return now.restore(kept)
    if isinstance(now, np.ndarray):
        return np.array(kept, now.dtype).reshape(len(kept), *now.shape[1:])
    if isinstance(now, list) and now and isinstance(now[0], Accumulator):
        return [one.restore(state) for one, state in zip(now, kept)]
    return kept
