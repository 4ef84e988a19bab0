"""What a learner made of rows before it learned them, as far as it has learned them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from onkel.engine.judging import judged
from onkel.estimators.hearing import LISTENER, Heard, Listener


class Course(NamedTuple):
    """Of all rows of a piece; those that the learner has not seen are 0."""

    values: np.ndarray  # what a detector is shown: mistakes, or absolute residuals
    margins: np.ndarray  # or residuals
    losses: np.ndarray
    heard: Heard

    def part(self, first: int, stop: int) -> Course:
        return self._mapped(lambda field: field[first:stop])

    def after(self, rows: int) -> Course:
        """The same with so many rows before it that were not seen."""

        def padded(field: np.ndarray) -> np.ndarray:
            return np.concatenate([np.zeros((rows, *field.shape[1:])), field])

        return self._mapped(padded)

    def _mapped(self, change: Callable[[np.ndarray], np.ndarray]) -> Course:
        heard = (None if field is None else change(field) for field in self.heard)
        values, margins, losses = map(change, (self.values, self.margins, self.losses))
        return Course(values, margins, losses, Heard._make(heard))


def heard_of(
    learner: Any, X: Any, y: Any, weights: np.ndarray, coverage: Any, **labels: Any
) -> Heard | None:
    """Let a learner learn rows; what it said of them, or None as long as it keeps them for its first look.

    ``coverage`` is what its listener shall follow, if anybody listens; else it is False.
    """
    if coverage is False or LISTENER not in vars(learner):
        setattr(learner, LISTENER, Listener(coverage or None))
    try:
        learner.partial_fit(X, y, sample_weight=weights, **labels)
        return vars(learner)[LISTENER].take()
    finally:
        if coverage is False:
            vars(learner).pop(LISTENER, None)


def course_of(learner: Any, X: Any, y: Any, weights: np.ndarray, coverage: Any) -> Course:
    """Let a learner that looks no more learn rows; what it made of them."""
    heard: Any = heard_of(learner, X, y, weights, coverage)
    if not knows_several(learner):  # of a single class there is nothing to learn, and no mistake
        none = np.zeros(len(y))
        return Course(none, none, none, heard)
    parts = learner._fitted().parts
    targets, scores = learner._in_model_units(learner._targets(y)), heard.scores
    if not learner._makes_mistakes:
        scores = learner._in_model_units(scores)
    margins, losses = judged(parts.task, parts.loss, scores, targets)
    values = (margins <= 0.0).astype(float) if learner._makes_mistakes else np.abs(margins)
    return Course(values, margins, losses, heard)


def knows_several(learner: Any) -> bool:
    """Whether a learner is a regressor, or has more than one class to choose from."""
    return len(getattr(learner, "classes_", (0, 1))) > 1
