"""NBSGD: maintenance happens less and less often, so that the model grows with the data."""

from __future__ import annotations

from typing import Any, NamedTuple

from onkel.model.instance import Instance, Step
from onkel.model.questions import absorb, extend
from onkel.model.state import Model, Workspace


class Sometimes(NamedTuple):
    r"""Beyond its size, the inner budget acts with probability :math:`\min(\beta/t, 1)` only."""

    budget: Any
    rate: float

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, taken: Step) -> None:
        if not taken.take:
            return
        if model.now[0].n >= self.budget.size and not instance.whether * instance.t < self.rate:
            extend(self.budget, model, workspace, instance, taken.amount)
        else:
            absorb(self.budget, model, workspace, instance, taken)
