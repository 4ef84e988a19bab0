"""Reference room: gradient descent with a constant step. All coefficients shrink by
(1 - step * regularization) on every instance, update or not, before the new term is added."""

from typing import Any

from tests.reference.base import Array, Draws, Kernel, Loss, Outcome, Twin
from tests.reference.victims import RandomVictimUnbiased


class OGD(Twin):
    """Online gradient descent: coefficient -step * slope."""

    def __init__(
        self,
        task: str,
        n_outputs: int,
        kernel: Kernel,
        loss: Loss,
        *,
        step: float,
        regularization: float = 0.0,
        **shared: Any,
    ) -> None:
        super().__init__(task, n_outputs, kernel, loss, **shared)
        self.step = step
        self.regularization = regularization

    def update(self, x: Array, outcome: Outcome, draws: Draws, weight: float) -> None:
        self.shrink(1.0 - self.step * self.regularization)
        if outcome.slope != 0.0:
            self.absorb(x, -self.step * weight * outcome.slope * outcome.direction, draws)


class BOGD(RandomVictimUnbiased, OGD):
    """Bounded OGD; no coefficient exceeds 10 * step."""

    @property
    def largest(self) -> float:
        return 10.0 * self.step


class NORMA(OGD):
    """Steps of constant size against a margin rho (classification) or a tube epsilon (regression)
    that adapts itself, so that a share nu of the instances is outside. A budget drops the oldest.
    The loss serves the record only; epsilon stands in the place of a dead zone."""

    def __init__(
        self,
        task: str,
        n_outputs: int,
        kernel: Kernel,
        loss: Loss,
        *,
        nu: float,
        budget: int | None = None,
        **shared: Any,
    ) -> None:
        super().__init__(task, n_outputs, kernel, loss, **shared)
        self.nu = nu
        self.budget = budget
        self.rho = 1.0
        self.epsilon = 0.1

    def update(self, x: Array, outcome: Outcome, draws: Draws, weight: float) -> None:
        self.shrink(1.0 - self.step * self.regularization)
        if self.task == "regression":
            outside = abs(outcome.scalar) > self.epsilon
            change = self.step * (1.0 - self.nu) if outside else -self.step * self.nu
            self.epsilon = max(self.epsilon + change, 0.0)
        else:
            outside = outcome.scalar < self.rho
            change = -self.step * (1.0 - self.nu) if outside else self.step * self.nu
            self.rho = max(self.rho + change, 0.0)
        if outside:
            self.absorb(x, self.step * weight * outcome.towards, draws)

    def absorb(self, x: Array, coefficient: Array, draws: Draws) -> None:
        if self.budget is None or len(self.slots) < self.budget:
            self.append(x, coefficient)
        else:
            self.replace(self.oldest(), x, coefficient)
