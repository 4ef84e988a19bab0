"""When the budget is full one vector goes: the smallest, the oldest, or one at random."""

from __future__ import annotations

from typing import Any, NamedTuple

from onkel.compiled.decorators import inner
from onkel.model.instance import Instance, Step
from onkel.model.marks import NEVER, NO_NEWCOMER, index_of, oldest_of_least, smallest
from onkel.model.random_draws import VICTIM, random_draw
from onkel.model.state import Model, Workspace, append, charge, enter, multiply, replace

#: A vector whose relative squared distance from the newcomer's line is less lies on it.
SPANNED = 1e-10


class DropSmallest(NamedTuple):
    r"""The vector with the least :math:`|c|^2 k(v, v)` goes, the newcomer included; the oldest of ties."""

    size: int

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, taken: Step) -> None:
        if not taken.take:
            return
        now = model.now[0]
        if now.n < self.size:
            append(model, workspace, instance, taken.amount)
            return
        unscaled = taken.amount / now.scale
        victim = smallest(model, unscaled * unscaled * instance.moved_outputs * instance.diagonal)
        if victim >= 0:
            replace(model, workspace, instance, taken.amount, victim)


class DropOldest(NamedTuple):
    """The oldest vector goes."""

    size: int

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, taken: Step) -> None:
        if not taken.take:
            return
        if model.now[0].n < self.size:
            append(model, workspace, instance, taken.amount)
        else:
            replace(model, workspace, instance, taken.amount, oldest(model))


class DropRandom(NamedTuple):
    """An old vector drawn uniformly goes."""

    size: int

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, taken: Step) -> None:
        if not taken.take:
            return
        n = model.now[0].n
        if n < self.size:
            append(model, workspace, instance, taken.amount)
        else:
            replace(
                model, workspace, instance, taken.amount, int(random_draw(instance, VICTIM) * n)
            )


class DropRandomUnbiased(NamedTuple):
    r"""BOGD: an old vector drawn uniformly goes, the others grow by :math:`B/(B-1)`, and then
    all coefficients shrink until none exceeds ``largest``."""

    size: int
    largest: float

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, taken: Step) -> None:
        if not taken.take:
            return
        now = model.now[0]
        n = now.n
        if n < self.size:
            append(model, workspace, instance, taken.amount)
            return
        multiply(model, n / (n - 1.0))
        replace(model, workspace, instance, taken.amount, int(random_draw(instance, VICTIM) * n))
        most = 0.0
        for c in range(model.coef.shape[0]):
            for i in range(n):
                most = max(most, abs(model.coef[c, i]))
        if most * now.scale > self.largest:
            multiply(model, self.largest / (most * now.scale))


class Replace(NamedTuple):
    r"""BPA-S: the newcomer takes the place of the vector that it stands in for best, and its part
    :math:`A_r k(v_r, x)/k(x, x)`."""

    size: int

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, taken: Step) -> None:
        if not taken.take:
            return
        now = model.now[0]
        if now.n < self.size:
            append(model, workspace, instance, taken.amount)
            return
        kernel = workspace.values[instance.r]
        for i in range(now.n):
            size = 0.0
            for c in range(model.coef.shape[0]):
                size += model.coef[c, i] * model.coef[c, i]
            apart = model.diagonal[i] - kernel[i] * kernel[i] / instance.diagonal
            model.marks[i] = size * apart if apart > SPANNED * model.diagonal[i] else 0.0
        victim = oldest_of_least(model, NO_NEWCOMER)
        share = kernel[victim] / instance.diagonal
        for c in range(model.coef.shape[0]):
            model.coef[c, victim] *= share
            for a in range(model.sums.size):
                model.corrections[a, c, victim] *= share
        enter(model, workspace, instance, victim)
        charge(model, victim, taken.amount, instance)


@inner
def oldest(model: Model) -> Any:
    """The slot that was filled first."""
    n = model.now[0].n
    first = NEVER
    for i in range(n):
        first = min(first, model.born[i])
    return index_of(model.born, n, first)
