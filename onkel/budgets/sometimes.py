"""NBSGD: maintenance happens less and less often, so that the model grows with the data."""

from __future__ import annotations

from typing import Any, NamedTuple

from onkel.model.instance import Instance, Step
from onkel.model.questions import absorb, extend
from onkel.model.random_draws import MAINTENANCE, random_draw
from onkel.model.state import Model, Workspace


class Sometimes(NamedTuple):
    r"""Beyond its size, the inner budget acts with probability :math:`\min(\beta/t, 1)` only.

    Parameters
    ----------
    budget : part
        The inner budget.
    rate : float
        Rate :math:`\beta`.
    """

    budget: Any
    rate: float

    @property
    def grows(self) -> bool:
        return True

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, step: Step) -> None:
        if not step.take:
            return
        full = model.now[0].n >= self.budget.size
        if full and random_draw(instance, MAINTENANCE) * instance.counted >= self.rate:
            extend(self.budget, model, workspace, instance, step.amount)
        else:
            absorb(self.budget, model, workspace, instance, step)
