"""Classifiers."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from river import base

from onkel.estimators.classifier import OnlineClassifier
from onkel.estimators.labels import signs_or_numbers
from onkel.river.model import Features, Model


class Classifier(Model, base.MiniBatchClassifier):
    """A classifier of river's: labels are strings, numbers or booleans, and nobody declares them."""

    _learner: OnlineClassifier

    @property
    def _multiclass(self) -> bool:
        return True

    @property
    def _knows_something(self) -> bool:
        return super()._knows_something and len(self._learner.classes_) > 0

    def _get_ready(self) -> None:
        self._labels = self._learner.classes_.tolist()
        numbers = np.arange(len(self._labels))
        self._targets = dict(zip(self._labels, signs_or_numbers(numbers, len(numbers)).tolist()))

    def learn_one(self, x: Features, y: Any, w: float = 1.0) -> None:
        """
        Learn one row.

        Parameters
        ----------
        x : dict
            The features: numbers by name. What is missing is 0.
        y : str, int or bool
            The label; one that never came before makes the model grow.
        w : float, default=1.0
            How much the row counts.
        """
        single = self._quick()
        if single is not None:
            target = self._targets.get(y)
            if target is not None and self._learn_quickly(single, x, target, w):
                return
        self._learn(x, y, w)

    def predict_one(self, x: Features, **kwargs: Any) -> Any:
        """
        Predict the label of one row: that of the highest score.

        Parameters
        ----------
        x : dict
            The features; those that were never learned are left out.
        **kwargs : dict
            Ignored.

        Returns
        -------
        str, int or bool
            The label; None before the first one was learned.
        """
        scores = self._scored(x)
        if scores is not None:
            best = scores[0] > 0.0 if len(scores) == 1 else scores.index(max(scores))
            return self._labels[best]
        if not self._knows_something:
            return None
        return self._learner.predict(self._asked(x)).tolist()[0]

    def predict_proba_one(self, x: Features, **kwargs: Any) -> dict[Any, float]:
        """
        Tell how likely each label is for one row.

        Parameters
        ----------
        x : dict
            The features; those that were never learned are left out.
        **kwargs : dict
            Ignored.

        Returns
        -------
        dict
            The probabilities by label; empty before the first one was learned.
        """
        self._check_probabilities()
        scores = self._scored(x)
        if scores is not None:
            observer = self._learner._machine.observer
            said = observer.probabilities(np.array([scores]))[0].tolist()
            return dict(zip(self._labels, said))
        if not self._knows_something:
            return {}
        said = self._learner.predict_proba(self._asked(x))[0].tolist()
        return dict(zip(self._learner.classes_.tolist(), said))

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """
        Learn many rows, one after the other: the same as ``learn_one`` of each, and faster.

        Parameters
        ----------
        X : pandas.DataFrame
            The rows, a column for each feature; columns that are missing are 0.
        y : pandas.Series
            Their labels.
        w : array-like of shape (n_rows,), default=None
            How much the rows count. None: 1 for all.
        """
        self._learn_frame(X, np.asarray(list(y)), w)

    def predict_many(self, X: Any) -> Any:
        """
        Predict the labels of many rows.

        Parameters
        ----------
        X : pandas.DataFrame
            The rows.

        Returns
        -------
        pandas.Series
            The labels; None before the first one was learned.
        """
        import pandas as pd

        if not self._knows_something:
            return pd.Series([None] * len(X), index=X.index, dtype=object)
        labels = self._learner.predict(self._asked_frame(X))
        return pd.Series(labels.tolist(), index=X.index)

    def predict_proba_many(self, X: Any) -> Any:
        """
        Tell how likely each label is for many rows.

        Parameters
        ----------
        X : pandas.DataFrame
            The rows.

        Returns
        -------
        pandas.DataFrame
            The probabilities, a column for each label; none before the first one was learned.
        """
        import pandas as pd

        self._check_probabilities()
        if not self._knows_something:
            return pd.DataFrame(index=X.index)
        said = self._learner.predict_proba(self._asked_frame(X))
        labels: list[Hashable] = self._learner.classes_.tolist()
        return pd.DataFrame(said, index=X.index, columns=labels)

    def _check_probabilities(self) -> None:
        if not self._learner.probabilities:
            raise NotImplementedError(
                f"this {type(self).__name__} has no probabilities: make it with probabilities=True."
            )
