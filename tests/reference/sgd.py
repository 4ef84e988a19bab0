"""Reference room: gradient descent with step 1/(lambda t), the model growing with every loss.

w_{t+1} = (1 - 1/t) w_t - (1/(lambda t)) g_t Phi(x_t), optionally projected on a ball: of radius
1/sqrt(lambda) (Pegasos; of regressors sqrt(loss of predicting 0 for y_max / lambda)), or
y_max/sqrt(lambda) for the l2 loss when lambda <= 1. With a bound on the first step,
t + 1/(lambda first_step) stands in the place of t.
"""

import math
from typing import Any

from tests.reference.base import Array, Draws, Kernel, Loss, Outcome, Twin


class SGD(Twin):
    """SGD and kernel Pegasos. `l2_ball` says that the loss is l2."""

    def __init__(
        self,
        task: str,
        n_outputs: int,
        kernel: Kernel,
        loss: Loss,
        *,
        regularization: float,
        project: bool = False,
        l2_ball: bool = False,
        first_step: float | None = None,
        **shared: Any,
    ) -> None:
        super().__init__(task, n_outputs, kernel, loss, **shared)
        self.regularization = regularization
        self.project = project
        self.l2_ball = l2_ball
        self.delay = 0.0 if first_step is None else 1.0 / (regularization * first_step)
        self.y_max = 0.0

    def update(self, x: Array, outcome: Outcome, draws: Draws, weight: float) -> None:
        self.shrink(1.0 - self.growth / (self.count + self.delay))
        step = 1.0 / (self.regularization * (self.count + self.delay))
        self.absorb(x, -step * weight * outcome.slope * outcome.direction, draws)
        self.y_max = max(self.y_max, abs(outcome.target))
        if self.project:
            most = self.loss[0](-self.y_max) if self.task == "regression" else 1.0
            if most > 0.0:
                self.project_on_ball(math.sqrt(most / self.regularization))
        if self.l2_ball and self.regularization <= 1.0:
            self.project_on_ball(self.y_max / math.sqrt(self.regularization))

    def absorb(self, x: Array, coefficient: Array, draws: Draws) -> None:
        if coefficient.any():
            self.append(x, coefficient)

    def project_on_ball(self, radius: float) -> None:
        norm = math.sqrt(max(self.squared_norm(), 0.0))
        if norm > radius:
            self.shrink(radius / norm)
