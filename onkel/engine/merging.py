r"""Machines of shards become one: weights are means by rows, counts add up.

With :math:`n_i` rows that machine i learned since a common beginning,

.. math:: w = \frac{\sum_i n_i w_i}{\sum_i n_i}

of the last iterates and of the intercepts; running averages are the means of all iterates in them. What the common
beginning had learned counts once. Where the model is a sum of terms, these are united: a vector of another machine
that a cell covers is charged to the cells, others are taken over. Charged to the covering cell alone, terms that
cancel each other would move apart (a regressor of R² 0.99 fell to 0.38): so the term :math:`k(v, \cdot)` is replaced
by its nearest combination of the vectors c that there are,

.. math:: \sum_j \beta_j k(c_j, \cdot), \qquad \beta = (K + \epsilon I)^{-1} k_c(v), \qquad
          \epsilon = 0.01 \, \overline{k(c, c)}.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve

from onkel.calibration.observer import shares_of
from onkel.engine import layout as kinds
from onkel.engine.machine import FIRST_CAPACITY, Machine
from onkel.engine.matrix import KernelMatrix

#: What is added to the diagonal of the Gram matrix, relative to it, where a vector becomes a combination of others.
ROUNDING = 1e-2


class Average(NamedTuple):
    """The sum of the iterates in a running average, and how many these are."""

    coef: np.ndarray  # (C, n)
    intercept: np.ndarray  # (C,), or (0,)
    iterates: float

    def plus(self, other: Average, factor: float = 1.0) -> Average:
        return Average(
            self.coef + factor * other.coef,
            self.intercept + factor * other.intercept,
            self.iterates + factor * other.iterates,
        )


def merged(machines: Sequence[Machine], common: Machine | None = None) -> Machine:
    """One machine of several, the parts of the first, with what all have learned; they stay as they are.

    Those of explicit features must have the same map, and may go on from a common machine that has learned.
    """
    machines = [copy(machine) for machine in machines]  # each as it is at one moment
    first = machines[0]
    common = None if common is None else copy(common)
    made, shifts = first, [Shift(first.n, np.arange(first.n))] * len(machines)
    if not first.recipe.n_map_features:
        made, shifts = united(machines)
    before = made.model
    made.model = Mixture(machines, shifts, common).fill(made._empty_model(before.coef.shape[1]))
    for name in ("born", "diagonal", "slot_memory", "rule_memory", "budget_memory", "gram"):
        getattr(made.model, name)[...] = getattr(before, name)
    follow_norm(made)
    join_beside(made, machines[1:], common)
    return made


class Shift:
    """Where the columns of a machine go among n: to places of their own, or, if a cell covers them, to all."""

    def __init__(self, n: int, places: np.ndarray, covered: np.ndarray | None = None) -> None:
        self.n, self.places = n, places  # -1: nowhere, unless it is covered
        self.covered = np.zeros(0, np.intp) if covered is None else covered
        self.shares = np.zeros((n, len(self.covered)))

    def __call__(self, columns: np.ndarray) -> np.ndarray:
        out = np.zeros((len(columns), self.n))
        found = self.places >= 0
        np.add.at(out.T, self.places[found], columns.T[found])
        return out + columns[:, self.covered] @ self.shares.T if len(self.covered) else out


class Mixture:
    """The weights of several machines, each with where its columns go."""

    def __init__(
        self, machines: Sequence[Machine], shifts: Sequence[Shift], common: Machine | None
    ) -> None:
        self.machines, self.shifts, self.n, self.common = machines, shifts, shifts[0].n, common
        self.now = [machine.model.now[0] for machine in machines]
        before = 0.0 if common is None else common.model.now[0]["count"]
        self.shares, self.count = shares_of([now["count"] for now in self.now], before)

    def fill(self, model: Any) -> Any:
        """Write them into an empty model."""
        last, intercept = model.coef[:, : self.n], model.intercept
        for machine, shift, share in zip(self.machines, self.shifts, self.shares):
            last += share * shift(machine.last_coef())
            if intercept.size:
                intercept += share * machine.model.intercept
        own, now = self.now[0], model.now[0]
        output = int(own["output_average"])
        slots = [output, 1 - output][: model.sums.size]
        for role, slot in enumerate(slots):
            average = self._average(role)
            if average.iterates >= 0.0:
                model.counts[slot] = average.iterates
                model.corrections[slot, :, : self.n] = -average.coef
                model.intercept_sums[slot : slot + 1] = average.intercept
        self._count(now, own)
        return model

    def _count(self, now: Any, own: Any) -> None:
        for name in ("t", "mistakes", "loss", "squared_error"):
            total = sum(each[name] for each in self.now)
            if self.common is not None:
                total -= (len(self.now) - 1) * self.common.model.now[0][name]
            now[name] = total
        now["count"], now["n"], now["rewrites"] = self.count, self.n, own["rewrites"] + 1
        now["largest_target"] = max(each["largest_target"] for each in self.now)
        now["output_average"], now["restarts"] = own["output_average"], own["restarts"]
        now["next_restart"] = now["t"] + 1  # of averages that take turns, the younger one's turn

    def _average(self, role: int) -> Average:
        """That which is the output (role 0), or the younger one; what was there before they parted counts once."""
        nothing = np.zeros((self.machines[0].shape.n_outputs, self.n))
        total = Average(nothing, np.zeros(self.machines[0].model.intercept.size), 0.0)
        begun, kept = False, None
        for machine, shift in zip(self.machines, self.shifts):
            output = int(machine.model.now[0]["output_average"])
            slot = output if role == 0 else 1 - output
            found = average_of(machine, slot, shift)
            if found is None:
                continue
            begun, total = True, total.plus(found)
            before = self._before(machine, slot, shift)
            if before is not None:
                kept, total = before, total.plus(before, -1.0)
        if kept is not None:
            total = total.plus(kept)
        return total if begun else total._replace(iterates=-1.0)

    def _before(self, machine: Machine, slot: int, shift: Shift) -> Average | None:
        """What the common machine had in an average that goes on in this one."""
        if self.common is None:
            return None
        started = int(self.common.model.now[0]["restarts"])
        restarts = int(machine.model.now[0]["restarts"]) - started
        if restarts > 1 or (restarts == 1 and slot == started % 2):
            return None  # it has started anew since
        return average_of(self.common, slot, shift)


def average_of(machine: Machine, slot: int, shift: Shift) -> Average | None:
    """A running average, in which the newest iterate counts 1; None if it has not begun."""
    model, used = machine.model, machine.n
    if model.counts[slot] < 0.0:
        return None
    unit = float(model.now[0]["average_unit"])
    summed = model.coef[:, :used] * model.sums[slot] - model.corrections[slot, :, :used]
    intercept = model.intercept_sums[slot] if model.intercept.size else np.zeros(0)
    return Average(shift(summed) / unit, intercept / unit, float(model.counts[slot]) / unit)


# -- terms -----------------------------------------------------------------------------------------


def united(machines: Sequence[Machine]) -> tuple[Machine, list[Shift]]:
    """The first machine with the vectors of all, and where each of these is; coefficients are yet to come."""
    first, budget = machines[0], machines[0].recipe.budget
    vectors = [own_vectors(machine, first) for machine in machines]
    homes, taken = [np.arange(first.n)], [np.arange(first.n)]
    memory, known = first.model.slot_memory[: first.n], vectors[0]
    for machine, theirs in zip(machines[1:], vectors[1:]):
        kept = machine.model.slot_memory[: machine.n]
        if hasattr(budget, "homes"):
            found = budget.homes(known, memory, theirs, kept)
        else:
            found = known.shape[0] + np.arange(machine.n)
        numbers, firsts = np.unique(found, return_index=True)
        new = firsts[numbers >= known.shape[0]]  # those that a place was made for
        homes.append(found)
        taken.append(new)
        memory = np.concatenate([memory, kept[new]])
        known = stacked([known, theirs[new]])
    made = copy(first)
    give_vectors(made, known)
    remember(made, machines, taken, memory)
    return made, shifts_to(made, known, vectors, homes, taken)


def remember(
    made: Machine, machines: Sequence[Machine], taken: Sequence[np.ndarray], memory: np.ndarray
) -> None:
    """What is kept of each vector besides its coefficients."""
    model, start = made.model, 0
    for machine, new in zip(machines, taken):
        slots = slice(start, start + len(new))
        for name in ("born", "diagonal"):
            getattr(model, name)[slots] = getattr(machine.model, name)[new]
        start += len(new)
    model.slot_memory[:start] = memory
    model.rule_memory[...] = machines[0].model.rule_memory
    if model.budget_memory.size:
        model.budget_memory[0] = np.count_nonzero(memory == 0.0)
    if model.gram.size:
        model.gram[:start, :start] = made.gram_matrix()


def shifts_to(
    made: Machine,
    known: Any,
    vectors: Sequence[Any],
    homes: Sequence[np.ndarray],
    taken: Sequence[np.ndarray],
) -> list[Shift]:
    """Vectors that were taken over are at their places; those that cells cover are combinations of all."""
    n, factor, shifts = known.shape[0], None, []
    for theirs, found, new in zip(vectors, homes, taken):
        own = np.zeros(len(found), bool)
        own[new] = True
        shift = Shift(n, np.where(own, found, -1), np.flatnonzero(~own & (found >= 0)))
        if len(shift.covered):
            values = KernelMatrix(made.kernel, known.astype(np.float64))
            if factor is None:
                gram = values.gram()
                gram.ravel()[:: n + 1] += ROUNDING * np.trace(gram) / n
                factor = cho_factor(gram)
            shift.shares = cho_solve(factor, values(theirs[shift.covered].astype(np.float64)).T)
        shifts.append(shift)
    return shifts


def give_vectors(machine: Machine, V: Any) -> None:
    """An empty model with room for these vectors, and a store that holds them."""
    n, shape = V.shape[0], machine.shape
    capacity = max(n + 1, FIRST_CAPACITY)
    norms = kinds.norms_of(V, city_block=machine._city_block)
    if shape.layout == "pool":
        machine.store = kinds.pooled(V, kinds.enlarged(norms, capacity, (0,)))
    else:
        machine.store = kinds.enlarged_store(kinds.store_of(V, shape.layout, norms), capacity)
    machine.model = machine._empty_model(capacity)
    machine.model.now["n"] = n


def own_vectors(machine: Machine, first: Machine) -> Any:
    """The vectors of a machine, measured from where the first one does."""
    vectors = kinds.vectors_of(machine.store, machine.n, machine.shape.n_features)
    mine, theirs = first.offset, machine.offset
    if mine is None or theirs is None or np.array_equal(mine, theirs):
        return vectors
    return kinds.as_layout(dense(vectors) + (theirs - mine), first.shape.layout, first.shape.dtype)


def dense(vectors: Any) -> np.ndarray:
    return vectors.toarray() if sparse.issparse(vectors) else vectors


def stacked(vectors: Sequence[Any]) -> Any:
    return sparse.vstack(vectors, "csr") if sparse.issparse(vectors[0]) else np.vstack(vectors)


# -- what stands beside the weights ----------------------------------------------------------------


def follow_norm(machine: Machine) -> None:
    """Work out the norm of the weights, where a ball needs it."""
    now = machine.model.now[0]
    if not now["follows_norm"]:
        return
    coef = machine.last_coef()
    gram = machine.model.gram[: machine.n, : machine.n]
    images = coef if machine.recipe.n_map_features else coef @ gram
    now["squared_norm"] = float((coef * images).sum())


def join_beside(made: Any, others: Sequence[Any], common: Any) -> None:
    """Observers and class weights of all."""
    observers = [other.observer for other in others]
    if made.observer is not None and None not in observers:
        before = None if common is None else common.observer
        made.observer = made.observer.joined(observers, [1.0] * len(others), before)
    if made.class_weights is not None:
        before = None if common is None else common.class_weights
        made.class_weights = made.class_weights.joined([o.class_weights for o in others], before)
