"""The scikit-learn side of online regressors: numbers in, numbers out."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin

from onkel.calibration import ResidualQuantiles
from onkel.estimators.checks import check_numbers, mean_of, spread_of
from onkel.estimators.documentation import fitted
from onkel.estimators.intercept import WithIntercept
from onkel.estimators.look import at_one_moment
from onkel.estimators.online import OnlineLearner
from onkel.estimators.parameters import Constraint, declared, parameter
from onkel.estimators.rows import NUMBERS
from onkel.tasks import Residual

SHARE = Constraint(kind=float, above=0, below=1)


@declared
class OnlineRegressor(RegressorMixin, WithIntercept, OnlineLearner):
    r"""An online learner of real numbers: :math:`\mu + \sigma f(x)`."""

    scale_targets: bool = parameter(
        default=True,
        one_of=(True, False),
        doc=r"""Whether targets are learned as :math:`(y - \mu)/\sigma`, with mean and standard deviation of those
        given to ``fit``, or of the first 512 of a stream; a tube or a dead zone is then in units of
        :math:`\sigma`, and so is the mean loss in ``progress_``. If not, they are learned as they are.""",
    )

    target_mean_ = fitted("float", r"The mean :math:`\mu` of the first targets; 0 if not scaled.")
    target_scale_ = fitted(
        "float",
        r"Their standard deviation :math:`\sigma` (of equal ones their size); 1 if not scaled.",
    )

    _target_kinds: ClassVar[str] = NUMBERS
    _makes_mistakes: ClassVar[bool] = False

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """
        Learn on: one pass over the rows in the order given.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            Their targets.
        sample_weight : array-like of shape (n_rows,), default=None
            How much a row counts: it multiplies the step. None: 1 for all.

        Returns
        -------
        Self
            The estimator itself.
        """
        return self._learn_on(X, y, sample_weight, None)

    def predict(self, X: Any) -> np.ndarray:
        """
        Predict the target of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The targets.
        """
        self = at_one_moment(self)  # scores and their unit belong together
        return self._in_user_units(self._scores(X)[:, 0])

    def predict_interval(self, X: Any, coverage: float = 0.9) -> np.ndarray:
        """
        Predict an interval for the target of each row, of the same width for all.

        It is ``predict`` plus and minus a quantile of the absolute residuals that rows had before they were learned.
        The quantiles of 0.5, 0.8, 0.9, 0.95 and 0.99 are tracked on the way and follow what changes; others are
        interpolated.

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
        if not SHARE.allows(coverage):
            raise ValueError(
                f"coverage={coverage!r} is not allowed: it must be {SHARE.in_words()}."
            )
        self = at_one_moment(self)
        scores, residuals = self._scores_and_observer(X)
        if residuals is None:
            raise ValueError(
                f"this {type(self).__name__} was learned by a version of onkel without intervals: "
                f"learn it anew."
            )
        width = residuals.quantile(float(coverage))
        return self._in_user_units(scores + [-width, width])

    def _said(self, observer: Any, scores: np.ndarray, coverage: float | None) -> tuple[Any, ...]:
        told = self._in_user_units(scores)
        if observer is None or coverage is None:
            return told, None, None
        width = observer.quantile(coverage)
        return told, None, self._in_user_units(scores + [-width, width])

    def _in_user_units(self, values: np.ndarray) -> np.ndarray:
        """Targets as the user gave them, from what the machine learned of them."""
        return self.target_mean_ + self._unit * values

    def _new_observer(self) -> ResidualQuantiles:
        line = getattr(self._machine, "predicts_by_line", False) and self._has_intercept()
        return ResidualQuantiles(self._decay, follows=line)

    def _declare_targets(self, y: Any, classes: Any) -> None:
        pass

    def _targets(self, y: Any) -> np.ndarray:
        check_numbers(y)
        return np.asarray(y, dtype=float)

    def _look_at_targets(self, targets: np.ndarray) -> None:
        self.target_mean_, self.target_scale_ = 0.0, 1.0
        if self.scale_targets:
            self.target_mean_, self.target_scale_ = mean_of(targets), spread_of(targets)

    def _in_model_units(self, targets: np.ndarray) -> np.ndarray:
        return (targets - self.target_mean_) / self.target_scale_

    @property
    def _unit(self) -> float:
        return self.target_scale_

    def _n_outputs(self) -> int:
        return 1

    def _task(self) -> Any:
        return Residual()
