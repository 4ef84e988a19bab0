"""NBSGD: maintenance happens less and less often, so that the model grows with the data."""

from __future__ import annotations

from typing import Any, NamedTuple

from onkel.models.state import Model, Seen, Work
from onkel.parts import absorb, extend
from onkel.rules.base import Step


class Sometimes(NamedTuple):
    r"""Beyond its size, the inner budget acts with probability :math:`\min(\beta/t, 1)` only."""

    budget: Any
    rate: float

    def absorb(self, model: Model, work: Work, seen: Seen, taken: Step) -> None:
        if not taken.take:
            return
        if model.now[0].n >= self.budget.size and not seen.whether * seen.t < self.rate:
            extend(self.budget, model, work, seen, taken.amount)
        else:
            absorb(self.budget, model, work, seen, taken)
