"""What the steps of a pipeline are: who learns on, how many rows it wants to see first, which parameters it gets."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from onkel.estimators.parameters import Constraint
from onkel.tables.held import Routes
from onkel.tables.schedule import LOOK, block_end

A_LOOK = Constraint(one_of=(None,), kind=int, at_least=1)
#: Steps that do nothing.
NOTHING = (None, "passthrough")

Steps = Sequence[tuple[str, Any]]


def look_for(steps: Steps, asked: int | None) -> int:
    """The rows of the first look: what is asked for, and the steps ask for; nothing if none of them learns."""
    looks = [0]
    for name, step in steps[:-1]:
        if step in NOTHING:
            continue
        if learns(step):
            looks.append(getattr(step, "look", LOOK if asked is None else 1))
        elif get_tags(step).requires_fit and not is_fitted(step):
            raise TypeError(
                f"step {name!r} ({type(step).__name__}) has no partial_fit, so that it cannot learn from a "
                f"stream: fit it before on some rows, or take a transformer that learns on, such as "
                f"StandardScaler, IncrementalPCA or onkel's TableEncoder."
            )
    return max(looks) if asked is None or not any(looks) else max(*looks, asked)


def routes_to(steps: Steps, classes: Any, params: dict[str, Any]) -> Routes:
    """The parameters of ``partial_fit`` by step."""
    names = [name for name, _ in steps]
    routes: Routes = {name: {} for name in names}
    if classes is not None:
        routes[names[-1]]["classes"] = classes
    for key, value in params.items():
        name, _, parameter = key.partition("__")
        if name not in routes or not parameter:
            raise ValueError(
                f"partial_fit does not know the parameter {key!r}: besides classes and sample_weight, name "
                f"the step as in {names[-1]}__{key}; steps are {', '.join(names)}."
            )
        routes[name][parameter] = value
    return routes


def learns(step: Any) -> bool:
    return hasattr(step, "partial_fit")


def learns_forever(step: Any) -> bool:
    """Whether a transformer's columns keep their meaning when it learns on."""
    return learns(step) and not isinstance(step, ClassNamePrefixFeaturesOutMixin)


def is_fitted(step: Any) -> bool:
    try:
        check_is_fitted(step)
    except NotFittedError:
        return False
    return True


def end_of_block(rows: int, look: int) -> int:
    """As in `schedule`; without anything to look at, all is one block."""
    return block_end(rows, look) if look else sys.maxsize
