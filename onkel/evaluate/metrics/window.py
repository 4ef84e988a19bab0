"""The last rows of a stream, and no more than a chunk besides."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from onkel.evaluate.metrics.answers import Answers, joined


class Window:
    """Keeps the answers for the last `rows` rows, in order.

    >>> import numpy as np
    >>> window = Window(3)
    >>> for chunk in ([1, 2], [3], [4, 5]):
    ...     window.add(Answers(np.array(chunk), np.array(chunk)))
    >>> window.answers().truth.tolist()
    [3, 4, 5]
    """

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self._kept = 0
        self._chunks: deque[Answers] = deque()

    def add(self, answers: Answers) -> None:
        """Take more rows; the oldest go."""
        self._chunks.append(answers)
        self._kept += answers.rows
        while self._kept - self._chunks[0].rows >= self.rows:
            self._kept -= self._chunks.popleft().rows

    def grow(self, places: NDArray[np.intp], n_classes: int) -> None:
        """Number the classes anew: there are so many, and those before are at these places."""
        self._chunks = deque(chunk.among(places, n_classes) for chunk in self._chunks)

    def answers(self) -> Answers | None:
        """The last rows, the oldest first; None before there were any."""
        if not self._kept:
            return None
        last = joined(list(self._chunks)).part(max(0, self._kept - self.rows), self._kept)
        self._chunks, self._kept = deque([last]), last.rows
        return last
