"""AVM: the input is covered with cells, and the terms of a cell are charged to its core point.

The memory of a slot is 0 for a core point and infinite for a vector that was kept exactly.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner
from onkel.model.instance import Instance, Step
from onkel.model.random_draws import EXACT, random_draw
from onkel.model.slots import add_step, append
from onkel.model.state import Model, Workspace
from onkel.model.victim import least_of

BEYOND = np.inf


class Cells(NamedTuple):
    """What cells of all shapes have."""

    radius: float
    max_cores: int  # 0: as many as it takes
    drop_at_cap: bool
    exact_rate: float
    exact_decay: float

    @property
    def memory(self) -> tuple[float, ...]:
        return (0.0,)  # core points


class Spheres(Cells):
    r"""Cells are balls of this radius around core points; the nearest core point counts.

    Parameters
    ----------
    radius : float
        Radius of the balls.
    max_cores : int
        Largest number of core points; 0 sets no limit.
    drop_at_cap : bool
        Whether an instance that no cell covers is dropped when there are ``max_cores`` core
        points; else it is charged to the nearest one.
    exact_rate : float
        Rate :math:`\beta` of instances that become support vectors themselves.
    exact_decay : float
        Exponent :math:`\rho`: that happens with probability :math:`\min(1, \beta / t^\rho)`.
    """

    __slots__ = ()

    @property
    def reads_distances(self) -> str:
        return "squared"

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, step: Step) -> None:
        if is_exact(self, instance):
            keep_exactly(model, workspace, instance, step)
            return
        gaps = workspace.distances[instance.r]
        least = least_gap(model, gaps, self.exact_rate == 0.0)
        if least >= self.radius * self.radius and not is_charged_uncovered(
            self, model, workspace, instance, step
        ):
            return
        if step.take:
            core = core_at(model, gaps, least)
            add_step(model, workspace, instance, step.amount, core)


class Boxes(Cells):
    r"""Cells are cubes of this half-width around core points; the first one that contains x counts.

    Parameters
    ----------
    radius : float
        Half the width of the cubes.
    max_cores : int
        Largest number of core points; 0 sets no limit.
    drop_at_cap : bool
        Whether an instance that no cell covers is dropped when there are ``max_cores`` core
        points; else it is charged to the nearest one.
    exact_rate : float
        Rate :math:`\beta` of instances that become support vectors themselves.
    exact_decay : float
        Exponent :math:`\rho`: that happens with probability :math:`\min(1, \beta / t^\rho)`.
    """

    __slots__ = ()

    @property
    def reads_distances(self) -> str:
        return "largest_coordinate"

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, step: Step) -> None:
        if is_exact(self, instance):
            keep_exactly(model, workspace, instance, step)
            return
        gaps = workspace.distances[instance.r]
        core, least = -1, BEYOND
        for i in range(model.now[0].n):
            if gaps[i] < least and model.slot_memory[i] == 0.0:
                core, least = i, gaps[i]
                if least < self.radius:
                    break
        if least >= self.radius and not is_charged_uncovered(
            self, model, workspace, instance, step
        ):
            return
        if step.take:
            add_step(model, workspace, instance, step.amount, core)


@inner
def least_gap(model: Model, gaps: Array, all_are_cores: Any) -> Any:
    """The squared distance of the nearest core point."""
    n = model.now[0].n
    if all_are_cores:
        return float(least_of(gaps, n, gaps.dtype.type(BEYOND)))
    least = BEYOND
    for i in range(n):
        if gaps[i] < least and model.slot_memory[i] == 0.0:
            least = float(gaps[i])
    return least


@inner
def core_at(model: Model, gaps: Array, gap: float) -> Any:
    """The first core point at this squared distance."""
    for i in range(model.now[0].n):
        if gaps[i] == gap and model.slot_memory[i] == 0.0:
            return i
    return -1


@inner
def is_exact(cells: Any, instance: Instance) -> Any:
    if cells.exact_rate == 0.0:
        return False
    chance = cells.exact_rate / instance.t**cells.exact_decay
    return random_draw(instance, EXACT) >= 1.0 - chance


@inner
def keep_exactly(model: Model, workspace: Workspace, instance: Instance, step: Step) -> None:
    if step.take:
        append(model, workspace, instance, step.amount)
        model.slot_memory[model.now[0].n - 1] = BEYOND


@inner
def is_charged_uncovered(
    cells: Any, model: Model, workspace: Workspace, instance: Instance, step: Step
) -> Any:
    """Open a cell if that is allowed. True if the term is to be charged to a core point instead."""
    cores = model.budget_memory
    if cells.max_cores == 0 or cores[0] < cells.max_cores:
        append(model, workspace, instance, step.amount if step.take else 0.0)
        cores[0] += 1.0
        return False
    return not cells.drop_at_cap
