"""Fourier online gradient descent: a linear model of random Fourier features."""

from __future__ import annotations

from typing import Any, ClassVar

from onkel.engine.explicit import FourierMachine
from onkel.engine.machine import Machine, Recipe, Shape
from onkel.estimators.merging import Mergeable
from onkel.estimators.online import FirstLook
from onkel.estimators.parameters import declared, parameter
from onkel.learners.fourier import OnFourierFeatures
from onkel.learners.losses import MarginLossClassifier, ResidualLossRegressor
from onkel.learners.shared import average_parameter, residual_loss_parameter, step_parameter
from onkel.maps.fourier import Frequencies
from onkel.rules import ConstantStep


@declared
class FOGD(Mergeable, OnFourierFeatures):
    """Parameters and parts of FOGD, for classifiers and regressors alike."""

    merges_in_rounds: ClassVar[bool] = True

    step: float = step_parameter(
        1.0,
        r"""Step size :math:`\eta`. The paper leaves the :math:`1/\sqrt D` of the features out: its step is
        ours divided by D.""",
    )
    average: bool | float = average_parameter(0.5)

    def compose(self, look: FirstLook) -> Recipe:
        loss = self._loss(look)  # type: ignore[attr-defined]
        return Recipe(loss, ConstantStep(self.step), average=self.average)

    def _make_machine(self, kernel: Any, recipe: Recipe, shape: Shape, seed: int) -> Machine:
        frequencies = self._draw_frequencies(kernel, shape, seed)
        return FourierMachine(frequencies, self._task(), recipe, shape, seed)  # type: ignore[attr-defined]

    def _frequencies(self, machine: FourierMachine) -> Frequencies:
        return machine.frequencies


@declared
class FOGDClassifier(FOGD, MarginLossClassifier):
    r"""Fourier online gradient descent: a kernel machine of fixed size and constant time.

    .. math:: z(x) = \frac{1}{\sqrt D}(\sin Ux, \cos Ux), \qquad
              w \leftarrow w - \eta\, \ell'(m_t)\, y_t\, z(x_t)

    with frequencies U from the Fourier transform of the kernel, so that
    :math:`z(x) \cdot z(x') \approx k(x, x')`.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel import FOGDClassifier
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> model = FOGDClassifier(n_components=100, gamma=2.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.95), model.coef_.shape
    (True, (1, 200))

    References
    ----------
    Lu, Hoi, Wang, Zhao, Liu: Large scale online kernel learning. JMLR 17, 2016.
    """


@declared
class FOGDRegressor(FOGD, ResidualLossRegressor):
    r"""Fourier online gradient descent for regression; see :class:`FOGDClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import FOGDRegressor
    >>> X = np.linspace(0, 6, 1000)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = FOGDRegressor(n_components=100, gamma=1.0, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    loss: Any = residual_loss_parameter("l2")
    step: float = parameter(default=0.5, above=0)  # documented above
