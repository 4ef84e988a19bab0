"""Projectron: a newcomer that the support vectors nearly span is projected on them instead."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from onkel.budgets.factor import append_factor, solve_first, solve_second
from onkel.budgets.inverse import invert_factor, multiply_inverse
from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner
from onkel.model.instance import Instance, Step
from onkel.model.norm import add_step_to_norm
from onkel.model.slots import append, spread_step
from onkel.model.state import Model, Workspace


class ProjectNewest(NamedTuple):
    r"""A newcomer that the old vectors nearly span is projected on them.

    With :math:`d = K^{-1} k`, :math:`\delta^2 = k(x, x) - k \cdot d`: if :math:`\delta` is at
    most ``tolerance``, or the budget is full, the step goes to old vectors in the proportions d.

    With a ``margin`` (U of Projectron++) of at least 0, an instance that is no mistake but whose
    loss exceeds :math:`U \delta` moves the old vectors too.

    Parameters
    ----------
    size : int
        Largest number B of support vectors; 0 sets no limit.
    tolerance : float
        Largest distance :math:`\delta` at which an instance is projected.
    margin : float
        U of Projectron++; negative: only mistakes are learned from.
    floor : float
        Relative squared distance below which a vector counts as spanned by others.
    """

    size: int  # 0: no limit
    tolerance: float
    margin: float  # negative: every step that is taken is a mistake's
    floor: float  # a squared distance relatively below it is none

    @property
    def least_size(self) -> int:
        return 0

    @property
    def extensible(self) -> bool:
        return False  # the inverse of a full budget takes in no more vectors

    @property
    def keeps(self) -> tuple[str, ...]:
        return ("factor",)

    @property
    def keeps_for_norm(self) -> tuple[str, ...]:
        return ()

    @property
    def memory(self) -> tuple[float, ...]:
        return (0.0,)  # 1 when the budget is full, and the factor was turned into the inverse

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, step: Step) -> None:
        if not step.take:
            return
        n, shares = model.now[0].n, workspace.shares
        full = n == self.size and n > 0
        if full:
            spanned = project_by_inverse(model, workspace, instance, shares)
        else:
            spanned = project_by_factor(model, workspace, instance, shares)
        gap = instance.diagonal - spanned
        if gap <= self.floor * instance.diagonal:
            gap = 0.0
        distance = math.sqrt(instance.moved_outputs * gap)
        amount = step.amount
        if self.margin >= 0.0 and instance.m > 0.0:
            length = instance.moved_outputs * spanned
            excess = instance.value - self.margin * distance
            if length <= 0.0 or excess <= 0.0:
                return
            amount *= min(min(instance.value, 2.0 * excess) / length, 1.0)
        elif distance > self.tolerance and not full:
            append_factor(model.factor, n, shares, gap)
            append(model, workspace, instance, amount)
            return
        if not full:
            solve_second(model.factor, n, shares)
        add_step_to_norm(model, instance, amount, spanned)
        spread_step(model, workspace, instance, amount, shares)


@inner
def project_by_factor(model: Model, workspace: Workspace, instance: Instance, solved: Array) -> Any:
    """The squared length k . K^-1 k of the instance's projection; ``solved`` gets R'^-1 k."""
    n, spanned = model.now[0].n, 0.0
    for i in range(n):
        solved[i] = workspace.values[instance.r, i]
    solve_first(model.factor, n, solved)
    for i in range(n):
        spanned += solved[i] * solved[i]
    return spanned


@inner
def project_by_inverse(
    model: Model, workspace: Workspace, instance: Instance, shares: Array
) -> Any:
    """The same of a full budget, whose Gram matrix no longer changes; ``shares`` gets K^-1 k."""
    n, known, spanned = model.now[0].n, workspace.kernel_row, 0.0
    if model.budget_memory[0] == 0.0:
        invert_factor(model.factor, n)
        model.budget_memory[0] = 1.0
    for i in range(n):
        known[i] = workspace.values[instance.r, i]
    multiply_inverse(model.factor, n, known, shares)
    for i in range(n):
        spanned += known[i] * shares[i]
    return spanned
