"""Answers before learning, as a learner keeps them or as we ask it for them; and their sums.

onkel's learners score every row anyway, just before they learn it: who listens hears it. Others are asked about a
piece before they learn it, for as much as the metrics need.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_classifier

from onkel.estimators.hearing import LISTENER, Heard, listening
from onkel.estimators.look import heard_in_look, rows_kept
from onkel.evaluate.asking import asked
from onkel.evaluate.metrics import INTERVAL
from onkel.evaluate.metrics.answers import Answers, best_of, true_numbers
from onkel.tables import learner_in


class Totals(NamedTuple):
    """Sums over the rows scored: mistakes, or squared errors of a regressor; and losses."""

    scored: int
    errors: float
    loss: float | None  # None where the learner doesn't tell


class FromProgress:
    """Scores as the learner tells them; what it learned before this run doesn't count.

    Answers are for rows that were learned: a learner may keep some of them back for a while.
    """

    def __init__(self, learner: Any, classes: Any, needs: Collection[str] = ()) -> None:
        self.learner = learner
        self.classes = in_order(classes)
        self.options = {} if classes is None else {"classes": classes}
        self.counts_mistakes = is_classifier(learner)
        self.before = self._totals() if learner.__sklearn_is_fitted__() else Totals(0, 0, 0)
        self.listening = ExitStack()
        coverage = INTERVAL if {"probabilities", "interval"} & set(needs) else None
        self.inner = inner = learner_in(getattr(learner, "lasting_step", learner))
        self.listener = None
        if needs:
            self.listener = self.listening.enter_context(listening(inner, coverage))
        self.unheard: Any = None  # targets of rows that came, but were not learned yet
        # rows that came before the run, and will be heard in it
        self.earlier = getattr(learner, "rows_kept", 0) or rows_kept(inner)

    def ask(self, X: Any, y: Any) -> None:
        """Nothing: it tells while it learns."""

    def learn(self, X: Any, y: Any) -> None:
        self.learner.partial_fit(X, y, **self.options)

    def answers(self, y: Any) -> Answers | None:
        """What it answered for the rows learned by now; `y` are the targets of those that came."""
        if self.listener is None:
            return None
        waiting = y if self.unheard is None else np.concatenate([self.unheard, y])
        heard = self._since_the_run(self.listener.take())
        if heard is None:
            self.unheard = waiting
            return None
        targets, self.unheard = waiting[: len(heard.scores)], waiting[len(heard.scores) :]
        return self._answers(heard, targets, self.inner)

    def rest(self) -> Answers | None:
        """At the end, of rows that were all kept back: what a provisional model answered."""
        if self.unheard is None or not len(self.unheard):
            return None
        heard = self._since_the_run(heard_in_look(learner_in(self.learner)))
        if heard is None or len(heard.scores) != len(self.unheard):
            return None
        return self._answers(heard, self.unheard, learner_in(self.learner))

    def _since_the_run(self, heard: Heard | None) -> Heard | None:
        """What was heard, without rows that had been kept back when the run began."""
        if heard is None or not self.earlier:
            return heard
        skipped = min(self.earlier, len(heard.scores))
        self.earlier -= skipped
        return heard.after(skipped)

    def _answers(self, heard: Heard, targets: Any, learner: Any) -> Answers:
        if self.counts_mistakes:
            if not self.options:  # labels are met on the way
                self.classes = learner.classes_
            truth = true_numbers(targets, self.classes)
            return Answers(truth, best_of(heard.scores), heard.scores, heard.probabilities)
        return Answers(np.array(targets, float), heard.scores[:, 0], interval=heard.interval)

    def totals(self) -> Totals:
        now, then = self._totals(), self.before
        return Totals(
            now.scored - then.scored, now.errors - then.errors, (now.loss or 0) - (then.loss or 0)
        )

    def _totals(self) -> Totals:
        so_far = self.learner.progress_
        errors = so_far.mistakes if self.counts_mistakes else so_far.squared_error * so_far.seen
        return Totals(so_far.seen, errors, so_far.loss * so_far.seen)

    def close(self) -> None:
        self.listening.close()
        vars(learner_in(self.learner)).pop(LISTENER, None)  # of a copy that answers meanwhile


class FromPredictions:
    """Scores of a learner that doesn't keep them: it predicts each piece before it learns it."""

    def __init__(self, learner: Any, classes: Any, needs: Collection[str] = ()) -> None:
        self.learner = learner
        self.classes = in_order(classes)
        self.needs = {"guess", *needs}
        self.options = {} if classes is None else {"classes": classes}
        self.started = hasattr(learner, "n_features_in_")
        self.asked: Answers | None = None
        self.sums = Totals(0, 0.0, None)

    def ask(self, X: Any, y: Any) -> None:
        """Have it predict rows that it will learn next; the first ones it can't."""
        self.asked = asked(self.learner, X, y, self.classes, self.needs) if self.started else None
        if self.asked is not None:
            truth, guess = self.asked.truth, self.asked.guess
            errors = (guess != truth).sum() if self.options else ((guess - truth) ** 2).sum()
            scored = self.sums.scored + len(y)
            self.sums = self.sums._replace(scored=scored, errors=self.sums.errors + float(errors))

    def learn(self, X: Any, y: Any) -> None:
        self.learner.partial_fit(X, y, **self.options)
        self.started = True

    def answers(self, y: Any) -> Answers | None:
        """What it answered before it learned these rows."""
        return self.asked

    def rest(self) -> None:
        """Nothing: it was asked about all rows."""

    def totals(self) -> Totals:
        return self.sums

    def close(self) -> None:
        pass


def keeps_scores(learner: Any) -> bool:
    """Whether the learner scores each row itself, before it learns it."""
    return hasattr(type(learner_in(learner)), "progress_")


def scorer_for(
    learner: Any, classes: Any, needs: Collection[str] = ()
) -> FromProgress | FromPredictions:
    """What lets the learner learn, and tells its scores; with answers, if any are needed."""
    return (FromProgress if keeps_scores(learner) else FromPredictions)(learner, classes, needs)


def in_order(classes: Any) -> Any:
    """The labels as metrics number them; None of a regressor."""
    return None if classes is None else np.unique(classes)


def task_of(learner: Any) -> str:
    return "classification" if is_classifier(learner) else "regression"
