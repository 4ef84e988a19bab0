r"""When the budget is full the smallest vector merges with the partner that costs least.

On :math:`z = h v_p + (1-h) v_j` the best coefficient is
:math:`c_z = c_p \kappa^{(1-h)^2} + c_j \kappa^{h^2}` with :math:`\kappa = k(v_p, v_j)`; h maximises
:math:`|c_z|^2`. Squared distances to z follow from those to its parents, so no kernel value is
computed from vectors again.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner
from onkel.compiled.pointers import where
from onkel.compiled.simd import fast_exp
from onkel.model.instance import Instance, Step
from onkel.model.owners import add_owner, n_owners, owner
from onkel.model.scores import change_scores
from onkel.model.slots import (
    append,
    clear_coefficients,
    clear_term,
    log_change,
    move_last,
    write_term,
)
from onkel.model.state import BLEND, Model, Workspace
from onkel.model.victim import NO_NEWCOMER, smallest

TABLE_STEPS = 200
SEARCH_STEPS = 32
BISECTIONS = 48
#: Optima tie within this share of their height, or this rounding of |c_p|^2 + |c_j|^2.
SAME_OPTIMUM, ROUNDING = 1e-12, 1e-14
#: Partners whose cost by the table is this close to the least are compared exactly.
CLOSE_CALL = 1e-3


class Merge(NamedTuple):
    r"""Merging, for the Gaussian kernel. Make it with :func:`merging`.

    Parameters
    ----------
    size : int
        Largest number B of support vectors.
    gamma : float
        The kernel's :math:`\gamma`; 0 until a learner sets it.
    table : ndarray
        Costs of merging, tabled.
    """

    size: int
    gamma: float  # the kernel's, which gives it when a learner is put together
    table: np.ndarray

    @property
    def keeps(self) -> tuple[str, ...]:
        return ("distances",)

    @property
    def reads_distances(self) -> str:
        return "squared"

    @property
    def needs_gaussian(self) -> bool:
        return True

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, step: Step) -> None:
        if not step.take:
            return
        now = model.now[0]
        append(model, workspace, instance, step.amount)
        if now.n <= self.size:
            return
        giver = smallest(model, workspace, NO_NEWCOMER)
        partner = cheapest_partner(self, model, workspace, giver)
        join(self, model, workspace, instance, giver, partner, workspace.shares[partner])
        move_last(model, workspace, instance, giver)


def merging(size: int) -> Merge:
    """Make the merging budget, with its table of costs.

    Parameters
    ----------
    size : int
        Largest number B of support vectors.

    Returns
    -------
    Merge
        The budget.
    """
    return Merge(size, 0.0, cost_table())


@lru_cache(maxsize=1)
def cost_table() -> np.ndarray:
    r"""Degradation over :math:`|c_p|^2`, for coefficients of equal sign.

    Rows are :math:`|c_p|/|c_j| \le 1`, columns :math:`\kappa`. It is the cost that is tabulated:
    the height would lose it to rounding where the giver is much smaller than its partner.
    """
    ratio = np.linspace(0.0, 1.0, TABLE_STEPS + 1)[:, None]
    kappa = np.linspace(0.0, 1.0, TABLE_STEPS + 1)[None, :]
    exponent = -np.log(np.maximum(kappa, 1e-300))
    low = np.zeros(np.broadcast(ratio, kappa).shape)
    high = low + 0.5
    for _ in range(BISECTIONS):  # the best share lies where the larger one is
        h = 0.5 * (low + high)
        left, right = np.exp(-exponent * (1 - h) ** 2), np.exp(-exponent * h**2)
        rising = ratio * (1 - h) * left > h * right
        low, high = np.where(rising, h, low), np.where(rising, high, h)
    height = (ratio * left + right) ** 2
    at_zero = 1 - kappa**2 * (1 + 2 * exponent)
    ratio[0] = 1.0
    cost = (ratio**2 + 1 + 2 * ratio * kappa - height) / ratio**2
    cost[0] = at_zero
    return np.ascontiguousarray(cost)


@inner
def height(own: float, other: Any, cross: float, exponent: float, h: float) -> Any:
    """|c_z|^2 at h, from |c_p|^2, |c_j|^2 and c_p . c_j."""
    a, b = math.exp(-exponent * (1.0 - h) ** 2), math.exp(-exponent * h * h)
    return own * a * a + other * b * b + 2.0 * cross * a * b


@inner
def climb(own: float, other: Any, cross: float, exponent: float, h: float) -> Any:
    """The slope of the height at h, but for a positive factor."""
    a, b = math.exp(-exponent * (1.0 - h) ** 2), math.exp(-exponent * h * h)
    g = 1.0 - h
    return own * a * a * g - other * b * b * h + cross * a * b * (g - h)


@inner
def best_share(own: float, other: Any, cross: float, exponent: float) -> Any:
    """h that maximises |c_z|^2 on [0, 1]; of equal optima the larger one."""
    best, top = 1.0, height(own, other, cross, exponent, 1.0)
    rounding = ROUNDING * (own + other)
    step = 1.0 / SEARCH_STEPS
    after = climb(own, other, cross, exponent, 1.0)
    for k in range(SEARCH_STEPS - 1, -1, -1):
        low = k * step
        before = climb(own, other, cross, exponent, low)
        if before > 0.0 >= after:
            h = summit(own, other, cross, exponent, low, low + step)
            here = height(own, other, cross, exponent, h)
            if here > top * (1.0 + SAME_OPTIMUM) + rounding:
                best, top = h, here
        after = before
    if height(own, other, cross, exponent, 0.0) > top * (1.0 + SAME_OPTIMUM) + rounding:
        best = 0.0
    return best


@inner
def summit(own: float, other: Any, cross: float, exponent: float, low: float, high: float) -> Any:
    """Where the slope turns from positive to not positive."""
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        if climb(own, other, cross, exponent, middle) > 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@inner
def rough_cost(merge: Any, own: float, other: Any, cross: float, kappa: float) -> Any:
    """The degradation by the table, for coefficients that are numbers, the giver's smaller."""
    if cross <= 0.0:
        return own * (1.0 - kappa * kappa)
    x = min(math.sqrt(own / other), 1.0) * TABLE_STEPS
    y = kappa * TABLE_STEPS
    i, j = min(int(x), TABLE_STEPS - 1), min(int(y), TABLE_STEPS - 1)
    x, y = x - i, y - j
    table = merge.table
    low = (1.0 - x) * table[i, j] + x * table[i + 1, j]
    high = (1.0 - x) * table[i, j + 1] + x * table[i + 1, j + 1]
    return own * ((1.0 - y) * low + y * high)


