"""Passive-aggressive learning (PA-I), unbounded, and on a budget with one vector replaced (BPA-S)."""

from __future__ import annotations

from typing import Any

from onkel.budgets import Replace
from onkel.engine.machine import Recipe
from onkel.estimators.classifier import OnlineClassifier
from onkel.estimators.kernels import POSITIVE_DEFINITE, AnyKernel, Need
from onkel.estimators.online import FirstLook
from onkel.estimators.parameters import declared, parameter
from onkel.estimators.regressor import OnlineRegressor
from onkel.learners.shared import tube_parameter
from onkel.losses import EpsilonInsensitive, Hinge
from onkel.rules import PassiveAggressive


def aggressiveness_parameter(default: float) -> Any:
    """The largest step."""
    return parameter(default=default, above=0, doc="Largest step C.")


@declared
class PAClassifier(AnyKernel, OnlineClassifier):
    r"""The passive-aggressive classifier PA-I: as little change as undoes the loss, at most C.

    .. math:: \tau = \min\left(C, \frac{\ell}{k(x, x)}\right)

    (half the second term where there are more than two classes).

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel import PAClassifier
    >>> X, y = make_moons(500, noise=0.1, random_state=0)
    >>> model = PAClassifier(gamma=2.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz, Singer: Online passive-aggressive algorithms. JMLR 7, 2006.
    """

    C: float = aggressiveness_parameter(1.0)

    def compose(self, look: FirstLook) -> Recipe:
        return Recipe(Hinge(), PassiveAggressive(self.C))


@declared
class PARegressor(AnyKernel, OnlineRegressor):
    r"""The passive-aggressive regressor PA-I, with the :math:`\epsilon`-insensitive loss.

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import PARegressor
    >>> X = np.linspace(0, 6, 500)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = PARegressor(gamma=1.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    C: float = aggressiveness_parameter(0.5)
    epsilon: float = tube_parameter(0.3)

    def compose(self, look: FirstLook) -> Recipe:
        return Recipe(EpsilonInsensitive(self.epsilon), PassiveAggressive(self.C))


@declared
class BPASClassifier(AnyKernel, OnlineClassifier):
    r"""Budgeted passive-aggressive learning, the simple version: a newcomer replaces one vector.

    When the budget is full, x takes the place of the vector r with the least
    :math:`|A_r|^2 (k(v_r, v_r) - k(v_r, x)^2/k(x, x))`, and takes :math:`A_r k(v_r, x)/k(x, x)` over from it.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel import BPASClassifier
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> model = BPASClassifier(budget=50, gamma=2.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True

    References
    ----------
    Wang, Vucetic: Online passive-aggressive algorithms on a budget. AISTATS 2010.
    """

    C: float = aggressiveness_parameter(1.0)
    budget: int = parameter(
        default=100, kind=int, at_least=1, doc="Largest number of support vectors, B."
    )

    @property
    def kernel_need(self) -> Need:
        return POSITIVE_DEFINITE

    def compose(self, look: FirstLook) -> Recipe:
        return Recipe(Hinge(), PassiveAggressive(self.C), Replace(self.budget))
