"""Learners put together by hand: any loss, rule and budget, onkel's own or a user's."""

from __future__ import annotations

from typing import Any, ClassVar

from onkel.budgets import Unbounded
from onkel.budgets.declarations import check_budget
from onkel.engine.machine import Recipe
from onkel.estimators.checks import check_number_of_classes
from onkel.estimators.classifier import OnlineClassifier
from onkel.estimators.kernels import AnyKernel
from onkel.estimators.online import FirstLook
from onkel.estimators.parameters import declared, parameter
from onkel.estimators.regressor import OnlineRegressor
from onkel.learners.shared import average_parameter
from onkel.losses import L2, Hinge
from onkel.rules import ConstantStep


@declared
class Composed(AnyKernel):
    """Parts as parameters."""

    loss: Any = parameter(
        default=None,
        one_of=(None,),
        or_having=("value", "slope"),
        doc="""Loss of the margin, or of a regressor's residual; see :mod:`onkel.losses`. None: the hinge, of a
        regressor the squared loss.""",
    )
    rule: Any = parameter(
        default=None,
        one_of=(None,),
        or_having=("step",),
        doc="""How far to step, ``step(instance, memory)``; see :mod:`onkel.rules`. None: gradient steps of
        size 0.2.""",
    )
    budget: Any = parameter(
        default=None,
        one_of=(None,),
        or_having=("absorb",),
        doc="""How the support set takes a new term in, ``absorb(model, workspace, instance, step)``; see
        :mod:`onkel.budgets`. None: it grows without bound.""",
    )
    average: bool | float = average_parameter(0.0)

    usual_loss: ClassVar[Any] = None

    def compose(self, look: FirstLook) -> Recipe:
        # Parts without parameters are empty tuples, and so false: ask for None itself.
        loss = self.usual_loss if self.loss is None else self.loss
        rule = ConstantStep(0.2) if self.rule is None else self.rule
        budget = Unbounded() if self.budget is None else self.budget
        check_budget(budget)
        check_number_of_classes(self, loss)
        return Recipe(loss, rule, budget, average=self.average)


@declared
class ComposedClassifier(Composed, OnlineClassifier):
    """A classifier of any loss, rule and budget.

    Examples
    --------
    A loss of one's own, compiled like onkel's:

    >>> from typing import NamedTuple
    >>> from sklearn.datasets import make_moons
    >>> from onkel import ComposedClassifier
    >>> from onkel.budgets import DropOldest
    >>> class Ramp(NamedTuple):
    ...     def value(self, m):
    ...         return min(max(0.0, 1.0 - m), 2.0)
    ...     def slope(self, m):
    ...         return -1.0 if -1.0 < m < 1.0 else 0.0
    >>> X, y = make_moons(500, noise=0.1, random_state=0)
    >>> model = ComposedClassifier(loss=Ramp(), budget=DropOldest(80), gamma=2.0, random_state=0)
    >>> bool(model.fit(X, y).score(X, y) > 0.9)
    True
    """

    usual_loss = Hinge()


@declared
class ComposedRegressor(Composed, OnlineRegressor):
    """A regressor of any loss, rule and budget; see :class:`ComposedClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import ComposedRegressor
    >>> from onkel.budgets import DropRandom
    >>> X = np.linspace(0, 6, 500)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = ComposedRegressor(budget=DropRandom(200), gamma=1.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.8)
    True
    """

    usual_loss = L2()
