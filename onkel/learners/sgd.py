r"""Kernel SGD with steps :math:`1/(\lambda t)`, also known as kernel Pegasos: the model grows."""

from __future__ import annotations

from typing import Any

from onkel.balls import LossBall, PegasosBall
from onkel.engine.machine import Recipe
from onkel.estimators.kernels import AnyKernel
from onkel.estimators.online import FirstLook
from onkel.estimators.parameters import declared, parameter
from onkel.learners.losses import (
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


@declared
class KernelSGD(AnyKernel):
    """Parameters and parts of kernel SGD, for classifiers and regressors alike."""

    regularization: Any = auto_regularization_parameter("4")
    first_step: Any = first_step_parameter()
    average: bool | float = average_parameter(0.0)
    project: bool = parameter(
        default=False,
        one_of=(True, False),
        doc=r"""Whether the weights are projected after every step on a ball that holds the solution, as in Pegasos:
        of radius :math:`1/\sqrt\lambda`, of a regressor :math:`\sqrt{\ell/\lambda}`, where :math:`\ell` is the loss
        of predicting 0 for the largest target so far.""",
    )

    def compose(self, look: FirstLook) -> Recipe:
        loss = self._loss(look)  # type: ignore[attr-defined]
        regularization = chosen_regularization(self, loss, look, 4.0)
        chosen = self._pegasos_ball if self.project else self._ball  # type: ignore[attr-defined]
        ball = chosen(loss, regularization)
        rule = decreasing_step(self, regularization)
        return Recipe(loss, rule, ball=ball, average=self.average)


@declared
class KernelSGDClassifier(KernelSGD, MarginLossClassifier):
    r"""Stochastic gradient descent on :math:`\frac\lambda2\|w\|^2` + mean loss, in feature space.

    .. math:: w_{t+1} = (1 - 1/t)\,w_t - \frac{1}{\lambda t}\, \ell'(m_t)\, y_t \Phi(x_t)

    Every instance with a slope becomes a support vector: exact, but time and memory grow. Use
    it as the yardstick of the budgeted learners, or for a few ten thousand rows.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel import KernelSGDClassifier
    >>> X, y = make_moons(500, noise=0.1, random_state=0)
    >>> model = KernelSGDClassifier(gamma=2.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True

    References
    ----------
    Shalev-Shwartz, Singer, Srebro, Cotter: Pegasos. Mathematical Programming 127, 2011.
    """

    def _pegasos_ball(self, loss: Any, regularization: float) -> Any:
        return PegasosBall(regularization)


@declared
class KernelSGDRegressor(KernelSGD, ResidualLossRegressor):
    r"""Stochastic gradient descent on :math:`\frac\lambda2\|w\|^2` + mean loss of the residual.

    As :class:`KernelSGDClassifier`; with the squared loss and :math:`\lambda \le 1` the weights are
    projected on the ball of radius :math:`\max|y|/\sqrt\lambda`, which holds the solution.

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import KernelSGDRegressor
    >>> X = np.linspace(0, 6, 400)[:, None]
    >>> model = KernelSGDRegressor(gamma=1.0, average=0.5, random_state=0).fit(X, np.sin(X[:, 0]))
    >>> bool(model.score(X, np.sin(X[:, 0])) > 0.8)
    True
    """

    def _pegasos_ball(self, loss: Any, regularization: float) -> Any:
        return LossBall(loss, regularization)
