"""Scores of predictions made before learning, as a learner keeps them or as we keep them for it."""

from __future__ import annotations

from typing import Any, NamedTuple

from onkel.tables import learner_in


class Totals(NamedTuple):
    """Sums over the rows scored: mistakes, or squared errors of a regressor; and losses."""

    scored: int
    errors: float
    loss: float | None  # None where the learner doesn't tell


class FromProgress:
    """Scores as the learner tells them; what it learned before this run doesn't count."""

    def __init__(self, learner: Any, classes: Any) -> None:
        self.learner = learner
        self.options = {} if classes is None else {"classes": classes}
        self.before = self._totals() if learner.__sklearn_is_fitted__() else Totals(0, 0, 0)

    def learn(self, X: Any, y: Any) -> None:
        self.learner.partial_fit(X, y, **self.options)

    def totals(self) -> Totals:
        now, then = self._totals(), self.before
        return Totals(
            now.scored - then.scored, now.errors - then.errors, (now.loss or 0) - (then.loss or 0)
        )

    def _totals(self) -> Totals:
        so_far = self.learner.progress_
        errors = so_far.mistakes if self.options else so_far.squared_error * so_far.seen
        return Totals(so_far.seen, errors, so_far.loss * so_far.seen)


class FromPredictions:
    """Scores of a learner that doesn't keep them: it predicts each piece before it learns it."""

    def __init__(self, learner: Any, classes: Any) -> None:
        self.learner = learner
        self.options = {} if classes is None else {"classes": classes}
        self.started = hasattr(learner, "n_features_in_")
        self.sums = Totals(0, 0.0, None)

    def learn(self, X: Any, y: Any) -> None:
        if self.started:
            guess = self.learner.predict(X)
            errors = (guess != y).sum() if self.options else ((guess - y) ** 2).sum()
            scored = self.sums.scored + len(y)
            self.sums = self.sums._replace(scored=scored, errors=self.sums.errors + float(errors))
        self.learner.partial_fit(X, y, **self.options)
        self.started = True

    def totals(self) -> Totals:
        return self.sums


def keeps_scores(learner: Any) -> bool:
    """Whether the learner scores each row itself, before it learns it."""
    return hasattr(type(learner_in(learner)), "progress_")


def scorer_for(learner: Any, classes: Any) -> FromProgress | FromPredictions:
    return (FromProgress if keeps_scores(learner) else FromPredictions)(learner, classes)
