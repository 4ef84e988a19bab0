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


class Passage(NamedTuple):
    """What was said while the same classes were known."""

    heard: Heard
    n_classes: int  # 0 of a regressor
    met: int  # classes that the listener had seen being met


class Listener:
    """Hears a learner, and follows its calibration if that is part of what it says.

    Predictions of regressors are; probabilities and intervals if `coverage`, the share these shall hold, is given.
    """

    def __init__(self, coverage: float | None) -> None:
        self.coverage = coverage
        self.heard: list[Passage] = []
        self.begun = False
        self.ahead: Any = (
            None  # the calibration by all rows so far, and as it was at the last place
        )
        self.current: Any = None
        self.rows = self.place = 0
        self.met: list[int] = []  # the places of classes that were met meanwhile

    def begin(self, observer: Any) -> None:
        """Follow a calibration from here."""
        self.begun = True
        moves_scores = observer is not None and observer.squared_error is not None
        if self.coverage is not None or moves_scores:
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
            shown = scores[part]
            if self.ahead is not None:
                shown = self.ahead.observe(shown, targets[part], weights[part])
            said = learner._said(self.current, shown, self.coverage)
            self.note(learner, Heard(*said))
            start += len(said[0])
            self.rows += len(said[0])

    def hear_alone(self, learner: Any, rows: int, first: bool) -> None:
        """Take in rows of the only class that is known: all others are out of the question.

        Before the very first row not even that was known.
        """
        scores, sure = np.full((rows, 1), -np.inf), np.ones((rows, 1))
        scores[:first], sure[:first] = 0.0, 0.0
        tells = self.coverage is not None and learner._machine.observer is not None
        self.note(learner, Heard(scores, sure if tells else None))

    def note(self, learner: Any, heard: Heard) -> None:
        """Keep what was said, by the classes that are known now."""
        n_classes = len(getattr(learner, "classes_", ()))
        self.heard.append(Passage(heard, n_classes, len(self.met)))

    def grow(self, n_classes: int, place: int) -> None:
        """The learner has met a class: it has so many now, this one at this place among them."""
        self.met.append(place)
        for calibration in (self.ahead, self.current):
            if calibration is not None and n_classes > 2:
                calibration.grow(place)

    def take(self) -> Heard | None:
        """What was heard since the last time, of all classes known by now; None if nothing was."""
        if not self.heard:
            return None
        fields = zip(*(self._of_all_classes(passage) for passage in self.heard))
        self.heard = []
        return Heard._make(None if f[0] is None else np.concatenate(f) for f in fields)

    def _of_all_classes(self, passage: Passage) -> Heard:
        heard, places = passage.heard, np.arange(passage.n_classes)
        for met in self.met[passage.met :]:
            places = places + (places >= met)
        n_classes = passage.n_classes + len(self.met) - passage.met
        if n_classes == passage.n_classes:
            return heard
        probabilities = heard.probabilities
        if probabilities is not None:
            probabilities = np.zeros((len(heard.scores), n_classes))
            probabilities[:, places] = heard.probabilities
        return Heard(scores_among(heard.scores, places, n_classes), probabilities)


def scores_among(scores: np.ndarray, places: np.ndarray, n_classes: int) -> np.ndarray:
    """Scores of classes as those of more, which these are at some places of: the others are out of the question.

    But scores that are all 0 say nothing, and stay so.
    """
    if n_classes == 2:  # one class has become two
        return scores if places[0] == 0 else -scores
    among = np.full((len(scores), n_classes), -np.inf)
    if len(places) == 1:
        among[:, places[0]] = np.inf
    elif len(places) == 2:
        among[:, places] = scores * [-0.5, 0.5]
    else:
        among[:, places] = scores
    among[(scores == 0.0).all(axis=1)] = 0.0
    return among


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
