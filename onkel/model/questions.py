"""The questions that compiled code asks of a part.

A part (kernel, task, loss, rule, budget, ball, store) is an immutable ``NamedTuple`` of its
parameters. What it does are its methods: plain Python, which runs compiled because each question
below is overloaded on the part's type. So one walk is specialised for every combination of parts,
and a part that a user defines runs as fast as onkel's own::

    class Ramp(NamedTuple):
        '''max(0, 1 - m), but no slope below -1: outliers are left alone.'''
        def value(self, m): return min(max(0.0, 1.0 - m), 2.0)
        def slope(self, m): return -1.0 if -1.0 < m < 1.0 else 0.0
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, get_type_hints

from numba import types

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import chosen_by_type, without_disk
from onkel.model.instance import Instance, Step, View
from onkel.model.slots import append
from onkel.model.state import Model, Workspace
from onkel.model.tile import Tile

Part = TypeVar("Part")
_numbers = itertools.count(1)


def extend_by_appending(
    budget: Any, model: Any, workspace: Any, instance: Any, amount: float
) -> None:
    """How a budget takes a term in beyond its size, if it does not say."""
    append(model, workspace, instance, amount)


USUAL_ANSWERS = {"extend": extend_by_appending}


def question(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let ``function(part, ...)`` call the part's own method of that name, compiled or not."""
    name = function.__name__

    def answer(*arguments: Any) -> Any:
        part = arguments[0]
        if not isinstance(part, types.BaseNamedTuple):
            return None
        return getattr(part.instance_class, name, USUAL_ANSWERS.get(name))

    return chosen_by_type(function, answer)


def with_exact_types(part: Part) -> Part:
    """Turn 1 into 1.0 where a float is declared: other types would compile everything anew."""
    hints = get_type_hints(type(part))
    number = {float: float, int: int, bool: bool}
    exact = {
        name: number[hints[name]](value)
        for name, value in part._asdict().items()  # type: ignore[attr-defined]
        if hints.get(name) in number
    }
    return part._replace(**exact)  # type: ignore[attr-defined]


def is_own(part: Any) -> bool:
    """Whether onkel's sources tell all that a part does, those inside it included."""
    inside = all(is_own(field) for field in part if isinstance(field, tuple))
    return inside and type(part).__module__.startswith("onkel.")


def compiled_for(function: Any, *parts: Any) -> Any:
    """The compiled function for these parts: what it makes of a user's is not kept on disk."""
    return function if all(map(is_own, parts)) else without_disk(function)


def with_distinct_names(part: Any) -> Any:
    """The part, with every class that is not onkel's under a name that no other class has.

    Numba takes two tuples whose classes have one name for the same, and would run the code of a
    class that was since edited, or of onkel's own.
    """
    inside = {
        name: with_distinct_names(field)
        for name, field in part._asdict().items()
        if isinstance(field, tuple)
    }
    part = part._replace(**inside)
    own = type(part).__module__.startswith("onkel.")
    return part if own else _under_its_own_name(type(part))._make(part)  # type: ignore[arg-type]


@cache
def _under_its_own_name(cls: Any) -> Any:
    return type(
        f"{cls.__name__}_{next(_numbers)}", (cls,), {"__slots__": (), "__module__": cls.__module__}
    )


# Asked of a loss: a function of one number, the margin or the residual.
@question
def value(loss: Any, m: float) -> float:
    """The loss at m."""
    return loss.value(m)


@question
def slope(loss: Any, m: float) -> float:
    """Its derivative at m."""
    return loss.slope(m)


# Asked of a task.
@question
def view(task: Any, scores: Array, target: float) -> View:
    """What this target sees of the scores: an onkel.tasks.View."""
    return task.view(scores, target)


# Asked of a rule.
@question
def step(rule: Any, instance: Instance, memory: Array) -> Step:
    """How far to step and how much to shrink the rest: an onkel.rules.Step."""
    return rule.step(instance, memory)


# Asked of a budget.
@question
def absorb(budget: Any, model: Model, workspace: Workspace, instance: Instance, step: Step) -> Any:
    """Take the term of this instance into the model."""
    return budget.absorb(model, workspace, instance, step)


@question
def extend(
    budget: Any, model: Model, workspace: Workspace, instance: Instance, amount: float
) -> Any:
    """Take a term in as one more vector, whatever the size."""
    return budget.extend(model, workspace, instance, amount)


# Asked of a ball, the set that the weights are projected on.
@question
def radius(ball: Any, largest_target: float) -> float:
    """Its radius; 0 for none."""
    return ball.radius(largest_target)


# Asked of a kernel or a map.
@question
def evaluate(kernel: Any, store: Any, rows: Any, tile: Tile, workspace: Workspace) -> Any:
    """Fill the workspace with the kernel values of a tile; its first row is the first of the workspace."""
    return kernel.evaluate(store, rows, tile, workspace)


# Asked of a kernel in its geometry.
@question
def compare(
    kernel: Any, store: Any, rows: Any, first: int, count: int, begin: int, end: int,
    flat: Array, out: Array, distances: Array,
) -> Any:  # fmt: skip
    """Values of rows with the vectors ``begin .. end``, and distances where there is room, into their columns."""
    return kernel.compare(store, rows, first, count, begin, end, flat, out, distances)


@question
def compare_with_itself(kernel: Any, rows: Any, first: int, count: int, diagonal: Array) -> Any:
    """k(x, x) of rows."""
    return kernel.compare_with_itself(rows, first, count, diagonal)


# Asked of a store of vectors.
@question
def products(
    store: Any, rows: Any, first: int, count: int, begin: int, end: int, flat: Array
) -> Any:
    """Inner products of rows with the vectors ``begin .. end``."""
    return store.products(rows, first, count, begin, end, flat)


@question
def manhattan(
    store: Any, rows: Any, first: int, count: int, begin: int, end: int, flat: Array
) -> Any:
    """City-block distances of rows to the vectors ``begin .. end``."""
    return store.manhattan(rows, first, count, begin, end, flat)


@question
def chebyshev(
    store: Any, rows: Any, first: int, count: int, begin: int, end: int, out: Array
) -> Any:
    """Largest coordinate differences of rows and the vectors ``begin .. end``, into their columns of ``out``."""
    return store.chebyshev(rows, first, count, begin, end, out)


@question
def put(store: Any, slot: int, rows: Any, row: int) -> Any:
    """Copy a row into a slot."""
    return store.put(slot, rows, row)


@question
def copy(store: Any, source: int, slot: int) -> Any:
    """Copy one vector over another."""
    return store.copy(source, slot)


@question
def blend(store: Any, slot: int, other: Any, share: float) -> Any:
    """slot <- share * slot + (1 - share) * other."""
    return store.blend(slot, other, share)


@question
def lacks_room(store: Any, rows: Any, row: int) -> Any:
    """Whether one more entry of the log, about this row, could need more memory than there is."""
    return store.lacks_room(rows, row)


@question
def as_store(rows: Any, first: int, count: int) -> Any:
    """The rows of a block as a store of their own."""
    return rows.as_store(first, count)
