"""Projectron: a newcomer that the support vectors nearly span is projected on them instead."""

from __future__ import annotations

import math
from typing import NamedTuple

from onkel.budgets.factor import append_factor, solve_first, solve_second
from onkel.compile import inner
from onkel.models.state import add_row, append


class ProjectNewest(NamedTuple):
    r"""With :math:`d = K^{-1} k`, :math:`\delta^2 = k(x, x) - k \cdot d`: if :math:`\delta` is at
    most ``tolerance``, or the budget is full, the step goes to old vectors in the proportions d.

    With a ``margin`` (U of Projectron++) of at least 0, an instance that is no mistake but whose
    loss exceeds :math:`U \delta` moves the old vectors too.
    """

    size: int  # 0: no limit
    tolerance: float
    margin: float  # negative: every step that is taken is a mistake's
    floor: float  # a squared distance relatively below it is none

    keeps = ("inverse",)  # its place holds the triangular factor instead

    def absorb(self, model, work, seen, taken):
        if not taken.take:
            return
        n, factor = model.now[0].n, model.inverse
        solved, spanned = work.other, 0.0
        for i in range(n):
            solved[i] = work.kernel[seen.r, i]
        solve_first(factor, n, solved)
        for i in range(n):
            spanned += solved[i] * solved[i]
        gap = seen.diagonal - spanned
        if gap <= self.floor * seen.diagonal:
            gap = 0.0
        distance = math.sqrt(seen.outputs * gap)
        if self.margin >= 0.0 and seen.m > 0.0:
            length = seen.outputs * spanned
            excess = seen.value - self.margin * distance
            if length > 0.0 and excess > 0.0:
                size = min(min(seen.value, 2.0 * excess) / length, 1.0)
                solve_second(factor, n, solved)
                spread(model, seen, taken.amount * size, solved)
        elif distance <= self.tolerance or (n == self.size and n > 0):
            solve_second(factor, n, solved)
            spread(model, seen, taken.amount, solved)
        else:
            append_factor(factor, n, solved, gap)
            append(model, work, seen, taken.amount)


@inner
def spread(model, seen, amount, proportions):
    """The step goes to all old vectors, in these proportions."""
    unscaled = amount * seen.sign / model.now[0].scale
    add_row(model, seen.up, unscaled, proportions)
    if seen.down >= 0:
        add_row(model, seen.down, -unscaled, proportions)
