"""The scikit-learn side of online classifiers: labels in, labels out."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from onkel.calibration import Calibrator
from onkel.estimators.class_weight import ClassWeights, class_weight_parameter
from onkel.estimators.documentation import fitted
from onkel.estimators.hearing import room_for_scores
from onkel.estimators.intercept import WithIntercept
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
            All labels that will ever come; it is needed in the first call.
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
        best = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[best]

    def _require_classes(self, classes: Any) -> None:
        if classes is None:
            raise ValueError(
                "classes must be passed on the first call to partial_fit: all labels to come."
            )

    def _declare_targets(self, y: Any, classes: Any) -> None:
        check_classification_targets(y)
        found = np.unique(y) if classes is None else declared_labels(classes)
        if self.__sklearn_is_fitted__() and classes is not None:
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
        self._class_weights = ClassWeights.chosen(self.class_weight, found, self._decay)
        self.classes_ = found

    def _new_observer(self) -> Calibrator | None:
        return Calibrator(self._n_outputs(), self._decay) if self.probabilities else None

    def _said(self, observer: Any, scores: np.ndarray, coverage: float | None) -> tuple[Any, ...]:
        return scores, None if observer is None else observer.probabilities(scores)

    def _has_calibrator(self) -> bool:
        return self._fitted().observer is not None

    def _scores_and_calibrator(self, X: Any) -> tuple[np.ndarray, Calibrator]:
        return self._scores_and_observer(X)

    def _learn_chunk(self, X: Any, targets: np.ndarray, weights: np.ndarray) -> int:
        machine = self._machine
        factors: ClassWeights | None = vars(self).get("_class_weights")  # older files have none
        if factors is None:
            return super()._learn_chunk(X, targets, weights)
        numbers = (targets > 0 if self._n_outputs() == 1 else targets).astype(np.intp)
        t, steps = machine.t, factors.applied(numbers, weights)
        try:
            with room_for_scores(self, targets, weights) as trace:
                return machine.learn(X, targets, steps, trace, weights)
        finally:  # an interrupt: those that were learned all the same
            self._class_weights = factors.after(numbers[: machine.t - t])

    def _targets(self, y: Any) -> np.ndarray:
        try:
            index = np.searchsorted(self.classes_, y)
            known = self.classes_[np.minimum(index, len(self.classes_) - 1)] == y
        except TypeError:  # labels of another kind, which cannot even be compared
            index, known = np.zeros(len(y), int), np.isin(y, self.classes_)
        if not known.all():
            strangers = list(dict.fromkeys(np.asarray(y)[~known].tolist()))
            raise ValueError(
                f"y contains labels that were never declared: {strangers}. Declare every label "
                f"in the first call: partial_fit(X, y, classes=...). "
                f"Known are {self.classes_.tolist()}."
            )
        return 2.0 * index - 1.0 if len(self.classes_) == 2 else index.astype(float)

    def _n_outputs(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _task(self) -> Any:
        return Binary() if len(self.classes_) == 2 else MultiClass()


def declared_labels(classes: Any) -> np.ndarray:
    """The distinct labels of ``classes=``, in order."""
    labels = np.asarray(classes)
    try:
        found = np.unique(labels)
        unusable = found.dtype.kind in "fc" and not np.isfinite(found).all()
    except TypeError:  # they cannot be put in order
        unusable = True
    if unusable or labels.ndim != 1:
        raise ValueError(
            f"classes={classes!r} must be a list of labels of one kind: numbers or strings."
        )
    return found
