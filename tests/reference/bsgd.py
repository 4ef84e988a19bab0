"""Reference room: budgeted SGD. When n > B, one term leaves: removed, projected or merged.

NBSGD does so with probability min(rate / t, 1) only, and grows otherwise.
"""

from typing import Any

import numpy as np

from tests.reference import merging
from tests.reference.base import TIE, Array, Draws, Kernel, Loss, Term, Twin, smallest
from tests.reference.sgd import SGD

JITTER = 1e-8  # of each diagonal entry
MERGE_NOISE = 1e-12  # of |c_p|^2: degradations closer than this are equal


class Maintenance(Twin):
    """`neighbors` None projects on all others, a number on the nearest; merging needs gamma."""

    def __init__(
        self,
        task: str,
        n_outputs: int,
        kernel: Kernel,
        loss: Loss,
        *,
        budget: int,
        maintenance: str = "removal",
        neighbors: int | None = None,
        gamma: float | None = None,
        **shared: Any,
    ) -> None:
        super().__init__(task, n_outputs, kernel, loss, **shared)
        if maintenance not in ("removal", "projection", "merging"):
            raise ValueError(f"unknown maintenance {maintenance!r}")
        if maintenance == "merging" and gamma is None:
            raise ValueError("merging needs gamma")
        self.budget = budget
        self.maintenance = maintenance
        self.neighbors = neighbors
        self.gamma = 0.0 if gamma is None else gamma

    def absorb(self, x: Array, coefficient: Array, draws: Draws) -> None:
        if not coefficient.any():
            return
        self.append(x, coefficient)
        if len(self.slots) > self.budget:
            self.maintain()

    def maintain(self) -> None:
        sizes = [
            float(term.value @ term.value) * self.kernel(term.vector, term.vector)
            for term in self.slots
        ]
        leaving = smallest(sizes, self.born)
        if self.maintenance == "merging":
            self.merge(leaving)
            return
        if self.maintenance == "projection":
            self.spread(leaving)
        self.drop(leaving)

    def drop(self, slot: int) -> None:
        """The newcomer, last in the list, takes the slot; if it is the one to go, it just goes."""
        newcomer = self.slots.pop()
        if slot < len(self.slots):
            self.slots[slot] = newcomer

    def spread(self, leaving: int) -> None:
        """Add the projection of a term on the others, d = K^-1 k_p, to their coefficients."""
        gone = self.slots[leaving]
        others = [term for i, term in enumerate(self.slots) if i != leaving]
        if self.neighbors is not None:
            others = self.nearest(gone, others)[: self.neighbors]
        matrix = self.gram(others)
        own = np.diag(matrix)
        matrix += np.diag(np.where(own > 0.0, JITTER * own, 1.0))
        shares = np.linalg.solve(
            matrix, np.array([self.kernel(gone.vector, term.vector) for term in others])
        )
        for share, term in zip(shares, others, strict=True):
            term.value += share * gone.value
            for which in (0, 1):
                term.sums[which][...] += share * gone.sums[which]

    def nearest(self, gone: Term, others: list[Term]) -> list[Term]:
        """By the distance that the kernel induces; sorted() keeps the lowest slot first on ties."""

        def distance(term: Term) -> float:
            p, v = gone.vector, term.vector
            return self.kernel(p, p) + self.kernel(v, v) - 2.0 * self.kernel(p, v)

        return sorted(others, key=distance)

    def merge(self, leaving: int) -> None:
        """Merge the term with the partner that costs least; of equal partners, the oldest."""
        first = self.slots[leaving]
        partners = [i for i in range(len(self.slots)) if i != leaving]
        exponents = [self.exponent(first, self.slots[j]) for j in partners]
        places = [
            merging.best_h(first.value, self.slots[j].value, exponent)
            for j, exponent in zip(partners, exponents, strict=True)
        ]
        costs = [
            merging.degradation(h, first.value, self.slots[j].value, exponent)
            for j, exponent, h in zip(partners, exponents, places, strict=True)
        ]
        slack = TIE * max(min(costs), 0.0) + MERGE_NOISE * float(first.value @ first.value)
        ties = [i for i, cost in enumerate(costs) if cost <= min(costs) + slack]
        best = min(ties, key=lambda i: self.slots[partners[i]].born)
        self.settle(leaving, partners[best], places[best], exponents[best])

    def exponent(self, left: Term, right: Term) -> float:
        return self.gamma * float(np.sum((left.vector - right.vector) ** 2))

    def settle(self, leaving: int, partner: int, h: float, exponent: float) -> None:
        """z takes the partner's slot, the newcomer the leaving one's; it may be one of the two."""
        first, second = self.slots[leaving], self.slots[partner]
        together = Term(
            h * first.vector + (1.0 - h) * second.vector,
            merging.merged(h, first.value, second.value, exponent),
            max(first.born, second.born),
            (
                merging.merged(h, first.sums[0], second.sums[0], exponent),
                merging.merged(h, first.sums[1], second.sums[1], exponent),
            ),
        )
        newcomer = self.slots.pop()
        if newcomer is first:
            self.slots[partner] = together
        elif newcomer is second:
            self.slots[leaving] = together
        else:
            self.slots[partner] = together
            self.slots[leaving] = newcomer


class Sometimes(Twin):
    """At full budget and beyond, the budget acts when a draw is below min(maintenance_rate / t, 1)."""

    budget: int

    def __init__(
        self,
        task: str,
        n_outputs: int,
        kernel: Kernel,
        loss: Loss,
        *,
        maintenance_rate: float,
        **shared: Any,
    ) -> None:
        super().__init__(task, n_outputs, kernel, loss, **shared)
        self.maintenance_rate = maintenance_rate

    def absorb(self, x: Array, coefficient: Array, draws: Draws) -> None:
        full = len(self.slots) >= self.budget
        if not full or draws.maintenance < min(self.maintenance_rate / self.count, 1.0):
            super().absorb(x, coefficient, draws)
        elif coefficient.any():
            self.extend(x, coefficient)

    def extend(self, x: Array, coefficient: Array) -> None:
        """One vector more than the budget."""
        self.append(x, coefficient)


class BSGD(Maintenance, SGD):
    """Budgeted SGD."""


class NBSGD(Sometimes, BSGD):
    """Nonparametric budgeted SGD."""
