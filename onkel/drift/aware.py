"""A learner that is watched while it learns, and gives way to a fresh one when the stream has changed."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy, deepcopy
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import clone, is_classifier

from onkel.drift.adwin import Adwin
from onkel.drift.answering import SEEN, Answering
from onkel.drift.contest import Contest, begun
from onkel.drift.course import Course, course_of, heard_of
from onkel.drift.detector import check_detector, watched
from onkel.estimators import look
from onkel.estimators.checks import (
    check_some_weight,
    check_weights,
    unchanged_on_error,
    without_zero_weights,
)
from onkel.estimators.classifier import OnlineClassifier
from onkel.estimators.hearing import LISTENER, Heard
from onkel.estimators.labels import places_of
from onkel.estimators.regressor import OnlineRegressor
from onkel.estimators.turns import learning_alone
from onkel.estimators.widths import widen

#: Rows that are learned before they are looked at: of these some may be learned in vain.
PIECE = 1024
#: What learning gives it.
LEARNED = ("learner_", "drifts_", "_detector", "_fresh", "_contest", "_sums")


class Drift(NamedTuple):
    """
    A change of the stream that was noticed.

    Parameters
    ----------
    row : int
        How many rows had come when it was decided which learner goes on.
    before : float
        Share of mistakes, or mean absolute residual, of the old learner on the last rows before.
    after : float
        The same of the fresh one, on the same rows.
    taken_over : bool
        Whether the fresh learner goes on: it does if it is better by two standard errors.
    """

    row: int
    before: float
    after: float
    taken_over: bool


class DriftAware(Answering):
    """
    A learner that is watched while it learns: when the stream has changed, a fresh one takes over if it is better.

    A detector is shown what the learner makes of every row before it learns it: mistakes, or absolute residuals in
    units of ``target_scale_``. When it warns, a fresh learner (of the same settings, with nothing learned) starts to
    learn beside the old one. When it sees a drift, the fresh one takes over as soon as it is better on the last rows
    by two standard errors; if it is not after 5,000 rows, it goes. The first 512 rows, which settings are chosen
    from, are not watched. Any chunking gives the same model. It grows as its learner does: with labels that
    nobody declared, and with wider rows where the learner has ``grow_features`` or stands behind an encoder.

    Parameters
    ----------
    learner : estimator
        An online classifier or regressor of onkel.
    detector : Detector, default=None
        What watches: :class:`Adwin` if None, one of ``river.drift`` (``ADWIN``, ``PageHinkley``, ``KSWIN``), or
        anything that has what :class:`Detector` asks for. It is copied, anew when a fresh learner takes over.

    Attributes
    ----------
    learner_ : estimator
        The learner that answers.
    drifts_ : list of Drift
        What happened: the row, what the old and the fresh learner lost on the last rows before it, and whether the
        fresh one took over.
    n_features_in_ : int
        Number of features.
    classes_ : ndarray of shape (n_classes,)
        The labels of a classifier, in order.
    progress_ : Progress
        What the predictions before each update scored.

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import FOGDClassifier
    >>> from onkel.datasets import gaussian_mixture
    >>> from onkel.drift import DriftAware
    >>> X, y = gaussian_mixture(8000, random_state=0)
    >>> y[4000:] *= -1  # what was true is wrong from now on
    >>> model = DriftAware(FOGDClassifier(n_components=100, random_state=0))
    >>> model = model.partial_fit(X, y, classes=[-1, 1])
    >>> [drift.taken_over for drift in model.drifts_], 4000 < model.drifts_[0].row < 4500
    ([True], True)
    """

    def __init__(self, learner: Any, *, detector: Any = None) -> None:
        self.learner = learner
        self.detector = detector

    # -- learning ------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """
        Learn anew: one pass over the rows in the order given.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            Their labels or targets.
        sample_weight : array-like of shape (n_rows,), default=None
            How much a row counts. None: 1 for all.

        Returns
        -------
        Self
            The estimator itself.
        """
        with learning_alone(self), unchanged_on_error(self, Exception):
            self.__dict__ = {k: v for k, v in vars(self).items() if k not in LEARNED}
            if sample_weight is not None:
                check_some_weight(np.asarray(sample_weight))
            labels = y is not None and is_classifier(self.learner)
            classes = np.unique(np.asarray(y)) if labels else None
            self._learn_on(X, y, classes, sample_weight)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """
        Learn on: one pass over the rows in the order given.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            Their labels or targets.
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever come; it counts in the first call. None: a classifier grows with every label
            that it meets.
        sample_weight : array-like of shape (n_rows,), default=None
            How much a row counts. None: 1 for all.

        Returns
        -------
        Self
            The estimator itself.
        """
        with learning_alone(self):
            self._learn_on(X, y, classes, sample_weight)
        return self

    def _learn_on(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> None:
        with unchanged_on_error(self, Exception):
            begins = "learner_" not in vars(self)
            if begins:
                self._begin()
            given, (X, y) = X, self._check(X, y, reset=begins)
            weights = check_weights(sample_weight, X.shape[0])
            if weights.any():
                X, y, weights = without_zero_weights(X, y, weights)
                widen(self, X, given)
            rows = self._let_look(X, y, weights, classes)
        if weights.any():
            for piece in self._pieces(y, rows):
                self._learn_piece(X[piece], y[piece], weights[piece])

    def _pieces(self, y: np.ndarray, start: int) -> Iterator[slice]:
        """Rows to learn at once: some hundred, and no label but the first row's that nobody knows yet.

        So a fresh learner knows the labels that have come when it starts, not those of rows ahead of it.
        """
        cuts = [*range(start, len(y), PIECE), len(y)]
        if is_classifier(self) and start < len(y):
            labels, first = np.unique(y[start:], return_index=True)
            cuts += (start + first[~places_of(labels, self.classes_)[1]]).tolist()
        for first, stop in pairwise(sorted(set(cuts))):
            yield slice(first, stop)

    def _begin(self) -> None:
        learner = self.learner
        if not isinstance(learner, (OnlineClassifier, OnlineRegressor)):
            raise TypeError(
                f"learner={learner!r} is not one of onkel's online classifiers and regressors, which tell what "
                f"they make of a row before they learn it."
            )
        if not learner._can_start_over:
            raise TypeError(
                f"learner={learner!r} cannot be watched: it has no fresh start beside what it knows. Give it a "
                f"half_life, or take another learner than ridge regression and races."
            )
        detector = Adwin() if self.detector is None else self.detector
        check_detector(detector)
        self.learner_, self._detector = clone(learner), deepcopy(detector)
        self.drifts_: list[Drift] = []
        self._fresh: Any = None
        self._contest: Contest | None = None
        self._sums = np.zeros(4)

    def _let_look(self, X: Any, y: Any, weights: np.ndarray, classes: Any) -> int:
        """Check all rows; give the learner those that it looks at first, and return how many these are."""
        learner, labels = self.learner_, {} if classes is None else {"classes": classes}
        if "_machine" in vars(learner):
            copy(learner)._check_chunk(X, y, weights, classes, False)
            return 0
        learner = self.learner_ = copy(learner)  # what goes wrong below leaves the other one
        rows = min(len(y), look.LOOK_ROWS - look.rows_kept(learner))
        heard = heard_of(learner, X[:rows], y[:rows], weights[:rows], self._coverage, **labels)
        if rows < len(y):
            copy(learner)._check_chunk(X[rows:], y[rows:], weights[rows:], classes, False)
        if heard is not None:
            seen, mistakes, _, loss, square = learner.progress_
            self._sums = np.array([seen, mistakes, seen * loss, seen * square])
            self._pass_on(heard)
        return rows

    def _learn_piece(self, X: Any, y: Any, weights: np.ndarray) -> None:
        """Learn rows, look at what the learners made of them, and change to the fresh one where that is due."""
        known = len(getattr(self.learner_, "classes_", ()))
        old = course_of(self.learner_, X, y, weights, self._coverage)
        self._tell_of_label(known, y[0])
        fresh = self._caught_up(X, y, weights, 0)
        at = 0
        while at < len(y):
            if self._contest is None:
                count, warns, drifts = watched(self._detector, old.values[at:])
                self._note(old.part(at, at + count))
                at += count
                if warns or drifts:
                    self._fresh, self._contest = self.learner_._started_over(), begun(drifts)
                    fresh = self._caught_up(X, y, weights, at)
                continue
            contest, used, drifts = self._contend(old.values[at:], fresh.values[at:])
            self._note(old.part(at, at + used))
            at += used
            self._contest = contest._replace(drifted=contest.drifted or drifts)
            if self._contest.is_won:
                old = fresh
            self._decide()

    def _caught_up(self, X: Any, y: Any, weights: np.ndarray, at: int) -> Any:
        """What a fresh learner, if there is one, makes of the rows from one on."""
        if self._fresh is None or at == len(y):
            return None
        course = course_of(self._fresh, X[at:], y[at:], weights[at:], self._coverage)
        return course.after(at)

    def _contend(self, old: np.ndarray, fresh: np.ndarray) -> tuple[Contest, int, bool]:
        """Compare both learners up to an alarm or a decision; rows that this took, and whether there is a drift."""
        contest: Any = self._contest
        old, fresh = old[: contest.rows_left], fresh[: contest.rows_left]
        if not contest.drifted:
            count, _, drifts = watched(self._detector, old)
            return *contest.after(old[:count], fresh[:count]), drifts
        contest, count = contest.after(old, fresh)
        shown = 0
        while shown < count:  # what it says now would be no news
            shown += watched(self._detector, old[shown:count])[0]
        return contest, count, False

    def _decide(self) -> None:
        """End the contest, if it is won or took too long."""
        contest: Any = self._contest
        if not contest.is_won and contest.rows_left:
            return
        if contest.drifted:
            row = int(self._sums[SEEN])
            before, after = contest.means
            self.drifts_ = [*self.drifts_, Drift(row, before, after, contest.is_won)]
        if contest.is_won:
            self.learner_ = self._fresh
            self._detector = deepcopy(Adwin() if self.detector is None else self.detector)
        self._fresh = self._contest = None

    def _note(self, course: Course) -> None:
        """Count what the learner that answers made of rows."""
        unit = self.learner_._unit**2
        squares = unit * np.square(course.margins).sum()
        new = [len(course.values), course.values.sum(), course.losses.sum(), squares]
        self._sums = self._sums + new  # at once: another thread may read them
        self._pass_on(course.heard)

    def _tell_of_label(self, known: int, label: Any) -> None:
        """Let who listens know of a label, if it is one more than were known."""
        listener, classes = vars(self).get(LISTENER), getattr(self.learner_, "classes_", ())
        if listener is not None and len(classes) > known:
            listener.grow(len(classes), int(np.searchsorted(classes, label)))

    def _pass_on(self, heard: Heard) -> None:
        """Let who listens hear it."""
        listener = vars(self).get(LISTENER)
        if listener is not None and len(heard.scores):
            listener.note(self, heard)

    @property
    def _coverage(self) -> Any:
        """What the listeners of the learners inside follow; False where nobody listens."""
        listener = vars(self).get(LISTENER)
        return False if listener is None else listener.coverage
