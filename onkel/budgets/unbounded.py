"""No budget: every term is kept. And the other extreme, a fixed space of features."""

from __future__ import annotations

from typing import NamedTuple

from onkel.model.instance import Instance, Step
from onkel.model.norm import add_step_to_norm
from onkel.model.slots import append, spread_step
from onkel.model.state import Model, Workspace


class Unbounded(NamedTuple):
    """Every instance that gets a term becomes a support vector."""

    @property
    def keeps_for_norm(self) -> tuple[str, ...]:
        return ()

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, step: Step) -> None:
        if step.take:
            append(model, workspace, instance, step.amount)


class Explicit(NamedTuple):
    """No support vectors but weights of explicit features: the step adds the features themselves."""

    @property
    def of_features(self) -> bool:
        return True

    @property
    def keeps_for_norm(self) -> tuple[str, ...]:
        return ()

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, step: Step) -> None:
        if not step.take:
            return
        add_step_to_norm(model, instance, step.amount, instance.diagonal)
        spread_step(model, workspace, instance, step.amount, workspace.values[instance.r])
