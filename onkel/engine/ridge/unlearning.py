"""Statistics without rows that they hold: exactly those of a stream in which these never came.

Whether they really came cannot be told. What cannot be is told: statistics that no rows have.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from onkel.engine.ridge.statistics import Statistics

#: What rounding may leave of sums that are 0, relative to what they were.
ROUNDING = 1e-9
#: The same where a matrix was solved with.
ROOM = 1e-6


class NeverLearnedError(ValueError):
    """Rows that cannot have been learned."""


def without(known: Statistics, rows: Statistics) -> Statistics:
    """The statistics of all rows but these; an error where there are no such statistics."""
    left, weight = known.rows - rows.rows, known.weight - rows.weight
    if left < -ROUNDING * known.rows:
        raise NeverLearnedError(
            f"{rows.rows:g} rows are to be unlearned, and {known.rows:g} were learned"
        )
    none_left = left <= ROUNDING * known.rows
    if weight < -ROUNDING * known.weight or none_left != (weight <= ROUNDING * known.weight):
        raise NeverLearnedError(
            f"{rows.rows:g} rows of weight {rows.weight:g} are to be unlearned, and {known.rows:g} rows of weight "
            f"{known.weight:g} were learned"
        )
    if none_left:
        if not are_same(known, rows):
            raise NeverLearnedError("as many rows were learned, but others")
        return Statistics.none(len(known.mean), len(known.target_mean), known.centred)
    remaining = known.joined(rows, -1.0)
    check_possible(remaining, known)
    return remaining


def are_same(known: Statistics, rows: Statistics) -> bool:
    """Whether statistics are those of the same rows, up to rounding."""
    names = ("mean", "target_mean", "gram", "cross", "squares")
    pairs = [(getattr(known, name), getattr(rows, name)) for name in names]
    return all(np.allclose(a, b, rtol=ROOM, atol=ROOM * (1.0 + np.abs(a).max())) for a, b in pairs)


def check_possible(remaining: Statistics, known: Statistics) -> None:
    """Refuse sums of squares that are negative, in any direction of features and targets."""
    room = ROUNDING * float(np.trace(known.gram))
    regularized = remaining.gram.copy()
    regularized.ravel()[:: len(regularized) + 1] += room
    root, failed = dpotrf(regularized.T, lower=1, clean=0, overwrite_a=1)
    if failed:
        raise NeverLearnedError("without them the features would have a negative variance")
    explained = (remaining.cross * dpotrs(root, remaining.cross, lower=1)[0]).sum(axis=0)
    if (remaining.squares - explained < -ROOM * known.squares).any():
        raise NeverLearnedError("without them the targets would have a negative variance")
