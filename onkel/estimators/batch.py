"""The scikit-learn façade of classifiers that need the whole training set at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from onkel.calibration import Calibrator
from onkel.estimators.checks import (
    check_magnitude,
    check_some_weight,
    check_weights,
    draw_seed,
    started_anew,
    without_zero_weights,
)
from onkel.estimators.class_weight import ClassWeights, class_weight_parameter
from onkel.estimators.documentation import fitted
from onkel.estimators.look import at_one_moment
from onkel.estimators.merging import Unmergeable
from onkel.estimators.notebook import ToldInNotebooks
from onkel.estimators.parameters import declared, n_jobs_parameter, validate_parameters
from onkel.estimators.probabilities import Probabilities
from onkel.estimators.scales import warn_of_scales
from onkel.parallel.limits import at_work

PREDICT_BLOCK = 4096
#: Passes over the honest scores, in random order: of few rows, one would leave the calibrator behind.
CALIBRATION_PASSES = 3
FLOATS = (np.float64, np.float32)


@declared
class BatchClassifier(Probabilities, ClassifierMixin, ToldInNotebooks):
    """What classifiers of a whole training set share: labels, scores, predictions."""

    merge: ClassVar[Any] = Unmergeable()

    class_weight: Any = class_weight_parameter(
        ":math:`n / (C n_c)`, with n rows, C classes and :math:`n_c` rows of this one"
    )

    n_jobs: int | None = n_jobs_parameter()

    classes_ = fitted("ndarray of shape (n_classes,)", "The labels, in order.")
    n_features_in_ = fitted("int", "Number of features.")
    feature_names_in_ = fitted(
        "ndarray of shape (n_features,)", "Names of the features, where X has column names."
    )
    gamma_ = fitted("float", "The kernel's :math:`\\gamma`.")
    support_vectors_ = fitted(
        "ndarray or sparse matrix of shape (n_support, n_features)", "The vectors of the model."
    )
    dual_coef_ = fitted(
        "ndarray of shape (n_outputs, n_support)",
        "The coefficients of the vectors: one row for two classes, else one a class.",
    )
    n_support_ = fitted("int", "Number of vectors of the model.")

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """
        Learn from the whole training set.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            Their labels.
        sample_weight : array-like of shape (n_rows,), default=None
            How much a row counts: it multiplies the loss. None: 1 for all.

        Returns
        -------
        Self
            The estimator itself.
        """
        with started_anew(self) as fresh:
            X, codes, weights = fresh._begin(X, y, sample_weight)
            seed = draw_seed(self)
            with at_work(self.n_jobs, X.shape[0]):
                honest_scores = fresh._learn(X, codes, fresh._class_weighted(codes, weights), seed)
                if self.probabilities:
                    fresh._calibrate(honest_scores(), codes, weights, seed)
        return self

    def _learn(
        self, X: Any, codes: np.ndarray, weights: np.ndarray, seed: int
    ) -> Callable[[], np.ndarray]:
        """Find the vectors of the model and their coefficients, from numbers of classes and weights.

        Returns what gives scores (rows x outputs) of models that did not see the row.
        """
        raise NotImplementedError

    def _begin(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray]:
        """Validated rows, numbers of their classes, and weights; rows of weight 0 are gone."""
        validate_parameters(self)
        self.__dict__.pop("_calibrator", None)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=FLOATS)
        check_classification_targets(y)
        check_magnitude(X, X.dtype)
        weights = check_weights(sample_weight, X.shape[0])
        check_some_weight(weights)
        X, y, weights = without_zero_weights(X, y, weights)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs rows of at least 2 classes with weight > 0, "
                f"got {len(self.classes_)} class"
            )
        warn_of_scales(self, X, stacklevel=4)
        return X, codes, weights

    def _class_weighted(self, codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """The weights, by ``class_weight``."""
        factors = ClassWeights.chosen(self.class_weight, self.classes_)
        return weights if factors is None else factors.applied_to_all(codes, weights)

    def _calibrate(
        self, scores: np.ndarray, codes: np.ndarray, weights: np.ndarray, seed: int
    ) -> None:
        """Learn probabilities from scores (rows x outputs) of models that did not see the row."""
        targets = 2.0 * codes - 1.0 if scores.shape[1] == 1 else codes.astype(float)
        self._calibrator = Calibrator(scores.shape[1])
        random = np.random.default_rng(seed)
        for _ in range(CALIBRATION_PASSES):
            order = random.permutation(len(codes))
            self._calibrator.observe(scores[order], targets[order], weights[order])

    def _has_calibrator(self) -> bool:
        return "_calibrator" in vars(self)

    def _scores_and_calibrator(self, X: Any) -> tuple[np.ndarray, Calibrator]:
        return self.decision_function(X).reshape(-1, len(self.dual_coef_)), self._calibrator

    def __sklearn_is_fitted__(self) -> bool:
        return "dual_coef_" in vars(self)

    def _kernel_function(self) -> Callable[[Any], np.ndarray]:
        """A function from rows to their kernel values with the support vectors."""
        raise NotImplementedError

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
        self = at_one_moment(self)
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, reset=False)
        check_magnitude(X, X.dtype)
        kernel_values = self._kernel_function()
        scores = np.empty((X.shape[0], len(self.dual_coef_)))
        with at_work(self.n_jobs, X.shape[0]):
            for start in range(0, X.shape[0], PREDICT_BLOCK):
                part = slice(start, start + PREDICT_BLOCK)
                scores[part] = kernel_values(X[part]) @ self.dual_coef_.T
        return scores if scores.shape[1] > 1 else scores[:, 0]

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
            The labels; of two classes the second where the score is > 0.
        """
        self = at_one_moment(self)  # labels and scores that belong together
        scores = self.decision_function(X)
        best = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[best]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
