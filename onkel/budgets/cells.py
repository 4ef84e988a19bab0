"""AVM: the input is covered with cells, and the terms of a cell are charged to its core point.

The memory of a slot is 0 for a core point and infinite for a vector that was kept exactly.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

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

    def gaps(self, x: Any, V: Any) -> np.ndarray:
        """The distances of a row (1 x d, dense or CSR) by which these cells are measured."""
        raise NotImplementedError

    def cell_of(self, gaps: np.ndarray) -> int:
        """The cell, of those at these distances, that covers a row; -1 if none does."""
        raise NotImplementedError

    def homes(self, V: Any, memory: np.ndarray, others: Any, kept: np.ndarray) -> np.ndarray:
        """Where the vectors of another model go, one after the other.

        The number of a vector of this one, a number from that of its vectors on for those that are taken over, or -1
        for what is dropped. Core points go to the cell that covers them, or become core points; vectors that were
        kept exactly, whose memory is infinite, are taken over.
        """
        cells, numbers = V[memory == 0.0], np.flatnonzero(memory == 0.0).tolist()
        new: list[int] = []  # others that have become core points
        n, homes = V.shape[0], np.empty(others.shape[0], np.intp)
        for i in range(others.shape[0]):
            home = -1
            if kept[i] == 0.0 and numbers:
                row = others[i : i + 1]
                gaps = np.concatenate([self.gaps(row, cells), self.gaps(row, others[new])])
                cell = self.cell_of(gaps)
                full = 0 < self.max_cores <= len(numbers)
                if cell < 0 and full and self.drop_at_cap:
                    homes[i] = -1
                    continue
                if cell >= 0 or full:
                    home = numbers[cell if cell >= 0 else int(np.argmin(gaps))]
            if home < 0:
                home, n = n, n + 1
                if kept[i] == 0.0:
                    new.append(i)
                    numbers.append(home)
            homes[i] = home
        return homes


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

    def gaps(self, x: Any, V: Any) -> np.ndarray:
        if sparse.issparse(V):
            norms = (np.asarray(each.multiply(each).sum(axis=1)).ravel() for each in (x, V))
            return np.sqrt(np.maximum(sum(norms) - 2.0 * (V @ x.T).toarray().ravel(), 0.0))
        return cdist(x, V)[0]

    def cell_of(self, gaps: np.ndarray) -> int:
        nearest = int(np.argmin(gaps))
        return nearest if gaps[nearest] < self.radius else -1

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

    def gaps(self, x: Any, V: Any) -> np.ndarray:
        if sparse.issparse(V):
            x, V = x.toarray(), V.toarray()
        return cdist(x, V, "chebyshev")[0]

    def cell_of(self, gaps: np.ndarray) -> int:
        inside = np.flatnonzero(gaps < self.radius)
        return int(inside[0]) if len(inside) else -1

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
