"""When the budget is full one vector goes: the smallest, the oldest, or one at random."""

from __future__ import annotations

from typing import Any, NamedTuple

from onkel.compiled.decorators import inner
from onkel.model.instance import Instance, Step
from onkel.model.owners import n_owners, owner
from onkel.model.random_draws import VICTIM, random_draw
from onkel.model.scores import change_scores_by_corrections, sum_squares
from onkel.model.slots import (
    add_step,
    append,
    clear_coefficients,
    fill_slot,
    remove_term,
    replace,
    set_term,
)
from onkel.model.state import Model, Workspace, multiply
from onkel.model.victim import NO_NEWCOMER, oldest, oldest_of_least, smallest

#: A vector whose relative squared distance from the newcomer's line is less lies on it.
SPANNED = 1e-10


class DropSmallest(NamedTuple):
    r"""The vector with the least :math:`|c|^2 k(v, v)` goes, the newcomer included; the oldest of ties.

    Parameters
    ----------
    size : int
        Largest number B of support vectors.
    """

    size: int

    @property
    def reads_diagonal(self) -> bool:
        return True

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, step: Step) -> None:
        if placed_in_free_slot(self.size, model, workspace, instance, step):
            return
        unscaled = step.amount / model.now[0].scale
        own = unscaled * unscaled * instance.moved_outputs * instance.diagonal
        victim = smallest(model, workspace, own)
        if victim >= 0:
            replace(model, workspace, instance, step.amount, victim)


class DropOldest(NamedTuple):
    """The oldest vector goes.

    Parameters
    ----------
    size : int
        Largest number B of support vectors.
    """

    size: int

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, step: Step) -> None:
        if not placed_in_free_slot(self.size, model, workspace, instance, step):
            replace(model, workspace, instance, step.amount, oldest(model))


class DropRandom(NamedTuple):
    """An old vector drawn uniformly goes.

    Parameters
    ----------
    size : int
        Largest number B of support vectors.
    """

    size: int

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, step: Step) -> None:
        if not placed_in_free_slot(self.size, model, workspace, instance, step):
            replace(model, workspace, instance, step.amount, drawn_slot(model, instance))


class DropRandomUnbiased(NamedTuple):
    r"""BOGD: an old vector drawn uniformly goes, and the others make up for it.

    They grow by :math:`B/(B-1)`, and then all coefficients shrink until none exceeds ``largest``.

    Parameters
    ----------
    size : int
        Largest number B of support vectors.
    largest : float
        Largest absolute coefficient.
    """

    size: int
    largest: float

    @property
    def least_size(self) -> int:
        return 2  # there must be others

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, step: Step) -> None:
        if placed_in_free_slot(self.size, model, workspace, instance, step):
            return
        now = model.now[0]
        n = now.n
        multiply(model, n / (n - 1.0))
        replace(model, workspace, instance, step.amount, drawn_slot(model, instance))
        most = 0.0
        for c in range(model.coef.shape[0]):
            for i in range(n):
                most = max(most, abs(model.coef[c, i]))
        if most * now.scale > self.largest:
            multiply(model, self.largest / (most * now.scale))


class Replace(NamedTuple):
    r"""BPA-S: the newcomer takes the place of the vector that it stands in for best.

    From it, it takes over :math:`A_r k(v_r, x)/k(x, x)`. What has :math:`k(x, x) = 0` stays out.

    Parameters
    ----------
    size : int
        Largest number B of support vectors.
    """

    size: int

    @property
    def reads_diagonal(self) -> bool:
        return True

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, step: Step) -> None:
        if placed_in_free_slot(self.size, model, workspace, instance, step):
            return
        if instance.diagonal == 0.0:  # it stands in for nobody
            return
        kernel, costs, diagonal = workspace.values[instance.r], workspace.costs, model.diagonal
        sum_squares(model, workspace, costs)
        for i in range(model.now[0].n):
            apart = diagonal[i] - kernel[i] * kernel[i] / instance.diagonal
            costs[i] *= apart if apart > SPANNED * diagonal[i] else 0.0
        victim = oldest_of_least(model, NO_NEWCOMER, costs)
        share = kernel[victim] / instance.diagonal
        change_scores_by_corrections(model, workspace, victim, share - 1.0)
        clear_coefficients(workspace)
        for k in range(n_owners(model, workspace, victim)):
            c = owner(workspace, victim, k)
            workspace.coefficients[c] = share * model.coef[c, victim]
            for a in range(model.sums.size):
                model.corrections[a, c, victim] *= share
        remove_term(model, workspace, victim)
        fill_slot(model, workspace, instance, victim)
        set_term(model, workspace, victim, workspace.coefficients)
        add_step(model, workspace, instance, step.amount, victim)


@inner
def placed_in_free_slot(
    size: int, model: Model, workspace: Workspace, instance: Instance, step: Step
) -> Any:
    """Append the term if there is room. True if nothing is left to do, also for want of a term."""
    if not step.take:
        return True
    if model.now[0].n >= size:
        return False
    append(model, workspace, instance, step.amount)
    return True


@inner
def drawn_slot(model: Model, instance: Instance) -> Any:
    """A slot drawn uniformly."""
    return int(random_draw(instance, VICTIM) * model.now[0].n)
