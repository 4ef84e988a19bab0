"""Model files: which classes may stand in one. Names in a file are looked up here, never imported."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import onkel
from onkel import balls, budgets, kernels, losses, rules, tasks
from onkel.budgets.merge import cost_table
from onkel.engine import explicit, machine, walk
from onkel.estimators import look
from onkel.maps import features, fourier
from onkel.model import state, vectors

#: Rooms whose NamedTuples are parts of learners, or what they keep.
ROOMS: tuple[ModuleType, ...] = (
    kernels, losses, rules, budgets, balls, tasks, features, walk, machine, state, vectors,
)  # fmt: skip


def _tuples() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for room in ROOMS:
        for thing in vars(room).values():
            own = getattr(thing, "__module__", "").startswith("onkel.")
            if own and isinstance(thing, type) and hasattr(thing, "_fields"):
                if found.setdefault(thing.__name__, thing) is not thing:
                    raise TypeError(f"two parts have the name {thing.__name__}")
    return found


LEARNERS: dict[str, Any] = {name: getattr(onkel, name) for name in onkel.__all__}
TUPLES = _tuples()
OBJECTS: dict[str, Any] = {
    cls.__name__: cls
    for cls in (
        machine.Machine,
        explicit.FourierMachine,
        explicit.NystromMachine,
        fourier.Frequencies,
        look.FirstRows,
    )
}
#: Fields of parts that are the same in every model: they are made anew.
MADE_ANEW: dict[str, dict[str, Callable[[], Any]]] = {"Merge": {"table": cost_table}}
RECORDS = {"NOW": state.NOW}


def name_in(known: dict[str, Any], thing: Any) -> str | None:
    """The name under which exactly this thing is known."""
    return next((name for name, value in known.items() if value is thing), None)
