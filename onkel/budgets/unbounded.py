"""No budget: every term is kept. And the other extreme, a fixed space of features."""

from __future__ import annotations

from typing import NamedTuple

from onkel.model.instance import Instance, Step
from onkel.model.state import Model, Workspace, add_row, append


class Unbounded(NamedTuple):
    """Every instance that gets a term becomes a support vector."""

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, taken: Step) -> None:
        if taken.take:
            append(model, workspace, instance, taken.amount)


class Explicit(NamedTuple):
    """No support vectors but weights of explicit features: the step adds the features themselves."""

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, taken: Step) -> None:
        if not taken.take:
            return
        features = workspace.values[instance.r]
        unscaled = taken.amount * instance.sign / model.now[0].scale
        add_row(model, instance.up, unscaled, features)
        if instance.down >= 0:
            add_row(model, instance.down, -unscaled, features)
