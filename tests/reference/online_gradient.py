"""Reference room: gradient descent with a constant step. All coefficients shrink by
(1 - step * regularization) on every instance, update or not, before the new term is added."""

from typing import Any

from tests.reference.base import Array, Draws, Kernel, Loss, Outcome, Twin


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

    def absorb(self, x: Array, coefficient: Array, draws: Draws) -> None:
        self.append(x, coefficient)


class BOGD(OGD):
    """Bounded OGD: at full budget a random old vector goes, the survivors are scaled up by
    B / (B - 1) (`unbiased`), and all coefficients down to 10 * step at most (`clip`)."""

    def __init__(
        self,
        task: str,
        n_outputs: int,
        kernel: Kernel,
        loss: Loss,
        *,
        budget: int,
        unbiased: bool = True,
        clip: bool = True,
        **shared: Any,
    ) -> None:
        super().__init__(task, n_outputs, kernel, loss, **shared)
        self.budget = budget
        self.unbiased = unbiased
        self.clip = clip

    def absorb(self, x: Array, coefficient: Array, draws: Draws) -> None:
        if len(self.slots) < self.budget:
            self.append(x, coefficient)
            return
        if self.unbiased:
            self.shrink(self.budget / (self.budget - 1.0))
        self.replace(int(draws[1] * len(self.slots)), x, coefficient)
        if self.clip:
            largest = max(float(abs(term.value).max()) for term in self.slots)
            self.shrink(min(10.0 * self.step / largest, 1.0))


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
