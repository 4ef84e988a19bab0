"""The scikit-learn side of probabilities: what online and batch classifiers share."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from onkel.estimators.look import at_one_moment
from onkel.estimators.parameters import declared, parameter


def probabilities_parameter(default: bool, doc: str) -> Any:
    """Whether there will be probabilities."""
    return parameter(
        default=default,
        one_of=(True, False),
        doc=f"Whether to learn how likely a class is at a score, for ``predict_proba``: {doc}",
    )


def has_probabilities(model: Any) -> bool:
    """Whether ``predict_proba`` can answer; why not is told."""
    if model.__sklearn_is_fitted__() and not model._has_calibrator():
        raise AttributeError(
            f"this {type(model).__name__} has no predict_proba: it was learned with "
            f"probabilities=False, or by a version of onkel without them. Learn it anew with "
            f"probabilities=True."
        )
    if not model.__sklearn_is_fitted__() and not model.probabilities:
        raise AttributeError(
            f"{type(model).__name__} has no predict_proba with probabilities=False."
        )
    return True


@declared
class Probabilities:
    """Adds ``predict_proba`` to a classifier that can tell its scores and its calibrator."""

    probabilities: bool = probabilities_parameter(
        True,
        """scores before each update, which are honest, train a logistic function of the score (softmax for more
        than two classes) on the way, also in later epochs, where they are a little less so.""",
    )

    def _has_calibrator(self) -> bool:
        raise NotImplementedError

    def _scores_and_calibrator(self, X: Any) -> tuple[np.ndarray, Any]:
        raise NotImplementedError

    @available_if(has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """
        Tell how likely each class is for each row.

        The most likely class may be another than that of the highest score, which ``predict`` gives.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The probabilities, in the order of ``classes_``.
        """
        scores, calibrator = at_one_moment(self)._scores_and_calibrator(X)
        return calibrator.probabilities(scores)

    @available_if(has_probabilities)
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
        scores, calibrator = at_one_moment(self)._scores_and_calibrator(X)
        return calibrator.log_probabilities(scores)