@inner
def searched_cost(own: float, other: Any, cross: float, exponent: float, powers: Array) -> Any:
    """The degradation where coefficients are vectors: the best of nine shares, then two Newton steps.

    ``powers`` is room for kappa^(k^2/64), which need one exponential for all.
    """
    root = fast_exp(-exponent / 64.0)
    factor, power = root, 1.0
    for k in range(9):
        powers[k] = power
        power *= factor
        factor *= root * root
    top, h = -1.0, 0.0
    for k in range(9):
        a, b = powers[8 - k], powers[k]
        here = own * a * a + other * b * b + 2.0 * cross * a * b
        if here > top:
            top, h = here, k / 8.0
    for _ in range(2):
        g = 1.0 - h
        a, b = fast_exp(-exponent * g * g), fast_exp(-exponent * h * h)
        up, down, both = own * a * a, other * b * b, cross * a * b
        slope = up * g - down * h + both * (g - h)
        bend = (
            up * (4.0 * exponent * g * g - 1.0)
            + down * (4.0 * exponent * h * h - 1.0)
            + both * (2.0 * exponent * (g - h) * (g - h) - 2.0)
        )
        if bend < 0.0:
            h = min(max(h - slope / bend, 0.0), 1.0)
    a, b = fast_exp(-exponent * (1.0 - h) ** 2), fast_exp(-exponent * h * h)
    top = max(top, own * a * a + other * b * b + 2.0 * cross * a * b)
    return own + other + 2.0 * cross * powers[8] - top


@inner
def cheapest_partner(merge: Any, model: Model, workspace: Workspace, giver: int) -> Any:
    """The partner of least degradation; the oldest of those that tie.

    The workspace has the sizes of all vectors, and gets the best share of the partner.
    """
    n, outputs = model.now[0].n, model.coef.shape[0]
    cost, cross, sizes = workspace.costs, workspace.products, workspace.sizes
    gaps = model.distances[giver]
    for j in range(n):
        cross[j] = 0.0
    for k in range(n_owners(model, workspace, giver)):
        row = model.coef[owner(workspace, giver, k)]
        if row[giver] != 0.0:
            for j in range(n):
                cross[j] += row[giver] * row[j]
    own, least, nearest = sizes[giver], np.inf, -1
    for j in range(n):
        if j == giver:
            cost[j] = np.inf
            continue
        # the cost falls as the angle of the coefficients does: along each other they bound it
        aligned = cross[j] if outputs == 1 else 1.0
        cost[j] = rough_cost(merge, own, sizes[j], aligned, fast_exp(-merge.gamma * gaps[j]))
        if cost[j] < least:
            least, nearest = cost[j], j
    least = search_within_bounds(model, workspace, merge, giver, nearest, least)
    return oldest_of_cheapest(merge, model, workspace, giver, least + CLOSE_CALL * own)


def least_by_table(
    model: Model, workspace: Workspace, merge: Any, giver: int, nearest: int, least: float
) -> Any:
    """The least cost where coefficients are numbers: the table's."""
    return least


