"""What a watched learner answers: all that the learner inside has, by the one that answers now."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import MetaEstimatorMixin, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from onkel.estimators import look
from onkel.estimators.notebook import ToldInNotebooks
from onkel.estimators.progress import Progress
from onkel.estimators.rows import NO_TARGETS, validated

#: Places of the sums over all rows.
SEEN, MISTAKES, LOSS, SQUARES = range(4)


def _has(name: str) -> Any:
    """Whether the learner has a method: then so has what stands around it."""

    def check(model: Any) -> bool:
        getattr(vars(model).get("learner_", model.learner), name)
        return True

    return available_if(check)


class Answering(MetaEstimatorMixin, ToldInNotebooks):
    """An estimator around ``learner`` whose answers are those of ``learner_``, which learning gives it."""

    learner: Any
    learner_: Any
    _sums: np.ndarray  # over all rows: see the places above

    def _check(self, X: Any, y: Any = NO_TARGETS, reset: bool = False) -> Any:
        """Rows (and targets) as arrays: the learners inside see no names of columns."""
        return validated(self, X, y, reset, is_regressor(self))

    @property
    def _widens(self) -> bool:
        """Whether rows may get wider."""
        return vars(self).get("learner_", self.learner)._widens

    def predict(self, X: Any) -> np.ndarray:
        """
        Predict the label or the target of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The labels or targets.
        """
        return self._asked(X, "predict")

    @_has("decision_function")
    def decision_function(self, X: Any) -> np.ndarray:
        """
        Score the rows, as the learner does.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            One number a row for two classes, positive for the second; else one a row and class.
        """
        return self._asked(X, "decision_function")

    @_has("predict_proba")
    def predict_proba(self, X: Any) -> np.ndarray:
        """
        Tell how likely each class is for each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The probabilities, in the order of ``classes_``.
        """
        return self._asked(X, "predict_proba")

    @_has("predict_log_proba")
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """
        Tell the logarithms of the probabilities of each class for each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The logarithms, in the order of ``classes_``.
        """
        return self._asked(X, "predict_log_proba")

    @_has("predict_interval")
    def predict_interval(self, X: Any, coverage: float = 0.9) -> np.ndarray:
        """
        Predict an interval for the target of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        coverage : float in (0, 1), default=0.9
            Share of targets to come that the intervals shall hold.

        Returns
        -------
        ndarray of shape (n_rows, 2)
            The lower and the upper ends.
        """
        return self._asked(X, "predict_interval", coverage=coverage)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """
        Tell the accuracy of the predictions or, of a regressor, R².

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            Their labels or targets.
        sample_weight : array-like of shape (n_rows,), default=None
            How much a row counts.

        Returns
        -------
        float
            The score.
        """
        measure = r2_score if is_regressor(self) else accuracy_score
        return float(measure(y, self.predict(X), sample_weight=sample_weight))

    def _asked(self, X: Any, method: str, **more: Any) -> np.ndarray:
        check_is_fitted(self)
        learner = self.learner_  # at one moment: another thread may learn
        return getattr(learner, method)(self._check(X), **more)

    # -- what was learned ----------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return "learner_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.learner)
        tags.estimator_type, tags.target_tags = inner.estimator_type, inner.target_tags
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.input_tags.sparse = inner.input_tags.sparse
        return tags

    @property
    def classes_(self) -> np.ndarray:
        """The labels of a classifier, in order."""
        return self._learned("classes_")

    @property
    def n_support_(self) -> int:
        """Number of support vectors, where the learner has any."""
        return self._learned("n_support_")

    @property
    def coef_(self) -> np.ndarray:
        """The weights of the features of an explicit map, where the learner has one."""
        return self._learned("coef_")

    @property
    def t_(self) -> int:
        """Number of instances learned."""
        return self.progress_.seen

    @property
    def progress_(self) -> Progress:
        """What the predictions before each update scored."""
        learner = self._answering("progress_")
        if "_machine" not in vars(learner):
            return learner.progress_
        seen, mistakes, loss, squares = self._sums.tolist()
        mistakes = int(mistakes) if learner._makes_mistakes else 0
        rows = max(1, seen)
        return Progress(int(seen), mistakes, mistakes / rows, loss / rows, squares / rows)

    @property
    def rows_kept(self) -> int:
        """Rows that came, but will be learned when there are enough for the first look."""
        return look.rows_kept(self.learner_) if "learner_" in vars(self) else 0

    def _learned(self, name: str) -> Any:
        return getattr(self._answering(name), name)

    def _answering(self, name: str) -> Any:
        """The learner that answers now, of which something is asked."""
        if "learner_" not in vars(self):
            raise NotFittedError(f"DriftAware has no {name} before it has learned something.")
        return self.learner_
