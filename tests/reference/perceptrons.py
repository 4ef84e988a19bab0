"""Reference room: the perceptron family. On an error the instance enters with coefficient y.

Regression versions add step * sign(y - f) while |f - y| > dead_zone. The budget is kept by a random
victim (RBP), the oldest with shrinking (Forgetron), or projection (Projectron, Projectron++).
"""

import math
from typing import Any

import numpy as np

from tests.reference.base import Array, Draws, Kernel, Loss, Outcome, Twin
from tests.reference.victims import RandomVictim

SPAN = 1e-10  # a squared distance below this share of k(x, x) counts as lying in the span


class Perceptron(Twin):
    """`step` is used in regression only; a classifier's coefficient is y."""

    def __init__(
        self,
        task: str,
        n_outputs: int,
        kernel: Kernel,
        loss: Loss,
        *,
        step: float = 1.0,
        **shared: Any,
    ) -> None:
        super().__init__(task, n_outputs, kernel, loss, **shared)
        self.step = step if task == "regression" else 1.0

    def update(self, x: Array, outcome: Outcome, draws: Draws, weight: float) -> None:
        if outcome.errs:
            self.absorb(x, self.step * weight * outcome.towards, draws)


class RBP(RandomVictim, Perceptron):
    """Randomized budget perceptron."""


class Forgetron(RBP):
    """At full budget the oldest goes and the rest shrinks by phi, the largest that keeps
    Q + a phi^2 + b phi <= (15/32) M. Every phi is kept in `phis`."""

    def __init__(
        self,
        task: str,
        n_outputs: int,
        kernel: Kernel,
        loss: Loss,
        **shared: Any,
    ) -> None:
        super().__init__(task, n_outputs, kernel, loss, **shared)
        self.mistakes = 0
        self.damage = 0.0  # Q
        self.phis: list[float] = []

    def absorb(self, x: Array, coefficient: Array, draws: Draws) -> None:
        self.mistakes += 1
        self.append(x, coefficient)
        if len(self.slots) <= self.budget:
            return
        leaving = self.oldest()
        phi = self.shrinking(leaving)
        self.slots[leaving] = self.slots.pop()
        self.shrink(phi)
        self.phis.append(phi)

    def shrinking(self, leaving: int) -> float:
        """phi_t, and Q += Psi."""
        term = self.slots[leaving]
        scores = self.expansion(term.vector)
        own = self.kernel(term.vector, term.vector)
        if self.task == "multiclass":
            label, rival = int(np.argmax(term.value)), int(np.argmin(term.value))
            sigma = float(term.value[label])
            a = sigma**2 * own - sigma * float(scores[label] - scores[rival])
        else:
            sigma = abs(float(term.value[0])) / self.step
            mu = float(np.sign(term.value[0]) * scores[0]) / self.step
            a = sigma**2 * own - 2.0 * sigma * mu
        b = 2.0 * sigma
        c = self.damage - 15.0 / 32.0 * self.mistakes
        phi = 1.0 if a + b + c <= 0.0 else -2.0 * c / (b + math.sqrt(b * b - 4.0 * a * c))
        self.damage += a * phi**2 + b * phi
        return phi


class Projectron(Perceptron):
    """An error whose instance lies within `tolerance` of the span, or meets a full budget, is
    spread over the old vectors by d = K^-1 k. In multi-class tasks the term that is left out is
    sqrt(2) delta long, as it stands on two outputs; that is what `tolerance` bounds."""

    def __init__(
        self,
        task: str,
        n_outputs: int,
        kernel: Kernel,
        loss: Loss,
        *,
        tolerance: float = 0.0,
        budget: int | None = None,
        **shared: Any,
    ) -> None:
        super().__init__(task, n_outputs, kernel, loss, **shared)
        self.tolerance = tolerance
        self.budget = budget

    @property
    def n_sides(self) -> float:
        return 2.0 if self.task == "multiclass" else 1.0

    def absorb(self, x: Array, coefficient: Array, draws: Draws) -> None:
        shares, left_out, _ = self.projection(x)
        full = self.budget is not None and len(self.slots) >= self.budget
        if full or left_out <= self.tolerance:
            self.spread(shares, coefficient)
        else:
            self.append(x, coefficient)

    def projection(self, x: Array) -> tuple[Array, float, float]:
        """d; the length of what the projection leaves out; the squared length of what it keeps."""
        own = self.kernel(x, x)
        row = self.features(x)
        shares = np.zeros(0)
        if self.slots:
            shares = np.array(np.linalg.solve(self.gram(self.slots), row))
        kept = float(row @ shares)
        squared = max(own - kept, 0.0)
        if squared <= SPAN * own:
            squared = 0.0
        return shares, math.sqrt(self.n_sides * squared), self.n_sides * kept

    def spread(self, shares: Array, coefficient: Array) -> None:
        for share, term in zip(shares, self.slots, strict=True):
            term.value += share * coefficient


class ProjectronPlusPlus(Projectron):
    """Also learns from margin errors, if their loss is larger than U delta. Classification only.

    `caution` is U; None takes it from the budget or the tolerance."""

    def __init__(
        self,
        task: str,
        n_outputs: int,
        kernel: Kernel,
        loss: Loss,
        *,
        caution: float | None = None,
        **shared: Any,
    ) -> None:
        if task == "regression":
            raise ValueError("Projectron++ is a classifier")
        super().__init__(task, n_outputs, kernel, loss, **shared)
        if caution is not None:
            self.caution = caution
        elif self.budget is not None:
            self.caution = 0.25 * math.sqrt((self.budget + 1) / math.log(self.budget + 1))
        else:
            self.caution = 1.0 / self.tolerance if self.tolerance > 0.0 else math.inf

    def update(self, x: Array, outcome: Outcome, draws: Draws, weight: float) -> None:
        if outcome.errs:
            super().update(x, outcome, draws, weight)
        elif outcome.value > 0.0:
            self.margin_error(x, outcome, weight)

    def margin_error(self, x: Array, outcome: Outcome, weight: float) -> None:
        shares, left_out, kept = self.projection(x)
        # without tolerance U is infinite: only instances in the span are learned from
        excess = outcome.value - (self.caution * left_out if left_out > 0.0 else 0.0)
        if kept <= 0.0 or excess <= 0.0:
            return
        tau = min(outcome.value / kept, 2.0 * excess / kept, 1.0)
        self.spread(shares, tau * weight * outcome.towards)
