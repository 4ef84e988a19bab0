"""Reference room: learners that sample which instances become one."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.reference.base import Array, Draws, Kernel, Loss, Outcome, Twin


class SPA(Twin):
    """Sparse passive-aggressive: with probability rho_t = min(alpha, loss) / beta a step of
    min(step / rho_t, loss / k(x, x)), in multi-class tasks loss / (2 k(x, x))."""

    def __init__(
        self,
        task: str,
        n_outputs: int,
        kernel: Kernel,
        loss: Loss,
        *,
        step: float,
        alpha: float,
        beta: float,
        average: bool | float = True,
        **shared: Any,
    ) -> None:
        super().__init__(task, n_outputs, kernel, loss, average=average, **shared)
        if not beta >= alpha > 0.0:
            raise ValueError("needs beta >= alpha > 0")
        self.step = step
        self.alpha = alpha
        self.beta = beta

    def update(self, x: Array, outcome: Outcome, draws: Draws, weight: float) -> None:
        chance = min(self.alpha, outcome.value) / self.beta
        own = self.kernel(x, x)
        if not draws.sampling < chance or own <= 0.0:
            self.pass_by(x, draws)
            return
        sides = 2.0 if self.task == "multiclass" else 1.0
        tau = min(self.step * weight / chance, outcome.value / (sides * own))
        self.absorb(x, tau * outcome.towards, draws)


class SPAOneClass(SPA):
    """Every label is +1. `offset` is the exact `contamination` quantile of the scores before each
    update, of the model that score_samples would use."""

    def __init__(
        self,
        kernel: Kernel,
        loss: Loss,
        *,
        contamination: float,
        **shared: Any,
    ) -> None:
        super().__init__("binary", 1, kernel, loss, **shared)
        self.contamination = contamination

    def learn(
        self,
        x: Array,
        target: float = 1.0,
        draws: Sequence[float] = Draws(),
        weight: float = 1.0,
    ) -> None:
        super().learn(x, 1.0, draws, weight)

    @property
    def offset(self) -> float:
        seen = [float(scores[0]) for scores, _, _ in self.record]
        return float(np.quantile(seen, self.contamination))


class OSKL(Twin):
    """With probability min(1, |slope| / G) the coefficient -sign(slope) * step * max(G, |slope|),
    so that the expected step is that of gradient descent. `slope_bound` is G."""

    def __init__(
        self,
        task: str,
        n_outputs: int,
        kernel: Kernel,
        loss: Loss,
        *,
        step: float,
        slope_bound: float,
        average: bool | float = True,
        **shared: Any,
    ) -> None:
        super().__init__(task, n_outputs, kernel, loss, average=average, **shared)
        self.step = step
        self.slope_bound = slope_bound

    def update(self, x: Array, outcome: Outcome, draws: Draws, weight: float) -> None:
        size = abs(outcome.slope)
        if draws.sampling < min(1.0, size / self.slope_bound):
            length = self.step * weight * max(self.slope_bound, size)
            self.absorb(x, -np.sign(outcome.slope) * length * outcome.direction, draws)
        else:
            self.pass_by(x, draws)
