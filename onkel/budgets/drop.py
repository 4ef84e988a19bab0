"""When the budget is full one vector goes: the smallest, the oldest, or one at random."""

from __future__ import annotations

from typing import Any, NamedTuple

from onkel.compile import inner
from onkel.models.marks import NEVER, NO_NEWCOMER, index_of, oldest_of_least, smallest
from onkel.models.state import Model, Seen, Work, append, charge, enter, multiply, replace
from onkel.rules.base import Step

#: A vector whose relative squared distance from the newcomer's line is less lies on it.
SPANNED = 1e-10


class DropSmallest(NamedTuple):
    r"""The vector with the least :math:`|c|^2 k(v, v)` goes, the newcomer included; the oldest of ties."""

    size: int

    def absorb(self, model: Model, work: Work, seen: Seen, taken: Step) -> None:
        if not taken.take:
            return
        now = model.now[0]
        if now.n < self.size:
            append(model, work, seen, taken.amount)
            return
        unscaled = taken.amount / now.scale
        victim = smallest(model, unscaled * unscaled * seen.outputs * seen.diagonal)
        if victim >= 0:
            replace(model, work, seen, taken.amount, victim)


class DropOldest(NamedTuple):
    """The oldest vector goes."""

    size: int

    def absorb(self, model: Model, work: Work, seen: Seen, taken: Step) -> None:
        if not taken.take:
            return
        if model.now[0].n < self.size:
            append(model, work, seen, taken.amount)
        else:
            replace(model, work, seen, taken.amount, oldest(model))


class DropRandom(NamedTuple):
    """An old vector drawn uniformly goes."""

    size: int

    def absorb(self, model: Model, work: Work, seen: Seen, taken: Step) -> None:
        if not taken.take:
            return
        n = model.now[0].n
        if n < self.size:
            append(model, work, seen, taken.amount)
        else:
            replace(model, work, seen, taken.amount, int(seen.which * n))


class DropRandomUnbiased(NamedTuple):
    r"""BOGD: an old vector drawn uniformly goes, the others grow by :math:`B/(B-1)`, and then
    all coefficients shrink until none exceeds ``largest``."""

    size: int
    largest: float

    def absorb(self, model: Model, work: Work, seen: Seen, taken: Step) -> None:
        if not taken.take:
            return
        now = model.now[0]
        n = now.n
        if n < self.size:
            append(model, work, seen, taken.amount)
            return
        multiply(model, n / (n - 1.0))
        replace(model, work, seen, taken.amount, int(seen.which * n))
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

    def absorb(self, model: Model, work: Work, seen: Seen, taken: Step) -> None:
        if not taken.take:
            return
        now = model.now[0]
        if now.n < self.size:
            append(model, work, seen, taken.amount)
            return
        kernel = work.kernel[seen.r]
        for i in range(now.n):
            size = 0.0
            for c in range(model.coef.shape[0]):
                size += model.coef[c, i] * model.coef[c, i]
            apart = model.diagonal[i] - kernel[i] * kernel[i] / seen.diagonal
            model.marks[i] = size * apart if apart > SPANNED * model.diagonal[i] else 0.0
        victim = oldest_of_least(model, NO_NEWCOMER)
        share = kernel[victim] / seen.diagonal
        for c in range(model.coef.shape[0]):
            model.coef[c, victim] *= share
            for a in range(model.sums.size):
                model.debts[a, c, victim] *= share
        enter(model, work, seen, victim)
        charge(model, victim, taken.amount, seen)


@inner
def oldest(model: Model) -> Any:
    """The slot that was filled first."""
    n = model.now[0].n
    first = NEVER
    for i in range(n):
        first = min(first, model.born[i])
    return index_of(model.born, n, first)
