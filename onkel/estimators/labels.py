"""The labels of a classifier: declared, or met on the way.

A stream whose labels nobody declared has them numbered as they appear, so that a row keeps its number
whatever comes later; classes are these labels in order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets


def declared_labels(classes: Any) -> np.ndarray:
    """The distinct labels of ``classes=``, in order."""
    labels = np.asarray(classes)
    try:
        found = np.unique(labels)
        unusable = found.dtype.kind in "fc" and not np.isfinite(found).all()
    except TypeError:  # they cannot be put in order
        unusable = True
    if unusable or labels.ndim != 1:
        raise ValueError(
            f"classes={classes!r} must be a list of labels of one kind: numbers or strings."
        )
    return found


def grows(learner: Any) -> bool:
    """Whether a classifier meets its labels on the way: they are then kept in the order of their appearance."""
    return "_appeared" in vars(learner)


def places_of(y: Any, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places of labels among classes, which are in order, and whether they are there at all."""
    if not len(classes):
        return np.zeros(len(y), int), np.zeros(len(y), bool)
    try:
        places = np.searchsorted(classes, y)
        known = classes[np.minimum(places, len(classes) - 1)] == y
    except TypeError:  # labels of another kind, which cannot even be compared
        places, known = np.zeros(len(y), int), np.isin(y, classes)
    return places, np.asarray(known)


def numbers_of(y: Any, appeared: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The labels that have appeared by now, and the numbers of these in the order of their appearance."""
    order = np.argsort(appeared)
    places, known = places_of(y, appeared[order])
    if known.all():
        return appeared, order[places].astype(float)
    check_classification_targets(y)
    new, first = np.unique(np.asarray(y)[~known], return_index=True)
    check_same_kind(appeared, new)
    new = new[np.argsort(first)]
    appeared = np.concatenate([appeared, new]) if len(appeared) else new
    order = np.argsort(appeared)
    return appeared, order[np.searchsorted(appeared[order], y)].astype(float)


def check_same_kind(known: np.ndarray, new: np.ndarray) -> None:
    """Refuse words among numbers, and numbers among words."""
    kinds = {isinstance(label, str) for label in [*known.tolist(), *new.tolist()]}
    if len(kinds) > 1:
        raise ValueError(
            f"y contains labels of another kind than before: {new.tolist()}, and known are "
            f"{known.tolist()}. Give numbers or strings, not both."
        )


def signs_or_numbers(numbers: np.ndarray, n_classes: int) -> np.ndarray:
    """Classes as a task sees them: -1 and +1 of two, else their numbers."""
    return 2.0 * numbers - 1.0 if n_classes == 2 else numbers.astype(float)


def mixture_for(n_classes: int, place: int) -> np.ndarray:
    """The outputs of so many classes, of which that at this place is new, from those before.

    Of two classes, which have one output f, they are -f/2 and +f/2: their difference is f.
    """
    before = np.array([[-0.5], [0.5]])
    if n_classes > 3:  # in little room: classes may be many
        before = np.eye(n_classes - 1, dtype=np.int8)
    return np.insert(before, place, 0, axis=0)
