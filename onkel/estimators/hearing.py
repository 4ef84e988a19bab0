"""What an online learner would have said of each row just before it learned it, for who wants to judge it.

It scores every row anyway. What it makes of scores, probabilities or intervals, is calibrated as it goes; who listens
follows that, and judges a row by what was known at the last of certain places: these are up to 1024 rows
apart, and the same whatever chunks the rows come in.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from onkel.engine.machine import NO_TRACE

#: Attribute of a learner that is listened to; gone when nobody listens.
LISTENER = "_listener"
#: Rows between two places where the calibration is looked at: a quarter of those so far, within these limits.
NEAREST, FARTHEST = 16, 1024


class Heard(NamedTuple):
    """What was said of rows, in the order of learning; None for what the learner doesn't say."""

    scores: np.ndarray  # (rows, outputs); of a regressor in the unit of the targets
    probabilities: np.ndarray | None = None  # (rows, classes)
    interval: np.ndarray | None = None  # (rows, 2)

    def after(self, rows: int) -> Heard:
        """The same without the first rows."""
        return Heard._make(None if field is None else field[rows:] for field in self)


class Listener:
    """Hears a learner, and follows its calibration if `coverage`, the share intervals shall hold, is given."""

    def __init__(self, coverage: float | None) -> None:
        self.coverage = coverage
        self.heard: list[Heard] = []
        self.begun = False
        self.ahead: Any = (
            None  # the calibration by all rows so far, and as it was at the last place
        )
        self.current: Any = None
        self.rows = self.place = 0

    def begin(self, observer: Any) -> None:
        """Follow a calibration from here."""
        self.begun = True
        if self.coverage is not None:
            self.ahead = copy(observer)

    def hear(
        self, learner: Any, scores: np.ndarray, targets: np.ndarray, weights: np.ndarray
    ) -> None:
        """Take in what rows scored before they were learned; targets and weights as the machine has them."""
        start = 0
        while start < len(scores):
            if self.rows == self.place:
                self.current = copy(self.ahead)
                self.place += min(max(self.rows // 4, NEAREST), FARTHEST)
            part = slice(start, start + self.place - self.rows)
            said = learner._said(self.current, scores[part], self.coverage)
            self.heard.append(Heard(*said))
            if self.ahead is not None:
                self.ahead.observe(scores[part], targets[part], weights[part])
            start += len(said[0])
            self.rows += len(said[0])

    def take(self) -> Heard | None:
        """What was heard since the last time; None if nothing was."""
        if not self.heard:
            return None
        fields = zip(*self.heard)
        self.heard = []
        return Heard._make(None if f[0] is None else np.concatenate(f) for f in fields)


@contextmanager
def listening(learner: Any, coverage: float | None = None) -> Iterator[Listener]:
    """Hear a learner as long as this lasts; with probabilities or intervals if `coverage` is given.

    >>> from onkel import FOGDClassifier
    >>> learner = FOGDClassifier(gamma=1.0, n_components=5, random_state=0)
    >>> X = np.linspace(-1, 1, 600)[:, None]
    >>> with listening(learner, coverage=0.9) as listener:
    ...     _ = learner.partial_fit(X, (X[:, 0] > 0).astype(int), classes=[0, 1])
    >>> heard = listener.take()
    >>> heard.scores.shape, float(heard.scores[0, 0]), heard.probabilities.shape
    ((600, 1), 0.0, (600, 2))
    """
    listener = Listener(coverage)
    setattr(learner, LISTENER, listener)
    try:
        yield listener
    finally:
        vars(learner).pop(LISTENER, None)


def heard_apart(learner: Any) -> Any:
    """The same learner, a provisional one: who listened to the original hears nothing of it."""
    listener = vars(learner).get(LISTENER)
    if listener is not None:
        setattr(learner, LISTENER, Listener(listener.coverage))
    return learner


@contextmanager
def room_for_scores(learner: Any, targets: np.ndarray, weights: np.ndarray) -> Iterator[np.ndarray]:
    """Room for the scores of rows that are about to be learned; none where nobody listens."""
    listener = vars(learner).get(LISTENER)
    if listener is None:
        yield NO_TRACE
        return
    machine = learner._machine
    if not listener.begun:
        listener.begin(machine.observer)
    trace, before = np.empty((len(targets), machine.shape.n_outputs)), machine.t
    try:
        yield trace
    finally:  # fewer than all where the machine paused, or was interrupted
        learned = machine.t - before
        listener.hear(learner, trace[:learned], targets[:learned], weights[:learned])
