"""Budgeted SGD, and its nonparametric version whose budget grows with the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from onkel.budgets import (
    DropSmallest,
    ProjectSmallest,
    ProjectSmallestNearby,
    Sometimes,
    merging,
)
from onkel.engine.machine import Recipe
from onkel.estimators.kernels import ANY, GAUSSIAN, POSITIVE_DEFINITE, AnyKernel, Need
from onkel.estimators.online import FirstLook
from onkel.estimators.parameters import declared, parameter
from onkel.learners.losses import (
    STREAM_ROWS,
    MarginLossClassifier,
    ResidualLossRegressor,
    chosen_regularization,
    decreasing_step,
)
from onkel.learners.shared import (
    auto_regularization_parameter,
    average_parameter,
    first_step_parameter,
)

MAINTENANCE = ("removal", "projection", "merging")
#: The "auto" budget. Its square is kept, of distances or kernel values: it must not be too large.
USUAL_BUDGET, VECTORS_A_CLASS, LARGEST_BUDGET = 500, 2, 4000
#: Added to the diagonal of Gram matrices, relatively. In float64 the root of the rounding: copies of a
#: vector then cost a projection as many digits as the inverse.
JITTER = {np.dtype(np.float64): 1e-8, np.dtype(np.float32): 1e-5}


@declared
class Budgeted(AnyKernel):
    """Parameters of budgeted gradient descent, for classifiers and regressors alike."""

    regularization: Any = auto_regularization_parameter("4")
    first_step: Any = first_step_parameter()
    budget: Any = parameter(
        default="auto",
        one_of=("auto",),
        kind=int,
        at_least=2,
        doc="""Largest number of support vectors, B. ``"auto"`` is 500, or two for each class where these are more
        than 250, but no more than 4000.""",
    )
    maintenance: str = parameter(
        default="merging",
        one_of=MAINTENANCE,
        doc="""What is done when there are more than B vectors, with the one of the least
        :math:`|c|^2 k(v, v)`: it is merged with another one (the best for small budgets; rbf kernel only),
        removed (the fastest), or projected on others.""",
    )
    neighbors: Any = parameter(
        default=4,
        one_of=(None,),
        kind=int,
        at_least=1,
        doc="""On how many nearest vectors ``maintenance="projection"`` projects; None: on all of them, which
        is exact.""",
    )
    average: bool | float = average_parameter(0.1)

    @property
    def kernel_need(self) -> Need:
        if self.maintenance == "merging":
            return GAUSSIAN._replace(
                words="the Gaussian kernel for maintenance='merging' ('removal' takes any kernel, "
                "'projection' any positive definite one)"
            )
        return POSITIVE_DEFINITE if self.maintenance == "projection" else ANY

    def _policy(self, look: FirstLook) -> Any:
        jitter, budget = JITTER[np.dtype(look.X.dtype)], self._size()
        if self.maintenance == "merging":
            return merging(budget)
        if self.maintenance == "removal":
            return DropSmallest(budget)
        if self.neighbors is None:
            return ProjectSmallest(budget, jitter)
        return ProjectSmallestNearby(budget, self.neighbors, jitter)

    def _size(self) -> int:
        """B: what has no vector of its own cannot be told from the rest."""
        if self.budget != "auto":
            return int(self.budget)
        n_classes = len(getattr(self, "classes_", ()))
        return min(max(USUAL_BUDGET, VECTORS_A_CLASS * n_classes), LARGEST_BUDGET)

    def compose(self, look: FirstLook) -> Recipe:
        loss = self._loss(look)  # type: ignore[attr-defined]
        regularization = chosen_regularization(self, loss, look, 4.0)
        rule = decreasing_step(self, regularization)
        ball = self._ball(loss, regularization)  # type: ignore[attr-defined]
        return Recipe(loss, rule, self._policy(look), ball, self.average)


@declared
class BSGDClassifier(Budgeted, MarginLossClassifier):
    r"""Budgeted stochastic gradient descent: kernel SGD with at most ``budget`` support vectors.

    .. math:: w_{t+1} = (1 - 1/t)\,w_t - \frac{1}{\lambda t}\, \ell'(m_t)\, y_t \Phi(x_t)

    and when there are more than B vectors, one maintenance step: the vector with the least
    :math:`|c|^2 k(v, v)` is removed, or projected on the others, or merged with another one.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel import BSGDClassifier
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> model = BSGDClassifier(budget=30, gamma=2.0, random_state=0).fit(X, y)
    >>> model.n_support_, bool(model.score(X, y) > 0.95)
    (30, True)

    References
    ----------
    Wang, Crammer, Vucetic: Breaking the curse of kernelization: budgeted stochastic gradient
    descent for large-scale SVM training. JMLR 13, 2012.
    """


@declared
class BSGDRegressor(Budgeted, ResidualLossRegressor):
    r"""Budgeted stochastic gradient descent for regression; see :class:`BSGDClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import BSGDRegressor
    >>> X = np.linspace(0, 6, 1000)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = BSGDRegressor(budget=20, gamma=1.0, average=0.5, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.8)
    True
    """


@declared
class Nonparametric(Budgeted):
    """Maintenance that becomes rarer as the stream goes on."""

    budget: Any = parameter(
        default="auto",
        one_of=("auto",),
        kind=int,
        at_least=2,
        doc="""Number of support vectors B from which on there is maintenance. ``"auto"`` is 500, or two for each
        class where these are more than 250, but no more than 4000.""",
    )
    maintenance: str = parameter(default="projection", one_of=MAINTENANCE)
    maintenance_rate: Any = parameter(
        default="auto",
        one_of=("auto",),
        above=0,
        doc=r"""Rate :math:`\beta`: beyond the budget, maintenance is done with probability
        :math:`\min(\beta/t, 1)`. ``"auto"`` is 0.6 times the rows that ``fit`` learns in all its passes;
        of a stream, 0.6 times 50,000.""",
    )

    def _policy(self, look: FirstLook) -> Any:
        rate = self.maintenance_rate
        if rate == "auto":
            rate = 0.6 * (look.n_rows if look.complete else STREAM_ROWS)
        return Sometimes(super()._policy(look), float(rate))


@declared
class NBSGDClassifier(Nonparametric, MarginLossClassifier):
    r"""Nonparametric budgeted SGD: beyond the budget, maintenance has probability :math:`\min(\beta/t, 1)`.

    So the model grows with the data, slowly, and converges at the rate of SGD. See
    :class:`BSGDClassifier` for the rest.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel import NBSGDClassifier
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> model = NBSGDClassifier(budget=30, gamma=2.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True

    References
    ----------
    Le, Nguyen, Nguyen, Phung: Nonparametric budgeted stochastic gradient descent. AISTATS 2016.
    """


@declared
class NBSGDRegressor(Nonparametric, ResidualLossRegressor):
    r"""Nonparametric budgeted SGD for regression; see :class:`NBSGDClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import NBSGDRegressor
    >>> X = np.linspace(0, 6, 1000)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = NBSGDRegressor(budget=20, gamma=1.0, average=0.5, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.8)
    True
    """
