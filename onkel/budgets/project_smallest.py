"""When the budget is full the smallest vector goes, but for its projection on the others."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from onkel.budgets.factor import (
    append_factor,
    places_by_age,
    remove_factor,
    solve_first,
    solve_second,
)
from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner
from onkel.compiled.pointers import where
from onkel.model.instance import Instance, Step
from onkel.model.owners import add_owner, n_owners, owner
from onkel.model.scores import change_scores_by_share, forget_square, mix_columns
from onkel.model.slots import append, move_last
from onkel.model.state import Model, Workspace
from onkel.model.victim import NO_NEWCOMER, smallest


class ProjectSmallest(NamedTuple):
    """The exact projection, on all others; the factor of the Gram matrix is kept, oldest first.

    Parameters
    ----------
    size : int
        Largest number B of support vectors.
    jitter : float
        Added to the diagonal of the Gram matrix, relatively.
    """

    size: int
    jitter: float

    @property
    def keeps(self) -> tuple[str, ...]:
        return ("gram", "factor")

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, step: Step) -> None:
        if not step.take:
            return
        n, places, shares = model.now[0].n, workspace.places, workspace.shares
        places_by_age(model.born, n, places)
        append_with_factor(self.jitter, model, workspace, instance, step.amount, places)
        if n < self.size:
            return
        victim = smallest(model, workspace, NO_NEWCOMER)
        leaving = places[victim]
        remove_factor(model.factor, n + 1, leaving, shares)
        solve_second(model.factor, n, shares)
        for i in range(n + 1):
            places[i] -= 1 if places[i] > leaving else 0
        follow_projection(model, victim, self.jitter, places, shares)
        for i in range(n + 1):
            workspace.products[i] = 0.0 if i == victim else shares[places[i]]
        hand_over(model, workspace, victim, workspace.products)
        move_last(model, workspace, instance, victim)

    def extend(self, model: Model, workspace: Workspace, instance: Instance, amount: float) -> None:
        places_by_age(model.born, model.now[0].n, workspace.places)
        append_with_factor(self.jitter, model, workspace, instance, amount, workspace.places)


class ProjectSmallestNearby(NamedTuple):
    """The approximate projection, on a few nearest vectors: a small system.

    Parameters
    ----------
    size : int
        Largest number B of support vectors.
    neighbors : int
        On how many nearest vectors is projected.
    jitter : float
        Added to the diagonal of the small Gram matrix, relatively.
    """

    size: int
    neighbors: int
    jitter: float

    @property
    def keeps(self) -> tuple[str, ...]:
        return ("gram",)

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, step: Step) -> None:
        if not step.take:
            return
        now = model.now[0]
        append(model, workspace, instance, step.amount)
        if now.n <= self.size:
            return
        victim = smallest(model, workspace, NO_NEWCOMER)
        chosen = min(self.neighbors, now.n - 1)
        near = nearest(model, workspace, victim, chosen)
        system = np.empty((chosen, chosen))
        right = np.empty(chosen)
        for a in range(chosen):
            right[a] = model.gram[victim, near[a]]
            for b in range(chosen):
                system[a, b] = model.gram[near[a], near[b]]
            system[a, a] *= 1.0 + self.jitter
        solve_in_place(system, right)
        follow_norm(model, workspace, victim, near, right)
        for i in range(now.n):
            workspace.products[i] = 0.0
        for a in range(chosen):
            workspace.products[near[a]] = right[a]
        hand_over(model, workspace, victim, workspace.products)
        move_last(model, workspace, instance, victim)


@inner
def append_with_factor(
    jitter: float,
    model: Model,
    workspace: Workspace,
    instance: Instance,
    amount: float,
    places: Array,
) -> None:
    """Append the row and let the factor follow, in which ``places`` says where each vector is."""
    n, solved = model.now[0].n, workspace.shares
    append(model, workspace, instance, amount)
    for i in range(n):
        solved[places[i]] = model.gram[n, i]
    solve_first(model.factor, n, solved)
    gap = instance.diagonal * (1.0 + jitter)
    for i in range(n):
        gap -= solved[i] * solved[i]
    least = jitter * instance.diagonal
    if least <= 0.0:  # a zero vector has nothing in common with the others
        least = 1.0
    append_factor(model.factor, n, solved, max(gap, least))
    places[n] = n


@where("follows_norm")
def follow_projection(
    model: Model, victim: int, jitter: float, places: Array, shares: Array
) -> None:
    """Let the squared norm of the weights follow a hand-over that is to come.

    With (K + J) d = k, J being the jitter, r = phi(v) - sum d_j phi(v_j) goes, and r . phi(v_j) = J_j d_j.
    """
    now = model.now[0]
    gone = model.diagonal[victim]  # |r|^2
    for j in range(now.n):
        if j != victim:
            share = shares[places[j]]
            gone -= share * (model.gram[victim, j] + jitter * model.diagonal[j] * share)
    for c in range(model.coef.shape[0]):
        if model.coef[c, victim] == 0.0:
            continue
        lost = now.scale * model.coef[c, victim]
        along = 0.0  # r . w, of the weights w that are left
        for j in range(now.n):
            if j != victim:
                share = shares[places[j]]
                left = now.scale * model.coef[c, j] + share * lost
                along += left * jitter * model.diagonal[j] * share
        now.squared_norm -= lost * (lost * gone + 2.0 * along)


@inner
def hand_over(model: Model, workspace: Workspace, giver: int, shares: Array) -> None:
    """The coefficients of all slots, and their averages, get these shares of the giver's."""
    for i in range(model.now[0].n):
        if shares[i] != 0.0:
            forget_square(workspace, i)
    mix_columns(model, workspace, shares)
    for k in range(n_owners(model, workspace, giver)):
        c = owner(workspace, giver, k)
        change_scores_by_share(model, workspace, c, giver)
        for i in range(workspace.owners.shape[0]):
            if i < model.now[0].n and shares[i] != 0.0:
                add_owner(workspace, i, c)
        take_shares(model.coef[c], giver, shares, model.now[0].n)
        for a in range(model.sums.size):
            take_shares(model.corrections[a, c], giver, shares, model.now[0].n)


