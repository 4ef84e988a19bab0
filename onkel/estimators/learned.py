"""What a learner has learned, for who asks: scores of rows, and fitted attributes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import NotFittedError

from onkel.engine.growth import fitting
from onkel.engine.layout import as_layout
from onkel.engine.machine import Machine
from onkel.engine.together import Together
from onkel.estimators.checks import check_kernel_values
from onkel.estimators.documentation import fitted, of_type
from onkel.estimators.half_life import half_life_of
from onkel.estimators.look import at_one_moment
from onkel.estimators.notebook import ToldInNotebooks
from onkel.estimators.progress import Progress
from onkel.estimators.rows import TakesRows
from onkel.parallel.limits import at_work

#: Fitted attributes that are known with the first rows, before there is a model.
GIVEN_BY_ROWS = ("n_features_in_", "feature_names_in_", "classes_")


class Learned(TakesRows, ToldInNotebooks):
    """An estimator around a machine, which during the first look is that of the provisional model."""

    _machine: Any
    _makes_mistakes: ClassVar[bool] = True

    n_features_in_ = fitted("int", "Number of features.")
    feature_names_in_ = fitted(
        "ndarray of shape (n_features,)", "Names of the features, where X has column names."
    )
    gamma_ = fitted("float", "The kernel's :math:`\\gamma`.")

    def __sklearn_is_fitted__(self) -> bool:
        state = self.__dict__
        return "_machine" in state or "_look" in state

    def _stand_in(self, name: str) -> Any:
        """Who has a fitted attribute that is not there yet: during the first look, the provisional model."""
        if "_machine" in self.__dict__ or name in GIVEN_BY_ROWS or not self.__sklearn_is_fitted__():
            return None
        return at_one_moment(self)

    def _fitted(self) -> Machine | Together:
        machine = self.__dict__.get("_machine")
        if machine is not None:
            return machine
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' or "
                f"'partial_fit' with appropriate arguments before using this estimator."
            )
        return at_one_moment(self)._machine

    @property
    @of_type("ndarray or sparse matrix of shape (n_support, n_features)")
    def support_vectors_(self) -> Any:
        """The support vectors."""
        return self._fitted().vectors()

    @property
    @of_type("ndarray of shape (n_outputs, n_support)")
    def dual_coef_(self) -> np.ndarray:
        """The coefficients of the support vectors in the model that predicts.

        There is one row for two classes or a regressor, else one a class.
        """
        return self._fitted().dual_coef() * self._unit

    @property
    @of_type("int")
    def n_support_(self) -> int:
        """Number of support vectors."""
        return self._fitted().n_support

    @property
    @of_type("int")
    def t_(self) -> int:
        """Number of instances learned."""
        return int(self._fitted().counters()["t"])

    @property
    @of_type("dict of float or None: float")
    def half_lives_(self) -> dict[float | None, float]:
        """How much of a say each half-life has at present; without "auto" there is one, which has all."""
        machine = self._fitted()
        if isinstance(machine, Together):
            half_lives = [half_life_of(each.decay) for each in machine.machines]
            return dict(zip(half_lives, machine.shares()))
        return {half_life_of(machine.decay): 1.0}

    @property
    @of_type("Progress")
    def progress_(self) -> Progress:
        """What the predictions before each update scored: ``seen``, ``mistakes``, ``mistake_rate``, mean ``loss``.

        And ``squared_error``, the mean of squared residuals, of a classifier of squared margins. Rows that came
        while a growing model knew a single class are seen, although not learned.
        """
        self = at_one_moment(self)
        now, alone = self._fitted().counters(), vars(self).get("_alone", 0)
        t, mistakes = int(now["t"]) + alone, int(now["mistakes"]) if self._makes_mistakes else 0
        mistakes += alone > 0  # the name of the single class was right, but for the first time
        loss, squared_error = (float(now[name]) / max(1, t) for name in ("loss", "squared_error"))
        squared_error *= self._unit**2
        return Progress(t, mistakes, mistakes / max(1, t), loss, squared_error)

    @property
    def _unit(self) -> float:
        """What one unit of the machine's targets is in those of the user."""
        return 1.0

    def _scores(self, X: Any) -> np.ndarray:
        return self._scores_and_observer(X)[0]

    def _scores_and_observer(self, X: Any) -> tuple[np.ndarray, Any]:
        self = at_one_moment(self)
        machine = self._fitted()
        X = self._check_rows(X)
        check_kernel_values(X, machine.kernel, machine.shape.dtype)
        return self._ask(X)

    def _scores_of_checked(self, X: Any) -> np.ndarray:
        return self._ask(X)[0]

    def _ask(self, X: Any) -> tuple[np.ndarray, Any]:
        machine = fitting(self._machine, X)
        with at_work(self.n_jobs, X.shape[0]):
            rows = as_layout(X, machine.shape.layout, machine.shape.dtype)
            return machine.scores_and_observer(rows)
