"""The scikit-learn side of online classifiers: labels in, labels out."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.multiclass import check_classification_targets

from onkel.calibration import Calibrator, SingleClass
from onkel.engine.growth import with_outputs
from onkel.estimators.checks import check_number_of_classes
from onkel.estimators.class_weight import ClassWeights, class_weight_parameter
from onkel.estimators.documentation import fitted
from onkel.estimators.hearing import LISTENER
from onkel.estimators.intercept import WithIntercept
from onkel.estimators.labels import (
    declared_labels,
    grows,
    mixture_for,
    numbers_of,
    places_of,
    signs_or_numbers,
)
from onkel.estimators.look import at_one_moment
from onkel.estimators.online import OnlineLearner
from onkel.estimators.parameters import declared
from onkel.estimators.probabilities import Probabilities
from onkel.tasks import Binary, MultiClass


@declared
class OnlineClassifier(Probabilities, ClassifierMixin, WithIntercept, OnlineLearner):
    """An online learner of classes: one output for two classes, else one a class."""

    class_weight: Any = class_weight_parameter(
        ":math:`t / (C n_c)` at row t, with C classes and :math:`n_c` rows of this one so far, itself counted"
    )

    classes_ = fitted("ndarray of shape (n_classes,)", "The labels, in order.")

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """
        Learn on: one pass over the rows in the order given.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            Their labels.
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever come; it counts in the first call. None: the model grows with every label
            that it meets. While there is one label, nothing is learned but its name. Settings stay those of the
            beginning, however many labels there are later.
        sample_weight : array-like of shape (n_rows,), default=None
            How much a row counts: it multiplies the step. None: 1 for all.

        Returns
        -------
        Self
            The estimator itself.
        """
        return self._learn_on(X, y, sample_weight, classes)

    def decision_function(self, X: Any) -> np.ndarray:
        """
        Score the rows: the larger, the more likely the class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            One number a row for two classes, positive for the second; else one a row and class.
        """
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> np.ndarray:
        """
        Predict the class of each row: that of the highest score.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The labels.
        """
        self = at_one_moment(self)  # labels and scores that belong together
        scores = self.decision_function(X)
        if self._knows_one():
            return np.repeat(self.classes_, len(scores))
        best = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[best]

    def _declare_targets(self, y: Any, classes: Any) -> None:
        check_classification_targets(y)
        found = np.unique(y) if classes is None else declared_labels(classes)
        if self.__sklearn_is_fitted__() and classes is not None:
            if grows(self):
                raise ValueError(
                    "classes= counts in the first call to partial_fit only: this model grows with the "
                    "labels that it meets. Leave classes out, or start anew with it."
                )
            if not np.array_equal(found, self.classes_):
                raise ValueError(
                    f"classes={found.tolist()} is not the same as in the first call to "
                    f"partial_fit: {self.classes_.tolist()}."
                )
            return
        if len(found) < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least two classes, got {len(found)} class: "
                f"{found.tolist()}."
            )
        for name in ("_appeared", "_alone"):
            self.__dict__.pop(name, None)
        self.classes_ = found

    # -- labels that nobody declared ----------------------------------------------------------

    def _targets_of_chunk(self, y: Any, weights: np.ndarray, classes: Any, first: bool) -> Any:
        if classes is not None or not (first or grows(self)):
            return super()._targets_of_chunk(y, weights, classes, first)
        y = np.asarray(y)
        if first:
            self.classes_, self._appeared = y[:0], y[:0]
        machine = self.__dict__.get("_machine")
        appeared = self._appeared[: len(self.classes_)]  # an interrupt may have left others
        targets = np.zeros(len(y))  # a row without a weight is as if it had not come
        self._appeared, targets[weights > 0] = numbers_of(y[weights > 0], appeared)
        if machine is None:
            self.classes_ = np.sort(self._appeared)
        else:
            check_number_of_classes(self, machine.loss_part, len(self._appeared))
        return targets

    def _share_labels_of(self, learner: Any) -> None:
        if grows(learner):
            self._appeared = learner._appeared

    def _know_targets_of(self, targets: np.ndarray) -> None:
        if grows(self):
            self.classes_ = np.sort(self._appeared[: int(targets.max(initial=-1)) + 1])

    def _learn(self, X: Any, targets: np.ndarray, weights: np.ndarray) -> None:
        """Learn the rows up to the first of a new class, grow, and go on."""
        if not grows(self):
            super()._learn(X, targets, weights)
            return
        first = 0
        while first < len(targets):
            known = len(self.classes_)
            strangers = np.flatnonzero(targets[first:] >= known)
            stop = first + int(strangers[0]) if strangers.size else len(targets)
            if stop > first:
                ranks = np.argsort(np.argsort(self._appeared[:known]))
                numbers = ranks[targets[first:stop].astype(np.intp)]
                self._learn_known(X[first:stop], numbers, weights[first:stop])
            if stop < len(targets):
                self._meet(self._appeared[: known + 1])
            first = stop

    def _learn_known(self, X: Any, numbers: np.ndarray, weights: np.ndarray) -> None:
        """Learn rows of classes that are known; of a single one there is nothing to learn."""
        if len(self.classes_) > 1:
            super()._learn(X, signs_or_numbers(numbers, len(self.classes_)), weights)
            return
        rows_before = vars(self).get("_alone", 0)  # rows that came while there was a single class
        self._alone = rows_before + len(numbers)
        listener = vars(self).get(LISTENER)
        if listener is not None:
            listener.hear_alone(self, len(numbers), rows_before == 0)

    def _meet(self, labels: np.ndarray) -> None:
        """Know these labels, of which the last is new."""
        classes, machine = np.sort(labels), self._machine
        place = int(np.searchsorted(classes, labels[-1]))
        listener = vars(self).get(LISTENER)
        if len(classes) > 2:
            machine = with_outputs(machine, MultiClass(), mixture_for(len(classes), place))
            if machine.observer is not None:
                machine.observer.grow(place)
        if machine.class_weights is not None:
            machine.class_weights = machine.class_weights.grown(classes, place)
        if listener is not None:
            listener.grow(len(classes), place)
        # In one go: who reads meanwhile has either all of the old, or all of the new.
        self.__dict__ = self.__dict__ | {"classes_": classes, "_machine": machine}

    def _new_observer(self) -> Calibrator | None:
        return Calibrator(self._n_outputs(), self._decay) if self.probabilities else None

    def _said(self, observer: Any, scores: np.ndarray, coverage: float | None) -> tuple[Any, ...]:
        return scores, None if observer is None else observer.probabilities(scores)

    def _has_calibrator(self) -> bool:
        return self._fitted().observer is not None

    def _scores_and_calibrator(self, X: Any) -> tuple[np.ndarray, Any]:
        scores, calibrator = self._scores_and_observer(X)
        return scores, SingleClass() if self._knows_one() else calibrator

    def _knows_one(self) -> bool:
        """Whether there is a single class so far; an error if there is none."""
        if not len(self.classes_):
            raise NotFittedError(
                f"This {type(self).__name__} instance knows no class yet: no row had a weight above 0."
            )
        return len(self.classes_) == 1

    def _new_class_weights(self) -> ClassWeights | None:
        if grows(self):
            return ClassWeights.growing(self.class_weight, self.classes_, self._decay)
        return ClassWeights.chosen(self.class_weight, self.classes_, self._decay)

    def _targets(self, y: Any) -> np.ndarray:
        index, known = places_of(y, self.classes_)
        if not known.all():
            strangers = list(dict.fromkeys(np.asarray(y)[~known].tolist()))
            raise ValueError(
                f"y contains labels that were never declared: {strangers}. Declare every label "
                f"in the first call: partial_fit(X, y, classes=...). "
                f"Known are {self.classes_.tolist()}."
            )
        return signs_or_numbers(index, len(self.classes_))

    def _n_outputs(self) -> int:
        return 1 if len(self.classes_) <= 2 else len(self.classes_)

    def _task(self) -> Any:
        return Binary() if len(self.classes_) <= 2 else MultiClass()
