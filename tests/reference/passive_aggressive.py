"""Reference room: passive-aggressive steps, the smallest change of w that removes the loss, capped.

tau = min(C, loss / k(x, x)), in multi-class tasks loss / (2 k(x, x)); nothing where k(x, x) = 0.
"""

from typing import Any

from tests.reference.base import Array, Draws, Kernel, Loss, Outcome, Twin, smallest
from tests.reference.perceptrons import SPAN


class PassiveAggressive(Twin):
    """PA-I; `aggressiveness` is C. The loss is hinge or epsilon_insensitive."""

    def __init__(
        self,
        task: str,
        n_outputs: int,
        kernel: Kernel,
        loss: Loss,
        *,
        aggressiveness: float,
        **shared: Any,
    ) -> None:
        super().__init__(task, n_outputs, kernel, loss, **shared)
        self.aggressiveness = aggressiveness

    def update(self, x: Array, outcome: Outcome, draws: Draws, weight: float) -> None:
        own = self.kernel(x, x)
        if outcome.value <= 0.0 or own <= 0.0:
            return
        sides = 2.0 if self.task == "multiclass" else 1.0
        tau = min(self.aggressiveness * weight, outcome.value / (sides * own))
        self.absorb(x, tau * outcome.towards, draws)


class StandIn(Twin):
    """At full budget x replaces the vector r whose part orthogonal to x is the shortest,
    |A_r|^2 (k(v_r, v_r) - k(v_r, x)^2 / k(x, x)), and takes over its projection on x."""

    def __init__(
        self,
        task: str,
        n_outputs: int,
        kernel: Kernel,
        loss: Loss,
        *,
        budget: int,
        **shared: Any,
    ) -> None:
        super().__init__(task, n_outputs, kernel, loss, **shared)
        self.budget = budget

    def absorb(self, x: Array, coefficient: Array, draws: Draws) -> None:
        if len(self.slots) < self.budget:
            self.append(x, coefficient)
            return
        own = self.kernel(x, x)
        costs = []
        for term in self.slots:
            itself, row = self.kernel(term.vector, term.vector), self.kernel(term.vector, x)
            apart = itself - row * row / own
            # a copy of x is exactly in its span, whatever rounding says
            apart = 0.0 if apart <= SPAN * itself else apart
            costs.append(float(term.value @ term.value) * apart)
        leaving = smallest(costs, self.born)
        gone = self.slots[leaving]
        share = self.kernel(gone.vector, x) / own
        self.replace(leaving, x, coefficient + share * gone.value)
        for which in (0, 1):
            self.slots[leaving].sums[which][...] = share * gone.sums[which]


class BPAS(StandIn, PassiveAggressive):
    """BPA-S."""
