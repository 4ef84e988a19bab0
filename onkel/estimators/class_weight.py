"""How much the rows of a class count: given numbers, or such that all classes count alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import jit
from onkel.estimators.parameters import Constraint, parameter

BALANCED = "balanced"
FACTOR = Constraint(kind=float, above=0)


def class_weight_parameter(balanced: str) -> Any:
    """A dict, or "balanced"; :meth:`ClassWeights.chosen` checks it."""
    return parameter(
        default=None,
        type_words='dict, "balanced" or None',
        doc=rf"""What the weight of a row is multiplied with when it is learned: a dict has a number for each label
        (1 for those it does not name); ``"balanced"`` is {balanced}. Probabilities do not follow it: they stay
        those of the rows as they come.""",
    )


class ClassWeights(NamedTuple):
    """Factors of the classes; where all are to count alike, how often each came so far."""

    factors: np.ndarray  # (C,)
    counts: np.ndarray  # (C,) of balanced ones, else (0,)
    decay: float = 1.0  # of these, at each row
    given: dict[Any, float] | None = None  # factors by label, of classes that may be yet to come

    @classmethod
    def chosen(cls, class_weight: Any, classes: np.ndarray, decay: float = 1.0) -> Self | None:
        """What a parameter says for these labels; None if all weights stay as they are."""
        given = checked(class_weight)
        if given is None:
            return None
        if given == BALANCED:
            return cls(np.ones(len(classes)), np.zeros(len(classes)), decay)
        strangers = [label for label in given if label not in classes.tolist()]
        if strangers:
            raise ValueError(
                f"class_weight has a weight for {strangers[0]!r}, which is no label: there are "
                f"{classes.tolist()}."
            )
        return cls(factors_of(given, classes), np.zeros(0))

    @classmethod
    def growing(cls, class_weight: Any, classes: np.ndarray, decay: float) -> Self | None:
        """The same for a model that knows these labels so far, or none yet."""
        given = checked(class_weight)
        if given is None:
            return None
        if given == BALANCED:
            return cls(np.ones(len(classes)), np.zeros(len(classes)), decay)
        return cls(factors_of(given, classes), np.zeros(0), decay, dict(given))

    def grown(self, classes: np.ndarray, place: int) -> Self:
        """The same for these labels, of which one, at this place, is new."""
        if self.given is not None:
            return self._replace(factors=factors_of(self.given, classes))
        return self._replace(
            factors=np.ones(len(classes)), counts=np.insert(self.counts, place, 0.0)
        )

    @property
    def is_balanced(self) -> bool:
        return self.given is None and len(self.counts) == len(self.factors)

    def applied(self, targets: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Weights of the next rows, given their targets: signs of two classes, numbers of more."""
        numbers = self._numbers(targets)
        if not self.is_balanced:
            return weights * self.factors[numbers]
        return balanced(self.counts.copy(), numbers, weights, self.decay)

    def applied_to_all(self, numbers: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """The same for all rows there are, given the numbers of their classes: balanced is n / (C n_c)."""
        if not self.is_balanced:
            return weights * self.factors[numbers]
        each = np.bincount(numbers, minlength=len(self.counts))
        return weights * len(numbers) / (len(each) * each[numbers])

    def after(self, targets: np.ndarray) -> Self:
        """The same when rows of these targets are learned."""
        if not self.is_balanced:
            return self
        counts = self.counts.copy()
        balanced(counts, self._numbers(targets), np.ones(len(targets)), self.decay)
        return self._replace(counts=counts)

    def joined(self, others: Sequence[Self], common: Self | None) -> Self:
        """The same when the rows of all are learned; those of a common beginning count once."""
        if not self.is_balanced:
            return self
        counts = self.counts + sum(other.counts for other in others)
        if common is not None:
            counts = counts - len(others) * common.counts
        return self._replace(counts=counts)

    def _numbers(self, targets: np.ndarray) -> np.ndarray:
        return (targets > 0 if len(self.factors) == 2 else targets).astype(np.intp)


def checked(class_weight: Any) -> Any:
    """The parameter, if it is None, "balanced", or a dict of numbers > 0."""
    if class_weight is None or (isinstance(class_weight, str) and class_weight == BALANCED):
        return class_weight
    if not isinstance(class_weight, dict):
        raise ValueError(
            f"class_weight={class_weight!r} is not allowed: class_weight must be None, "
            f"'balanced' or a dict of labels and numbers > 0."
        )
    for label, factor in class_weight.items():
        if not FACTOR.allows(factor):
            raise ValueError(
                f"class_weight={class_weight!r} gives {label!r} the weight {factor!r}: give "
                f"numbers > 0."
            )
    return class_weight


def factors_of(given: dict[Any, float], classes: np.ndarray) -> np.ndarray:
    """A number for each class: 1 where the dict does not name it."""
    return np.array([float(given.get(label, 1.0)) for label in classes.tolist()])


@jit
def balanced(counts: Array, numbers: Array, weights: Array, decay: float) -> Array:
    """Weights times t / (C n_c): t rows so far, n_c of them of the row's class, itself counted.

    ``counts`` go on, the older ones fading if the learner forgets.
    """
    out = np.empty(weights.size)
    t = counts.sum()
    for i in range(numbers.size):
        if decay < 1.0:
            t *= decay
            counts *= decay
        t += 1.0
        counts[numbers[i]] += 1.0
        out[i] = weights[i] * t / (counts.size * counts[numbers[i]])
    return out
