"""``fit`` and ``partial_fit`` of races: those of any online learner, and an executor for the candidates."""

from __future__ import annotations

from typing import Any, Self

from onkel.estimators.classifier import OnlineClassifier
from onkel.estimators.documentation import Entry, documented_like
from onkel.estimators.online import OnlineLearner
from onkel.estimators.regressor import OnlineRegressor
from onkel.estimators.turns import learning_alone
from onkel.parallel.executors import helped_by

EXECUTOR = Entry(
    "executor",
    "dask.distributed.Client or concurrent.futures.Executor, default=None",
    "Where candidates learn, as tasks; the race is the same, to the last bit. None: here. See the notes of "
    ":class:`RaceClassifier`.",
)


class Learns:
    """Learns anew."""

    @documented_like(OnlineLearner.fit, EXECUTOR)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, executor: Any = None) -> Self:
        with helped_by(executor), learning_alone(self):
            return self._learn_anew(X, y, sample_weight)  # type: ignore[attr-defined]


class LearnsClasses(Learns):
    """Learns labels."""

    @documented_like(OnlineClassifier.partial_fit, EXECUTOR)
    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        sample_weight: Any = None,
        *,
        executor: Any = None,
    ) -> Self:
        with helped_by(executor):
            return self._learn_on(X, y, sample_weight, classes)  # type: ignore[attr-defined]


class LearnsNumbers(Learns):
    """Learns targets."""

    @documented_like(OnlineRegressor.partial_fit, EXECUTOR)
    def partial_fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        executor: Any = None,
    ) -> Self:
        with helped_by(executor):
            return self._learn_on(X, y, sample_weight, None)  # type: ignore[attr-defined]
