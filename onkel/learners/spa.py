"""Sparse passive-aggressive learning: few instances are sampled, and those count for more."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import OutlierMixin

from onkel.calibration import ScoreSample
from onkel.engine.machine import Recipe
from onkel.estimators.classifier import OnlineClassifier
from onkel.estimators.documentation import of_type
from onkel.estimators.half_life import half_life_parameter
from onkel.estimators.kernels import AnyKernel
from onkel.estimators.look import at_one_moment
from onkel.estimators.merging import Mergeable
from onkel.estimators.online import FirstLook, OnlineLearner
from onkel.estimators.parameters import declared, parameter
from onkel.estimators.regressor import OnlineRegressor
from onkel.estimators.rows import NO_TARGETS
from onkel.learners.shared import average_parameter, step_parameter, tube_parameter
from onkel.losses import EpsilonInsensitive, Hinge
from onkel.rules import SampledPassiveAggressive
from onkel.tasks import Binary


@declared
class SPA(Mergeable, AnyKernel):
    """Parameters and parts of SPA, for every task."""

    step: float = step_parameter(0.1)
    loss_cap: float = parameter(
        default=1.0,
        above=0,
        doc=r"Loss :math:`\alpha` beyond which the sampling probability does not grow.",
    )
    sampling: float = parameter(
        default=5.0,
        above=0,
        doc=r"Rate :math:`\beta \ge \alpha`: the larger, the fewer support vectors.",
    )
    average: bool | float = average_parameter(1.0)

    def _spa_recipe(self, loss: Any) -> Recipe:
        if self.sampling < self.loss_cap:
            raise ValueError(
                f"sampling={self.sampling!r} is less than loss_cap={self.loss_cap!r}: the sampling "
                f"probability min(loss_cap, loss)/sampling would exceed 1. Raise sampling."
            )
        rule = SampledPassiveAggressive(self.step, self.loss_cap, self.sampling)
        return Recipe(loss, rule, average=self.average)


@declared
class SPAClassifier(SPA, OnlineClassifier):
    r"""Sparse passive-aggressive classifier.

    An instance of loss :math:`\ell_t` becomes a support vector with probability
    :math:`\rho_t = \min(\alpha, \ell_t)/\beta`, with the coefficient

    .. math:: \tau_t = \min\left(\frac{\eta}{\rho_t}, \frac{\ell_t}{k(x_t, x_t)}\right) y_t

    (half the second term where there are more than two classes). The expected number of support
    vectors is at most :math:`\alpha T / \beta`.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel import SPAClassifier
    >>> X, y = make_moons(2000, noise=0.1, random_state=0)
    >>> model = SPAClassifier(gamma=2.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9), model.n_support_ < 500
    (True, True)

    References
    ----------
    Lu, Zhao, Hoi: Online sparse passive aggressive learning with kernels. SIAM International
    Conference on Data Mining, 2016.
    """

    intercept: bool = parameter(default=False, one_of=(True, False))  # costs it 0.8 points

    def compose(self, look: FirstLook) -> Recipe:
        return self._spa_recipe(Hinge())


@declared
class SPARegressor(SPA, OnlineRegressor):
    r"""Sparse passive-aggressive regressor, with the :math:`\epsilon`-insensitive loss.

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import SPARegressor
    >>> X = np.linspace(0, 6, 2000)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = SPARegressor(gamma=1.0, average=False, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    epsilon: float = tube_parameter(0.1)

    def compose(self, look: FirstLook) -> Recipe:
        return self._spa_recipe(EpsilonInsensitive(self.epsilon))


@declared
class SPAOneClass(SPA, OutlierMixin, OnlineLearner):
    r"""Sparse passive-aggressive outlier detection: every instance should score at least 1.

    The loss is :math:`\max(0, 1 - f(x))`, sampled as in :class:`SPAClassifier`. What scores
    less than ``offset_`` is an outlier. After ``fit`` that is the ``contamination`` quantile of the
    final model's scores of all rows, as in scikit-learn's detectors: exactly this share of them is
    flagged (but for equal scores). After ``partial_fit`` it is the quantile of the scores that
    rows had before they were learned, estimated from a uniform sample of 4096 of them: the share
    flagged is then near ``contamination`` as far as the model has settled, and not exact.

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import SPAOneClass
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> model = SPAOneClass(gamma=0.5, contamination=0.05, random_state=0).fit(X)
    >>> model.predict([[0.0, 0.0], [6.0, 6.0]]).tolist()
    [1, -1]
    """

    contamination: float = parameter(
        default=0.1,
        above=0,
        at_most=0.5,
        doc="""Share of outliers among the rows given to ``fit``, or in a stream. Like all parameters it counts when
        a model starts: set later, it takes effect with the next ``fit``.""",
    )

    half_life: Any = half_life_parameter(auto=False)  # no label says which one is the best

    def compose(self, look: FirstLook) -> Recipe:
        self._share = float(self.contamination)
        return self._spa_recipe(Hinge())

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """
        Learn anew: ``epochs`` passes over the rows, in random order if ``shuffle``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_rows,), default=None
            How much a row counts: it multiplies the step. None: 1 for all.

        Returns
        -------
        Self
            The estimator itself.
        """
        return super().fit(X, None, sample_weight)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """
        Learn on: one pass over the rows in the order given.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_rows,), default=None
            How much a row counts: it multiplies the step. None: 1 for all.

        Returns
        -------
        Self
            The estimator itself.
        """
        return self._learn_on(X, None, sample_weight, None)

    def score_samples(self, X: Any) -> np.ndarray:
        """
        Score how normal each row is.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The scores: the larger, the more normal.
        """
        return self._scores(X)[:, 0]

    def decision_function(self, X: Any) -> np.ndarray:
        """
        Score how normal each row is, less what is normal enough.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The scores less ``offset_``: negative for outliers.
        """
        self = at_one_moment(self)
        scores, sample = self._scores_and_observer(X)
        return scores[:, 0] - sample.quantile(self._share)

    def predict(self, X: Any) -> np.ndarray:
        """
        Tell inliers from outliers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            1 for inliers, -1 for outliers.
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)

    @property
    @of_type("float")
    def offset_(self) -> float:
        """The score below which a row is an outlier."""
        self = at_one_moment(self)
        sample = self._fitted().observer_now()
        return sample.quantile(self._share)

    def _new_observer(self) -> ScoreSample:
        return ScoreSample(self._machine.parts.seed, self._decay)

    def _conclude(self, X: Any) -> None:
        scores = self._scores_of_checked(X)[:, 0]
        with self._machine.lock.writing:
            self._machine.observer.conclude(scores, self._share)

    def _check_rows(self, X: Any, y: Any = NO_TARGETS, reset: bool = False) -> Any:
        X = super()._check_rows(X, reset=reset)
        return X if y is NO_TARGETS else (X, np.ones(X.shape[0]))

    def _declare_targets(self, y: Any, classes: Any) -> None:
        pass

    def _targets(self, y: Any) -> np.ndarray:
        return np.asarray(y, float)

    def _n_outputs(self) -> int:
        return 1

    def _task(self) -> Any:
        return Binary()
