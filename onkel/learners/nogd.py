"""Nystroem online gradient descent: kernel OGD until the budget is full, then a linear model."""

from __future__ import annotations

from typing import Any

from onkel.engine.explicit import NystromMachine
from onkel.engine.machine import Recipe
from onkel.estimators.kernels import POSITIVE_DEFINITE, AnyKernel, Need
from onkel.estimators.online import FirstLook
from onkel.estimators.parameters import declared, parameter
from onkel.learners.losses import (
    A_LOSS,
    RESIDUAL_LOSSES,
    MarginLossClassifier,
    ResidualLossRegressor,
)
from onkel.rules import ConstantStep


@declared
class NOGD(AnyKernel):
    """Parameters and parts of NOGD, for classifiers and regressors alike."""

    step: float = parameter(default=1.0, above=0)
    budget: int = parameter(default=1000, kind=int, at_least=2)
    rank: Any = parameter(default="auto", one_of=("auto",), kind=int, at_least=1)
    average: bool | float = parameter(default=0.5, one_of=(True, False), above=0, below=1)

    @property
    def kernel_need(self) -> Need:
        return POSITIVE_DEFINITE

    def compose(self, look: FirstLook) -> Recipe:
        loss = self._loss(look)  # type: ignore[attr-defined]
        self.rank_ = max(1, int(0.2 * self.budget)) if self.rank == "auto" else int(self.rank)
        return Recipe(loss, ConstantStep(self.step), average=self.average, pause_at=self.budget)

    def _after_pause(self) -> None:
        self._machine: Any = NystromMachine(self._machine, self.rank_)


@declared
class NOGDClassifier(NOGD, MarginLossClassifier):
    r"""Nystroem online gradient descent: a kernel machine of fixed size and constant time.

    Kernel gradient descent until there are B support vectors. Then, with the top k eigenpairs of
    their Gram matrix :math:`K \approx V_k \Lambda_k V_k'`,

    .. math:: z(x) = \Lambda_k^{-1/2} V_k'\, k_B(x), \qquad
              w \leftarrow w - \eta\, \ell'(m_t)\, y_t\, z(x_t)

    from where the kernel machine was.

    Parameters
    ----------
    loss : {"hinge", "squared_hinge", "smooth_hinge", "logistic", "odm"} or a loss part
    step : float, :math:`\eta`
    budget : int, B
    rank : int k, or "auto" = 0.2 B
    average : False for the last model, True for the mean of all, a float for the last such share

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel import NOGDClassifier
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> model = NOGDClassifier(budget=40, gamma=2.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.95), model.n_support_
    (True, 40)

    References
    ----------
    Lu, Hoi, Wang, Zhao, Liu: Large scale online kernel learning. JMLR 17, 2016.
    """


@declared
class NOGDRegressor(NOGD, ResidualLossRegressor):
    r"""Nystroem online gradient descent for regression; see :class:`NOGDClassifier`.

    Parameters
    ----------
    loss : {"l2", "l1", "epsilon_insensitive"} or a loss part
    epsilon, dead_zone : of the losses, see :class:`KernelSGDRegressor`
    others : as in :class:`NOGDClassifier`

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import NOGDRegressor
    >>> X = np.linspace(0, 6, 1000)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = NOGDRegressor(budget=50, gamma=1.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    loss: Any = parameter(default="l2", one_of=RESIDUAL_LOSSES, or_having=A_LOSS)
    step: float = parameter(default=0.5, above=0)