@where("has_many_outputs", otherwise=least_by_table)
def search_within_bounds(
    model: Model, workspace: Workspace, merge: Any, giver: int, nearest: int, least: float
) -> Any:
    """The least cost where coefficients are vectors, searched for only where its bound allows.

    On entry the costs are lower bounds, by the table; those that are out of the question become infinite.
    """
    cost, cross, sizes = workspace.costs, workspace.products, workspace.sizes
    gaps = model.distances[giver]
    own, powers = sizes[giver], np.empty(9)
    slack = 2.0 * CLOSE_CALL * own  # once for the table's error, once for close calls
    least = searched_cost(own, sizes[nearest], cross[nearest], merge.gamma * gaps[nearest], powers)
    for j in range(model.now[0].n):
        if cost[j] > least + slack:
            cost[j] = np.inf
        else:
            cost[j] = searched_cost(own, sizes[j], cross[j], merge.gamma * gaps[j], powers)
            least = min(least, cost[j])
    return least


@inner
def oldest_of_cheapest(
    merge: Any, model: Model, workspace: Workspace, giver: int, limit: float
) -> Any:
    """Of the partners whose rough cost is within the limit, the one of least exact cost.

    The workspace gets the exact costs of these partners and their best shares.
    """
    n, own = model.now[0].n, workspace.sizes[giver]
    cost, cross, shares = workspace.costs, workspace.products, workspace.shares
    least = np.inf
    for j in range(n):
        if cost[j] > limit:
            cost[j] = np.inf
            continue
        other, exponent = workspace.sizes[j], merge.gamma * model.distances[giver, j]
        share = best_share(own, other, cross[j], exponent)
        top = height(own, other, cross[j], exponent, share)
        cost[j] = own + other + 2.0 * cross[j] * math.exp(-exponent) - top
        shares[j] = share
        least = min(least, cost[j])
    limit = least * (1.0 + 1e-9) + 1e-12 * own
    partner = -1
    for j in range(n):
        if cost[j] <= limit and (partner < 0 or model.born[j] < model.born[partner]):
            partner = j
    return partner


@inner
def join(
    merge: Any,
    model: Model,
    workspace: Workspace,
    instance: Instance,
    giver: int,
    partner: int,
    share: float,
) -> None:
    """Put z in the partner's slot, with everything that belongs to it."""
    gap = model.distances[giver, partner]
    exponent = merge.gamma * gap
    from_giver = math.exp(-exponent * (1.0 - share) ** 2)
    from_partner = math.exp(-exponent * share * share)
    log_change(workspace, BLEND, partner, giver, 1.0 - share)
    model.born[partner] = max(model.born[partner], model.born[giver])
    change_scores(model, workspace, giver, -1.0)
    change_scores(model, workspace, partner, -1.0)
    for k in range(n_owners(model, workspace, giver)):
        add_owner(workspace, partner, owner(workspace, giver, k))
    clear_coefficients(workspace)
    for k in range(n_owners(model, workspace, partner)):
        c = owner(workspace, partner, k)
        for a in range(model.sums.size):
            corrections = model.corrections[a, c]
            corrections[partner] = (
                from_partner * corrections[partner] + from_giver * corrections[giver]
            )
            corrections[giver] = 0.0
        workspace.coefficients[c] = (
            from_partner * model.coef[c, partner] + from_giver * model.coef[c, giver]
        )
    clear_term(model, workspace, giver)
    clear_term(model, workspace, partner)
    move_distances(merge, model, giver, partner, gap, share)
    move_columns(merge, workspace, instance, giver, partner, gap, share)
    write_term(model, workspace, partner, workspace.coefficients)
    change_scores(model, workspace, partner, 1.0)


@inner
def move_distances(
    merge: Any, model: Model, giver: int, partner: int, gap: float, share: float
) -> None:
    """Distances, and Gram entries where they are kept, of the other vectors to z."""
    for i in range(model.now[0].n):
        mixed = mixed_gap(model.distances[giver, i], model.distances[partner, i], gap, share)
        if i == partner:
            mixed = 0.0
        model.distances[partner, i] = mixed
        model.distances[i, partner] = mixed
        if model.gram.size > 0:
            model.gram[partner, i] = math.exp(-merge.gamma * mixed)
            model.gram[i, partner] = model.gram[partner, i]


@inner
def move_columns(
    merge: Any,
    workspace: Workspace,
    instance: Instance,
    giver: int,
    partner: int,
    gap: float,
    share: float,
) -> None:
    """Distances and kernel values of the rows that follow to z."""
    rate = -merge.gamma
    for later in range(instance.r + 1, instance.block_rows):
        row = workspace.distances[later]
        mixed = mixed_gap(row[giver], row[partner], gap, share)
        row[partner] = mixed
        workspace.values[later, partner] = fast_exp(rate * mixed)


@inner
def mixed_gap(to_giver: float, to_partner: float, gap: float, share: float) -> Any:
    """Squared distance to the point at this share between two others."""
    return max(share * to_giver + (1.0 - share) * to_partner - share * (1.0 - share) * gap, 0.0)
