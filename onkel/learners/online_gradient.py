"""Kernel online gradient descent with a constant step: OGD, NORMA, BOGD, OSKL."""

from __future__ import annotations

from typing import Any

from onkel.budgets import DropOldest, DropRandom, DropRandomUnbiased, Unbounded
from onkel.engine.machine import Recipe
from onkel.estimators.classifier import OnlineClassifier
from onkel.estimators.kernels import AnyKernel
from onkel.estimators.online import FirstLook
from onkel.estimators.parameters import declared, parameter
from onkel.estimators.regressor import OnlineRegressor
from onkel.learners.losses import MarginLossClassifier, ResidualLossRegressor
from onkel.learners.shared import average_parameter, residual_loss_parameter, step_parameter
from onkel.losses import EpsilonInsensitive, Hinge
from onkel.rules import AdaptiveMargin, AdaptiveTube, ConstantStep, SampledGradient


def shrinking_parameter(default: float) -> Any:
    """The regularization of learners with a constant step."""
    return parameter(
        default=default,
        at_least=0,
        doc=r"""Strength :math:`\lambda` of the regularization: every step multiplies all coefficients by
        :math:`1 - \eta\lambda`.""",
    )


@declared
class OGD(AnyKernel):
    """Parameters and parts of OGD, for classifiers and regressors alike."""

    step: float = step_parameter(0.2)
    regularization: float = shrinking_parameter(0.0)
    average: bool | float = average_parameter(0.0)

    def _policy(self) -> Any:
        return Unbounded()

    def compose(self, look: FirstLook) -> Recipe:
        check_shrink(self.step, self.regularization)
        rule = ConstantStep(self.step, self.regularization)
        loss = self._loss(look)  # type: ignore[attr-defined]
        return Recipe(loss, rule, self._policy(), average=self.average)


def check_shrink(step: float, regularization: float) -> None:
    if step * regularization >= 1:
        raise ValueError(
            f"step={step!r} times regularization={regularization!r} must be less than 1: "
            f"every step would wipe out the model. Lower one of them."
        )


@declared
class OGDClassifier(OGD, MarginLossClassifier):
    r"""Kernel online gradient descent: :math:`w \leftarrow (1-\eta\lambda) w - \eta\,\ell'(m)\,y\,\Phi(x)`.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel import OGDClassifier
    >>> X, y = make_moons(500, noise=0.1, random_state=0)
    >>> model = OGDClassifier(gamma=2.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True

    References
    ----------
    Kivinen, Smola, Williamson: Online learning with kernels. IEEE Trans. Signal Processing 52, 2004.
    """


@declared
class OGDRegressor(OGD, ResidualLossRegressor):
    r"""Kernel online gradient descent for regression; see :class:`OGDClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import OGDRegressor
    >>> X = np.linspace(0, 6, 500)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = OGDRegressor(gamma=1.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    loss: Any = residual_loss_parameter("l2")


@declared
class NORMA(AnyKernel):
    """Parameters of NORMA, for classifiers and regressors alike."""

    step: float = step_parameter(0.2)
    regularization: float = shrinking_parameter(0.01)
    nu: float = parameter(
        default=0.4,
        above=0,
        at_most=1,
        doc=r"Share :math:`\nu` of the instances that shall violate the margin, or leave the tube.",
    )
    budget: Any = parameter(
        default=None,
        one_of=(None,),
        kind=int,
        at_least=1,
        doc="Largest number of support vectors: beyond it the oldest goes. None: no limit.",
    )

    def _norma_recipe(self, loss: Any, rule: Any) -> Recipe:
        check_shrink(self.step, self.regularization)
        budget = Unbounded() if self.budget is None else DropOldest(self.budget)
        return Recipe(loss, rule(self.step, self.regularization, self.nu), budget)


@declared
class NORMAClassifier(NORMA, OnlineClassifier):
    r"""NORMA: gradient descent with a margin :math:`\rho` that adapts itself.

    An instance with :math:`m < \rho` gets the coefficient :math:`\eta y`, and :math:`\rho` falls by
    :math:`\eta(1-\nu)`; otherwise :math:`\rho` grows by :math:`\eta\nu`. So about a share :math:`\nu` of
    the instances violates the margin. All coefficients shrink by :math:`1 - \eta\lambda`.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel import NORMAClassifier
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> model = NORMAClassifier(gamma=2.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True

    References
    ----------
    Kivinen, Smola, Williamson: Online learning with kernels. IEEE Trans. Signal Processing 52, 2004.
    """

    def compose(self, look: FirstLook) -> Recipe:
        return self._norma_recipe(Hinge(), AdaptiveMargin)


@declared
class NORMARegressor(NORMA, OnlineRegressor):
    r"""NORMA for regression: a tube of width :math:`\epsilon` that adapts itself, from 0.1 on.

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import NORMARegressor
    >>> X = np.linspace(0, 6, 1000)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = NORMARegressor(step=0.05, gamma=1.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    def compose(self, look: FirstLook) -> Recipe:
        return self._norma_recipe(EpsilonInsensitive(0.1), AdaptiveTube)


@declared
class BOGD(OGD):
    """Parameters and policy of BOGD."""

    budget: int = parameter(
        default=100, kind=int, at_least=2, doc="Largest number of support vectors, B."
    )
    rescale: bool = parameter(
        default=True,
        one_of=(True, False),
        doc=r"""Whether the others make up for a vector that goes: survivors are multiplied by
        :math:`B/(B-1)`, and then all coefficients are shrunk until none exceeds :math:`10\eta`.""",
    )

    def _policy(self) -> Any:
        if self.rescale:
            return DropRandomUnbiased(self.budget, 10.0 * self.step)
        return DropRandom(self.budget)


@declared
class BOGDClassifier(BOGD, MarginLossClassifier):
    r"""Bounded online gradient descent: an old vector drawn at random goes, the others make up for it.

    Survivors are multiplied by :math:`B/(B-1)`, so that the model stays unbiased, and then all
    coefficients are shrunk until none exceeds :math:`10\eta`.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel import BOGDClassifier
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> model = BOGDClassifier(budget=100, gamma=2.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True

    References
    ----------
    Zhao, Wang, Wu, Jin, Hoi: Fast bounded online gradient descent algorithms for scalable
    kernel-based online learning. ICML 2012.
    """


@declared
class BOGDRegressor(BOGD, ResidualLossRegressor):
    """Bounded online gradient descent for regression; see :class:`BOGDClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import BOGDRegressor
    >>> X = np.linspace(0, 6, 1000)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = BOGDRegressor(budget=200, step=0.05, gamma=1.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.5)
    True
    """

    loss: Any = residual_loss_parameter("l2")


@declared
class OSKLClassifier(AnyKernel, MarginLossClassifier):
    r"""Online sparse kernel learning by sampling.

    An instance counts with probability :math:`\min(1, |\ell'|/G)`, and then as much more.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel import OSKLClassifier
    >>> X, y = make_moons(2000, noise=0.1, random_state=0)
    >>> model = OSKLClassifier(gamma=2.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True

    References
    ----------
    Zhang, Yi, Jin, Lin, He: Online kernel learning with a near optimal sparsity bound. ICML 2013.
    """

    step: float = step_parameter(0.1)
    sampling: float = parameter(
        default=5.0,
        above=0,
        doc="Rate G: with the hinge loss one in G instances with a loss is taken.",
    )
    average: bool | float = average_parameter(1.0)

    def compose(self, look: FirstLook) -> Recipe:
        return Recipe(
            self._loss(look), SampledGradient(self.step, self.sampling), average=self.average
        )
