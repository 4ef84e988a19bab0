"""Approximation vector machines: the input is covered with cells, one core point for all of a cell."""

from __future__ import annotations

import math
from typing import Any

from onkel.budgets import Boxes, Spheres
from onkel.coresets.coverage import sample_diameter
from onkel.engine.machine import Recipe
from onkel.estimators.documentation import fitted
from onkel.estimators.kernels import EUCLIDEAN, Need, kernel_parameter
from onkel.estimators.merging import Mergeable
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
class AVM(Mergeable):
    """Parameters and parts of AVM, for classifiers and regressors alike."""

    kernel: Any = kernel_parameter(EUCLIDEAN)
    regularization: Any = auto_regularization_parameter("1")
    first_step: Any = first_step_parameter()
    diameter: Any = parameter(
        default="auto",
        one_of=("auto",),
        above=0,
        doc=r"""Diameter :math:`\delta` of the cells. ``"auto"`` takes it from the rows given to ``fit``: such that
        about 30 % of at most 4000 of them become core points, or as many as these have classes if that is more; but
        with kernel values down to 0.99 in a cell, and not below 0.5; from fewer than 50 rows, with kernel values
        down to 0.9. Of a stream, the first 512 rows foretell how many of 4000 become core points.""",
    )
    max_cores: Any = parameter(
        default=None,
        one_of=(None,),
        kind=int,
        at_least=1,
        doc="Largest number of core points; None sets no limit.",
    )
    at_cap: str = parameter(
        default="charge",
        one_of=("charge", "drop"),
        doc="""What an instance that no cell covers does when there are ``max_cores`` core points: it is charged
        to the nearest one, or dropped.""",
    )
    cells: str = parameter(
        default="sphere",
        one_of=("sphere", "box"),
        doc="""Shape of the cells: spheres of this diameter, or boxes with this diagonal.""",
    )
    exact_rate: float = parameter(
        default=0.0,
        at_least=0,
        doc=r"""Rate :math:`\beta`: instance :math:`t` becomes a support vector itself with probability
        :math:`\min(1, \beta / t^\rho)`, whether a cell covers it or not.""",
    )
    exact_decay: float = parameter(
        default=1.0, at_least=0, doc=r"Exponent :math:`\rho` of that probability."
    )
    average: bool | float = average_parameter(0.5)

    diameter_ = fitted("float", "The diameter of the cells.")

    @property
    def kernel_need(self) -> Need:
        return EUCLIDEAN

    def compose(self, look: FirstLook) -> Recipe:
        loss = self._loss(look)  # type: ignore[attr-defined]
        regularization = chosen_regularization(self, loss, look, 1.0)
        self.diameter_ = self.diameter
        if self.diameter == "auto":
            labels = look.targets if hasattr(self, "classes_") else None
            self.diameter_ = sample_diameter(
                look.X, look.seed, look.kernel, not look.complete, labels
            )
        limits = self.max_cores or 0, self.at_cap == "drop", self.exact_rate, self.exact_decay
        budget: Any = Spheres(self.diameter_ / 2, *limits)
        if self.cells == "box":
            half_width = self.diameter_ / (2 * math.sqrt(look.X.shape[1]))
            budget = Boxes(half_width, *limits)
        rule = decreasing_step(self, regularization)
        ball = self._ball(loss, regularization)  # type: ignore[attr-defined]
        return Recipe(loss, rule, budget, ball, self.average)


@declared
class AVMClassifier(AVM, MarginLossClassifier):
    r"""Approximation vector machine: kernel SGD whose terms are charged to core points.

    .. math:: w_{t+1} = (1 - 1/t)\,w_t - \frac{1}{\lambda t}\, \ell'(m_t)\, y_t \Phi(c_t)

    where :math:`c_t` is the core point of the cell that contains :math:`x_t`. An instance that no cell covers
    opens a new one. So the model is as large as the data is wide, not as long.

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