@inner
def take_shares(row: Array, giver: int, shares: Array, n: int) -> None:
    given = row[giver]
    if given != 0.0:
        for i in range(n):
            row[i] += shares[i] * given


@where("follows_norm")
def follow_norm(
    model: Model, workspace: Workspace, victim: int, near: Array, shares: Array
) -> None:
    """The squared norm after a hand-over on a few vectors, from Gram entries."""
    now = model.now[0]
    change = workspace.shares  # of the coefficients, per unit of the victim's
    for i in range(now.n):
        change[i] = 0.0
    change[victim] = -1.0
    for a in range(near.size):
        change[near[a]] = shares[a]
    for c in range(model.coef.shape[0]):
        if model.coef[c, victim] == 0.0:
            continue
        unit = now.scale * model.coef[c, victim]
        for a in range(-1, near.size):
            slot = victim if a < 0 else near[a]
            against_old, against_new = 0.0, 0.0
            for i in range(now.n):
                against_old += model.gram[slot, i] * model.coef[c, i]
                against_new += model.gram[slot, i] * change[i]
            both = 2.0 * now.scale * against_old + unit * against_new
            now.squared_norm += unit * change[slot] * both


@inner
def nearest(model: Model, workspace: Workspace, slot: int, count: int) -> Any:
    """The vectors nearest to a slot in feature space; the lowest slots of ties."""
    n = model.now[0].n
    gaps = workspace.costs
    for i in range(n):
        gaps[i] = model.diagonal[i] - 2.0 * model.gram[slot, i]
    gaps[slot] = np.inf
    found = np.empty(count, np.int64)
    for a in range(count):
        best = 0
        for i in range(1, n):
            if gaps[i] < gaps[best]:
                best = i
        found[a] = best
        gaps[best] = np.inf
    return found


@inner
def solve_in_place(system: Array, right: Array) -> None:
    """Cholesky factorisation of a small positive definite system, and its solution."""
    n = right.size
    for i in range(n):
        for j in range(i + 1):
            total = system[i, j]
            for k in range(j):
                total -= system[i, k] * system[j, k]
            if i == j:
                system[i, i] = np.sqrt(max(total, 1e-300))
            else:
                system[i, j] = total / system[j, j]
    for i in range(n):
        for k in range(i):
            right[i] -= system[i, k] * right[k]
        right[i] /= system[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            right[i] -= system[k, i] * right[k]
        right[i] /= system[i, i]
