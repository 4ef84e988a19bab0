"""Approximation vector machines: the input is covered with cells, one core point for all of a cell."""

from __future__ import annotations

import math
from typing import Any

from onkel.budgets import Boxes, Spheres
from onkel.coresets.coverage import sample_diameter
from onkel.engine.machine import Recipe
from onkel.estimators.kernels import EUCLIDEAN, Need, kernel_parameter
from onkel.estimators.online import FirstLook
from onkel.estimators.parameters import declared, parameter
from onkel.learners.losses import (
    MarginLossClassifier,
    ResidualLossRegressor,
    chosen_regularization,
)
from onkel.rules import DecreasingStep


@declared
class AVM:
    """Parameters and parts of AVM, for classifiers and regressors alike."""

    kernel: Any = kernel_parameter(EUCLIDEAN)
    regularization: Any = parameter(default="auto", one_of=("auto",), above=0)
    diameter: Any = parameter(default="auto", one_of=("auto",), above=0)
    max_cores: Any = parameter(default=None, one_of=(None,), kind=int, at_least=1)
    at_cap: str = parameter(default="charge", one_of=("charge", "drop"))
    cells: str = parameter(default="sphere", one_of=("sphere", "box"))
    exact_rate: float = parameter(default=0.0, at_least=0)
    exact_decay: float = parameter(default=1.0, at_least=0)
    average: bool | float = parameter(default=0.5, one_of=(True, False), above=0, below=1)

    @property
    def kernel_need(self) -> Need:
        return EUCLIDEAN

    def compose(self, look: FirstLook) -> Recipe:
        loss = self._loss(look)  # type: ignore[attr-defined]
        regularization = chosen_regularization(self, loss, look, 1.0)
        self.diameter_ = self.diameter
        if self.diameter == "auto":
            self.diameter_ = sample_diameter(look.X, look.seed, look.kernel)
        limits = self.max_cores or 0, self.at_cap == "drop", self.exact_rate, self.exact_decay
        budget: Any = Spheres(self.diameter_ / 2, *limits)
        if self.cells == "box":
            half_width = self.diameter_ / (2 * math.sqrt(look.X.shape[1]))
            budget = Boxes(half_width, *limits)
        rule = DecreasingStep(regularization)
        ball = self._ball(loss, regularization)  # type: ignore[attr-defined]
        return Recipe(loss, rule, budget, ball, self.average)


@declared
class AVMClassifier(AVM, MarginLossClassifier):
    r"""Approximation vector machine: kernel SGD whose terms are charged to core points.

    .. math:: w_{t+1} = (1 - 1/t)\,w_t - \frac{1}{\lambda t}\, \ell'(m_t)\, y_t \Phi(c_t)

    where :math:`c_t` is the core point of the cell that contains :math:`x_t`. An instance that no cell covers
    opens a new one. So the model is as large as the data is wide, not as long.

    Parameters
    ----------
    loss : {"hinge", "squared_hinge", "smooth_hinge", "logistic", "odm"} or a loss part
    regularization : float :math:`\lambda`, or "auto" = 1 / rows (of a stream: 1 / 50,000);
        with the losses "squared_hinge" and "odm" at least 0.3
    diameter : float, :math:`\delta` of the cells, or "auto" (from the first rows; see ``diameter_``):
        such that about 30 % of a sample become core points, but with kernel values down to 0.99 in a cell;
        from fewer than 50 rows: with kernel values down to 0.9
    max_cores : int or None, a cap on the number of core points
    at_cap : {"charge", "drop"}
        An uncovered instance at the cap is charged to its nearest core point, or gets no term.
    cells : {"sphere", "box"}
    exact_rate, exact_decay : floats :math:`\beta, \rho`
        With probability :math:`\min(1, \beta / t^\rho)` an instance becomes a support vector itself.
    average : False for the last model, True for the mean of all, a float for the last such share

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel import AVMClassifier
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> model = AVMClassifier(diameter=0.5, gamma=2.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.95), model.n_support_ < 100
    (True, True)

    References
    ----------
    Le, Nguyen, Nguyen, Phung: Approximation vector machines for large-scale online learning.
    JMLR 18, 2017.
    """


@declared
class AVMRegressor(AVM, ResidualLossRegressor):
    r"""Approximation vector machine for regression; see :class:`AVMClassifier`.

    Parameters
    ----------
    loss : {"epsilon_insensitive", "l1", "l2"} or a loss part
    epsilon, dead_zone : of the losses, see :class:`KernelSGDRegressor`
    regularization : as in :class:`KernelSGDRegressor`; "auto" starts from 1 / rows
    others : as in :class:`AVMClassifier`

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import AVMRegressor
    >>> X = np.linspace(0, 6, 1000)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = AVMRegressor(diameter=0.1, gamma=1.0, average=0.5, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.8)
    True
    """
