"""Fourier online gradient descent: a linear model of random Fourier features."""

from __future__ import annotations

from typing import Any

import numpy as np

from onkel.engine.explicit import FourierMachine
from onkel.engine.machine import Machine, Recipe, Shape
from onkel.estimators.documentation import of_type
from onkel.estimators.kernels import SPECTRAL, Need, kernel_parameter
from onkel.estimators.online import FirstLook
from onkel.estimators.parameters import declared, parameter
from onkel.learners.losses import MarginLossClassifier, ResidualLossRegressor
from onkel.learners.shared import average_parameter, residual_loss_parameter, step_parameter
from onkel.maps.fourier import Frequencies
from onkel.rules import ConstantStep


@declared
class FOGD:
    """Parameters and parts of FOGD, for classifiers and regressors alike."""

    kernel: Any = kernel_parameter(SPECTRAL)
    step: float = step_parameter(
        1.0,
        r"""Step size :math:`\eta`. The paper leaves the :math:`1/\sqrt D` of the features out: its step is
        ours divided by D.""",
    )
    n_components: int = parameter(
        default=1000,
        kind=int,
        at_least=1,
        doc="Number of frequencies D; there are 2 D features, sines and cosines.",
    )
    orthogonal: bool = parameter(
        default=False,
        one_of=(True, False),
        doc="""Whether frequencies are drawn orthogonal to each other, which approximates the kernel better
        (kernels of Euclidean distance, at most 4096 features).""",
    )
    average: bool | float = average_parameter(0.5)

    @property
    def kernel_need(self) -> Need:
        return SPECTRAL

    def compose(self, look: FirstLook) -> Recipe:
        loss = self._loss(look)  # type: ignore[attr-defined]
        return Recipe(loss, ConstantStep(self.step), average=self.average)

    def _make_machine(self, kernel: Any, recipe: Recipe, shape: Shape, seed: int) -> Machine:
        frequencies = Frequencies(
            kernel, self.n_components, seed, shape.n_features,
            orthogonal=self.orthogonal, dtype=shape.dtype,
        )  # fmt: skip
        return FourierMachine(frequencies, self._task(), recipe, shape, seed)  # type: ignore[attr-defined]

    @property
    def n_support_(self) -> int:
        raise self._no_vectors("n_support_")

    @property
    def support_vectors_(self) -> Any:
        raise self._no_vectors("support_vectors_")

    @property
    def dual_coef_(self) -> Any:
        raise self._no_vectors("dual_coef_")

    def _no_vectors(self, name: str) -> AttributeError:
        return AttributeError(
            f"{type(self).__name__} has no {name}: its model is coef_, weights of the features "
            f"made with components_."
        )

    @property
    @of_type("ndarray of shape (n_components, n_features)")
    def components_(self) -> np.ndarray:
        """The frequencies U."""
        machine: Any = self._fitted()  # type: ignore[attr-defined]
        return machine.frequencies.matrix().T.copy()

    @property
    @of_type("ndarray of shape (n_outputs, 2 * n_components)")
    def coef_(self) -> np.ndarray:
        """The weights of the features, the sines first: one row for two classes or a regressor, else one a class."""
        return self._fitted().output_coef() * self._unit  # type: ignore[attr-defined]


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
