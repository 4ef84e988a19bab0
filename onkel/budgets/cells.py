"""AVM: the input is covered with cells, and the terms of a cell are charged to its core point.

A slot's mark is 0 for a core point and infinite for a vector that was kept exactly.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner
from onkel.compiled.pointers import where
from onkel.model.instance import Instance, Step
from onkel.model.marks import least_of
from onkel.model.random_draws import EXACT, random_draw
from onkel.model.state import Model, Workspace, add_to_norm, append, charge

BEYOND = np.inf


class Spheres(NamedTuple):
    """Cells are balls of this radius around core points; the nearest core point counts."""

    radius: float
    max_cores: int  # 0: as many as it takes
    drop_at_cap: bool
    exact_rate: float
    exact_decay: float

    @property
    def reads_distances(self) -> str:
        return "squared"

    @property
    def memory(self) -> tuple[float, ...]:
        return (0.0,)  # core points

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, taken: Step) -> None:
        if is_exact(self, instance):
            keep_exactly(model, workspace, instance, taken)
            return
        gaps = workspace.distances[instance.r]
        least = least_gap(model, gaps, self.exact_rate == 0.0)
        if least >= self.radius * self.radius and not settle_uncovered(
            self, model, workspace, instance, taken
        ):
            return
        if taken.take:
            charge_core(model, workspace, instance, taken.amount, core_at(model, gaps, least))


class Boxes(NamedTuple):
    """Cells are cubes of this half-width around core points; the first one that contains x counts."""

    radius: float
    max_cores: int
    drop_at_cap: bool
    exact_rate: float
    exact_decay: float

    @property
    def reads_distances(self) -> str:
        return "largest_coordinate"

    @property
    def memory(self) -> tuple[float, ...]:
        return (0.0,)

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, taken: Step) -> None:
        if is_exact(self, instance):
            keep_exactly(model, workspace, instance, taken)
            return
        gaps = workspace.distances[instance.r]
        core, least = -1, BEYOND
        for i in range(model.now[0].n):
            if gaps[i] < least and model.marks[i] == 0.0:
                core, least = i, gaps[i]
                if least < self.radius:
                    break
        if least >= self.radius and not settle_uncovered(self, model, workspace, instance, taken):
            return
        if taken.take:
            charge_core(model, workspace, instance, taken.amount, core)


@inner
def least_gap(model: Model, gaps: Array, all_are_cores: Any) -> Any:
    """The squared distance of the nearest core point."""
    n = model.now[0].n
    if all_are_cores:
        return float(least_of(gaps, n, gaps.dtype.type(BEYOND)))
    least = BEYOND
    for i in range(n):
        if gaps[i] < least and model.marks[i] == 0.0:
            least = float(gaps[i])
    return least


@inner
def core_at(model: Model, gaps: Array, gap: float) -> Any:
    """The first core point at this squared distance."""
    for i in range(model.now[0].n):
        if gaps[i] == gap and model.marks[i] == 0.0:
            return i
    return -1


@inner
def is_exact(cells: Any, instance: Instance) -> Any:
    if cells.exact_rate == 0.0:
        return False
    return random_draw(instance, EXACT) >= 1.0 - cells.exact_rate / instance.t**cells.exact_decay


@inner
def keep_exactly(model: Model, workspace: Workspace, instance: Instance, taken: Step) -> None:
    if taken.take:
        model.marks[model.now[0].n] = BEYOND
        append(model, workspace, instance, taken.amount)


@inner
def settle_uncovered(
    cells: Any, model: Model, workspace: Workspace, instance: Instance, taken: Step
) -> Any:
    """Open a cell if that is allowed. True if the term is still to be charged to a core point."""
    cores = model.budget_memory
    if cells.max_cores == 0 or cores[0] < cells.max_cores:
        model.marks[model.now[0].n] = 0.0
        append(model, workspace, instance, taken.amount if taken.take else 0.0)
        cores[0] += 1.0
        return False
    return not cells.drop_at_cap


@inner
def charge_core(
    model: Model, workspace: Workspace, instance: Instance, amount: float, core: int
) -> None:
    charge_to_norm(model, workspace, instance, amount, core)
    charge(model, core, amount, instance)


@where("follows_norm")
def charge_to_norm(
    model: Model, workspace: Workspace, instance: Instance, amount: float, core: int
) -> None:
    for c in range(workspace.coefficients.size):
        workspace.coefficients[c] = 0.0
    workspace.coefficients[instance.up] = amount * instance.sign
    if instance.down >= 0:
        workspace.coefficients[instance.down] = -amount
    add_to_norm(model, core, workspace.coefficients, model.now[0].n)
