"""What a budget declares, so that whoever puts parts together asks the budget and not its type.

A budget declares by properties, or class attributes, of the names below; where it says nothing, the
default holds. A budget around another one, in a field ``budget``, declares what the inner one does,
but for what it declares itself.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple


class Declarations(NamedTuple):
    """All that a budget can declare."""

    size: int = 0  # vectors from which on it is full; 0: never
    least_size: int = 1
    extensible: bool = True  # whether it can go on from one vector more than its size
    grows: bool = False  # whether there may be more vectors than its size
    keeps: tuple[str, ...] = ()  # matrices over the vectors: "gram", "distances", "factor"
    #: What it keeps besides to follow the norm of the weights. Every function of onkel.model.slots
    #: does so with the Gram matrix; None: it changes coefficients otherwise, and does not follow it.
    keeps_for_norm: tuple[str, ...] | None = ("gram",)
    reads_distances: str = ""  # beside kernel values: "squared" or "largest_coordinate"
    reads_diagonal: bool = (
        False  # it divides by k(x, x), or compares vectors by it: none is negative then
    )
    needs_gaussian: bool = False  # and has a field ``gamma``, which is then the kernel's
    memory: tuple[float, ...] = ()  # the first values of numbers to keep
    of_features: bool = False  # it takes explicit features in, not vectors


def declared_by(budget: Any) -> Declarations:
    """The declarations of a budget, a wrapped one's included."""
    inner = getattr(budget, "budget", None)
    others = Declarations() if inner is None else declared_by(inner)
    own = {name: getattr(budget, name) for name in Declarations._fields if hasattr(budget, name)}
    declared = others._replace(**own)
    if "distances" in declared.keeps and not declared.reads_distances:
        return declared._replace(reads_distances="squared")
    return declared


def with_gamma(budget: Any, kernel: Any) -> Any:
    """The budget, or the one inside it, with the gamma of the kernel where it needs one."""
    if hasattr(budget, "budget"):
        return budget._replace(budget=with_gamma(budget.budget, kernel))
    if not declared_by(budget).needs_gaussian:
        return budget
    if not getattr(kernel, "gaussian", False):
        raise ValueError(
            f"budget={type(budget).__name__} needs the Gaussian kernel, kernel={kernel!r} is not: use "
            f"kernel='rbf'."
        )
    return budget._replace(gamma=float(kernel.gamma))


def check_budget(budget: Any) -> None:
    """Refuse a budget of no size or vectors, and one inside another that does not go on beyond its size."""
    inner, declared = getattr(budget, "budget", None), declared_by(budget)
    if declared.of_features:
        raise ValueError(
            f"budget={budget!r} is for explicit features, and here are support vectors: use "
            f"FOGD or NOGD, or another budget."
        )
    if inner is not None:
        check_budget(inner)
        inside = declared_by(inner)
        if declared.grows and (inside.grows or not inside.extensible or not inside.size):
            raise ValueError(
                f"budget={budget!r}: {type(inner).__name__} has no size to go beyond. Inside "
                f"{type(budget).__name__} must be a budget that drops, projects or merges vectors."
            )
    elif hasattr(budget, "size"):
        size, least = budget.size, declared.least_size
        if not isinstance(size, Integral) or size < least:
            raise ValueError(f"budget={budget!r}: its size must be an integer of at least {least}.")


def kept_for_norm(budget: Any, ball: Any) -> tuple[str, ...]:
    """What the budget keeps to follow the norm that a ball needs; an error if it does not follow it."""
    kept = declared_by(budget).keeps_for_norm
    if kept is None:
        raise ValueError(
            f"budget={type(budget).__name__} declares that it does not follow the norm of the weights "
            f"(keeps_for_norm is None), which ball={type(ball).__name__} needs: use WholeSpace, or "
            f"another budget."
        )
    return kept
