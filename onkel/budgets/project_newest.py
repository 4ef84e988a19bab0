"""Projectron: a newcomer that the support vectors nearly span is projected on them instead."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from onkel.budgets.factor import append_factor, solve_first, solve_second
from onkel.budgets.inverse import invert_factor, multiply_inverse
from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner
from onkel.model.instance import Instance, Step
from onkel.model.state import Model, Workspace, add_row, append


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

    @property
    def keeps(self) -> tuple[str, ...]:
        return ("factor",)

    @property
    def memory(self) -> tuple[float, ...]:
        return (0.0,)  # 1 when the budget is full, and the factor was turned into the inverse

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, taken: Step) -> None:
        if not taken.take:
            return
        n, solved = model.now[0].n, workspace.other
        full = n == self.size and n > 0
        spanned = solve_for_newcomer(model, workspace, instance, full)
        gap = instance.diagonal - spanned
        if gap <= self.floor * instance.diagonal:
            gap = 0.0
        distance = math.sqrt(instance.moved_outputs * gap)
        amount = taken.amount
        if self.margin >= 0.0 and instance.m > 0.0:
            length = instance.moved_outputs * spanned
            excess = instance.value - self.margin * distance
            if length <= 0.0 or excess <= 0.0:
                return
            amount *= min(min(instance.value, 2.0 * excess) / length, 1.0)
        elif distance > self.tolerance and not full:
            append_factor(model.factor, n, solved, gap)
            append(model, workspace, instance, amount)
            return
        if not full:
            solve_second(model.factor, n, solved)
        spread(model, instance, amount, solved)


@inner
def solve_for_newcomer(model: Model, workspace: Workspace, instance: Instance, full: Any) -> Any:
    """k . K^-1 k; and K^-1 k is left behind if the budget is full, else R'^-1 k."""
    n, known, solved = model.now[0].n, workspace.vector, workspace.other
    spanned = 0.0
    if not full:
        for i in range(n):
            solved[i] = workspace.values[instance.r, i]
        solve_first(model.factor, n, solved)
        for i in range(n):
            spanned += solved[i] * solved[i]
        return spanned
    if model.budget_memory[0] == 0.0:
        invert_factor(model.factor, n)
        model.budget_memory[0] = 1.0
    for i in range(n):
        known[i] = workspace.values[instance.r, i]
    multiply_inverse(model.factor, n, known, solved)
    for i in range(n):
        spanned += known[i] * solved[i]
    return spanned


@inner
def spread(model: Model, instance: Instance, amount: float, proportions: Array) -> None:
    """The step goes to all old vectors, in these proportions."""
    unscaled = amount * instance.sign / model.now[0].scale
    add_row(model, instance.up, unscaled, proportions)
    if instance.down >= 0:
        add_row(model, instance.down, -unscaled, proportions)
