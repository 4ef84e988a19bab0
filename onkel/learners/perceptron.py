"""The Perceptron, and what it becomes on a budget: RBP, Forgetron, Projectron and Projectron++."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from onkel.budgets import DropRandom, Forget, ProjectNewest, Unbounded
from onkel.engine.machine import Recipe
from onkel.estimators.classifier import OnlineClassifier
from onkel.estimators.kernels import POSITIVE_DEFINITE, AnyKernel, Need
from onkel.estimators.online import FirstLook
from onkel.estimators.parameters import declared, parameter
from onkel.estimators.regressor import OnlineRegressor
from onkel.learners.shared import average_parameter, dead_zone_parameter, step_parameter
from onkel.losses import L1, Hinge
from onkel.rules import ConstantStep, OnMarginError, OnMistake

#: Relative squared distance below which a vector counts as spanned by others, by data type.
FLOOR = {np.dtype(np.float64): 1e-10, np.dtype(np.float32): 1e-5}


@declared
class MistakeDriven(AnyKernel, OnlineClassifier):
    """A classifier that learns from mistakes only, by steps of size 1."""

    def _policy(self, look: FirstLook) -> Any:
        return Unbounded()

    def compose(self, look: FirstLook) -> Recipe:
        return Recipe(Hinge(), OnMistake(), self._policy(look))


@declared
class ResidualDriven(AnyKernel, OnlineRegressor):
    """A regressor that steps by ``step`` towards the target when it is off by more than ``dead_zone``."""

    step: float = step_parameter(0.1)
    dead_zone: float = dead_zone_parameter(0.1)

    def _policy(self, look: FirstLook) -> Any:
        return Unbounded()

    def compose(self, look: FirstLook) -> Recipe:
        return Recipe(L1(self.dead_zone), ConstantStep(self.step), self._policy(look))


@declared
class KernelPerceptronClassifier(MistakeDriven):
    r"""The kernel Perceptron: every mistake becomes a support vector with coefficient y.

    The model that predicts is an average, as its authors propose: the last one swings with every mistake.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel import KernelPerceptronClassifier
    >>> X, y = make_moons(500, noise=0.1, random_state=0)
    >>> model = KernelPerceptronClassifier(gamma=2.0, epochs=3, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True

    References
    ----------
    Freund, Schapire: Large margin classification using the Perceptron algorithm. Machine
    Learning 37, 1999.
    """

    average: bool | float = average_parameter(0.5)

    def compose(self, look: FirstLook) -> Recipe:
        return super().compose(look)._replace(average=self.average)


@declared
class KernelPerceptronRegressor(ResidualDriven):
    r"""The Perceptron for regression: a step of :math:`\eta\,\mathrm{sign}(y - f)` outside the dead zone.

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import KernelPerceptronRegressor
    >>> X = np.linspace(0, 6, 500)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = KernelPerceptronRegressor(gamma=1.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """


@declared
class RandomBudget:
    """Parameters and policy of RBP."""

    budget: int = parameter(
        default=100, kind=int, at_least=2, doc="Largest number of support vectors, B."
    )

    def _policy(self, look: FirstLook) -> Any:
        return DropRandom(self.budget)


@declared
class RBPClassifier(RandomBudget, MistakeDriven):
    r"""Randomized budget Perceptron: when the budget is full, an old vector drawn at random goes.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel import RBPClassifier
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> model = RBPClassifier(budget=50, gamma=2.0, epochs=3, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True

    References
    ----------
    Cavallanti, Cesa-Bianchi, Gentile: Tracking the best hyperplane with a simple budget
    Perceptron. Machine Learning 69, 2007.
    """


@declared
class RBPRegressor(RandomBudget, ResidualDriven):
    """Randomized budget Perceptron for regression.

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import RBPRegressor
    >>> X = np.linspace(0, 6, 500)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = RBPRegressor(budget=100, gamma=1.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """


@declared
class ForgettingBudget:
    """Parameters and policy of the Forgetron."""

    budget: int = parameter(
        default=100, kind=int, at_least=1, doc="Largest number of support vectors, B."
    )

    @property
    def kernel_need(self) -> Need:
        return POSITIVE_DEFINITE

    def _policy(self, look: FirstLook) -> Any:
        return Forget(self.budget, getattr(self, "step", 1.0))


@declared
class ForgetronClassifier(ForgettingBudget, MistakeDriven):
    r"""The self-tuned Forgetron: the oldest vector goes, after all were shrunk.

    The shrinking :math:`\varphi_t \in (0, 1]` is the largest that keeps the harm done by forgetting
    within a share of the mistakes, so that the mistake bound survives.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel import ForgetronClassifier
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> model = ForgetronClassifier(budget=50, gamma=2.0, epochs=3, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True

    References
    ----------
    Dekel, Shalev-Shwartz, Singer: The Forgetron: a kernel-based Perceptron on a budget. SIAM
    Journal on Computing 37, 2008.
    """


@declared
class ForgetronRegressor(ForgettingBudget, ResidualDriven):
    """The Forgetron for regression.

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import ForgetronRegressor
    >>> X = np.linspace(0, 6, 500)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = ForgetronRegressor(budget=100, gamma=1.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """


@declared
class ProjectingBudget:
    """Parameters and policy of the Projectron."""

    budget: Any = parameter(
        default=100,
        one_of=(None,),
        kind=int,
        at_least=1,
        doc="""Largest number of support vectors B: when it is reached, everything is projected. None: no
        limit; the tolerance then bounds the model.""",
    )
    tolerance: float = parameter(
        default=0.1,
        at_least=0,
        doc=r"""Largest distance :math:`\delta` in feature space between an instance and the span of the
        support vectors at which it is projected on them (the paper's :math:`\eta`).""",
    )

    @property
    def kernel_need(self) -> Need:
        return POSITIVE_DEFINITE

    def _policy(self, look: FirstLook) -> Any:
        floor = FLOOR[np.dtype(look.X.dtype)]
        return ProjectNewest(self.budget or 0, self.tolerance, self._margin(), floor)

    def _margin(self) -> float:
        return -1.0


@declared
class ProjectronClassifier(ProjectingBudget, MistakeDriven):
    r"""The Projectron: a mistake that the support vectors nearly span is projected on them.

    With :math:`d = K^{-1} k` and :math:`\delta^2 = k(x, x) - k \cdot d`: if :math:`\delta` is at most ``tolerance``,
    or the budget is full, :math:`y\,d` is added to the coefficients, else x to the support vectors.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel import ProjectronClassifier
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> model = ProjectronClassifier(budget=50, gamma=2.0, epochs=3, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True

    References
    ----------
    Orabona, Keshet, Caputo: Bounded kernel-based online learning. JMLR 10, 2009.
    """


@declared
class ProjectronRegressor(ProjectingBudget, ResidualDriven):
    """The Projectron for regression.

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import ProjectronRegressor
    >>> X = np.linspace(0, 6, 500)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = ProjectronRegressor(gamma=1.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """


@declared
class ProjectronPPClassifier(ProjectingBudget, AnyKernel, OnlineClassifier):
    r"""Projectron++: margin errors that the support vectors span well enough move them too.

    On a margin error with :math:`\ell > U \delta` the projection gets the coefficient
    :math:`\min(\ell, 2(\ell - U\delta), \|P\|^2)/\|P\|^2 \cdot y` with :math:`\|P\|^2 = k \cdot d`.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel import ProjectronPPClassifier
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> model = ProjectronPPClassifier(budget=50, gamma=2.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True

    References
    ----------
    Orabona, Keshet, Caputo: Bounded kernel-based online learning. JMLR 10, 2009.
    """

    U: Any = parameter(
        default="auto",
        one_of=("auto",),
        at_least=0,
        doc=r"""Price U of the distance :math:`\delta`: a margin error is learned from if its loss exceeds
        :math:`U \delta`. ``"auto"`` is :math:`\frac14\sqrt{(B+1)/\ln(B+1)}` with a budget, 1 / tolerance without.""",
    )

    def _margin(self) -> float:
        if self.U != "auto":
            return float(self.U)
        if self.budget is not None:
            return 0.25 * math.sqrt((self.budget + 1) / math.log(self.budget + 1))
        if self.tolerance == 0:
            raise ValueError(
                "U='auto' is 1/tolerance where budget=None, but tolerance is 0: give U as a number."
            )
        return 1.0 / self.tolerance

    def compose(self, look: FirstLook) -> Recipe:
        return Recipe(Hinge(), OnMarginError(), self._policy(look))
