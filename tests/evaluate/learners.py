"""Learners that compile nothing: without scores of their own; one diverges, one sleeps, one dies."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin


class Majority(ClassifierMixin, BaseEstimator):
    """Guesses the label that it has seen most; keeps the sizes of the chunks it was given."""

    def __init__(self, gamma: Any = 1.0, offset: float = 0.0) -> None:
        self.gamma = gamma
        self.offset = offset

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Majority:
        if not hasattr(self, "n_features_in_"):
            self.n_features_in_ = X.shape[1]
            self.classes_, self.chunks_ = np.asarray(classes), []
            self.counts_ = np.zeros(len(classes))
        self.counts_ += [(y == label).sum() for label in self.classes_]
        self.chunks_.append(len(y))
        return self

    def fit(self, X: Any, y: Any) -> Majority:
        if hasattr(self, "n_features_in_"):
            del self.n_features_in_
        return self.partial_fit(X, y, np.unique(y))

    def predict(self, X: Any) -> Any:
        return np.full(X.shape[0], self.classes_[self.counts_.argmax()])


class Mean(RegressorMixin, BaseEstimator):
    """Predicts the mean of the targets seen."""

    def partial_fit(self, X: Any, y: Any) -> Mean:
        self.n_features_in_ = X.shape[1]
        self.sum_, self.count_ = (
            getattr(self, "sum_", 0) + y.sum(),
            getattr(self, "count_", 0) + len(y),
        )
        return self

    def predict(self, X: Any) -> Any:
        return np.full(X.shape[0], self.sum_ / self.count_)


class Diverging(Mean):
    """Predicts nan where its step is too large."""

    def __init__(self, step: float = 1.0) -> None:
        self.step = step

    def predict(self, X: Any) -> Any:
        return super().predict(X) * (np.nan if self.step > 1 else 1)


class Sleeping(Majority):
    """Learns for longer than anybody waits."""

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Sleeping:
        print("asleep", flush=True)
        time.sleep(600)
        return self


class Dying(Majority):
    """Takes its process with it, as an exhausted memory does."""

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Dying:
        os._exit(3)
