"""Nystroem online gradient descent: kernel OGD until the budget is full, then a linear model."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from onkel.engine.explicit import NystromMachine
from onkel.engine.machine import Machine, Recipe
from onkel.estimators.documentation import fitted
from onkel.estimators.kernels import POSITIVE_DEFINITE, AnyKernel, Need
from onkel.estimators.merging import Mergeable
from onkel.estimators.online import FirstLook
from onkel.estimators.parameters import declared, parameter
from onkel.learners.losses import MarginLossClassifier, ResidualLossRegressor
from onkel.learners.shared import average_parameter, residual_loss_parameter, step_parameter
from onkel.rules import ConstantStep


@declared
class NOGD(Mergeable, AnyKernel):
    """Parameters and parts of NOGD, for classifiers and regressors alike."""

    merges_in_rounds: ClassVar[bool] = True

    step: float = step_parameter(1.0)
    budget: int = parameter(
        default=1000,
        kind=int,
        at_least=2,
        doc="Number of support vectors B from which on they stay as they are, as landmarks.",
    )
    rank: Any = parameter(
        default="auto",
        one_of=("auto",),
        kind=int,
        at_least=1,
        doc="""Largest number k of features, one for each of the top eigenpairs of the landmarks' Gram matrix.
        ``"auto"`` is 0.2 B.""",
    )
    average: bool | float = average_parameter(0.5)

    rank_ = fitted("int", "Largest number of features, k.")

    @property
    def kernel_need(self) -> Need:
        return POSITIVE_DEFINITE

    def compose(self, look: FirstLook) -> Recipe:
        loss = self._loss(look)  # type: ignore[attr-defined]
        self.rank_ = max(1, int(0.2 * self.budget)) if self.rank == "auto" else int(self.rank)
        return Recipe(loss, ConstantStep(self.step), average=self.average, pause_at=self.budget)

    def _after_pause(self, machine: Machine) -> Machine:
        return NystromMachine(machine, self.rank_)

    def _settle_features(self, X: Any, targets: np.ndarray, weights: np.ndarray) -> None:
        """The landmarks are the support vectors of these rows, B of them or as many as there are."""
        learner: Any = self
        learner._learn(X, targets, weights)
        machine = learner._machine
        if not isinstance(machine, NystromMachine):
            machine = NystromMachine(machine, self.rank_)
        learner._machine = machine.emptied()
        learner._machine.observer = learner._new_observer()
        learner._machine.class_weights = learner._new_class_weights()


@declared
class NOGDClassifier(NOGD, MarginLossClassifier):
    r"""Nystroem online gradient descent: a kernel machine of fixed size and constant time.

    Kernel gradient descent until there are B support vectors. Then, with the top k eigenpairs of
    their Gram matrix :math:`K \approx V_k \Lambda_k V_k'`,

    .. math:: z(x) = \Lambda_k^{-1/2} V_k'\, k_B(x), \qquad
              w \leftarrow w - \eta\, \ell'(m_t)\, y_t\, z(x_t)

    from where the kernel machine was.

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

    loss: Any = residual_loss_parameter("l2")
    step: float = step_parameter(0.5)
