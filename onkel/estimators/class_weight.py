"""How much the rows of a class count: given numbers, or such that all classes count alike."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import jit
from onkel.estimators.parameters import Constraint, parameter

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

    @classmethod
    def chosen(cls, class_weight: Any, classes: np.ndarray, decay: float = 1.0) -> Self | None:
        """What a parameter says for these labels; None if all weights stay as they are."""
        if class_weight is None:
            return None
        if isinstance(class_weight, str) and class_weight == "balanced":
            return cls(np.ones(len(classes)), np.zeros(len(classes)), decay)
        if not isinstance(class_weight, dict):
            raise ValueError(
                f"class_weight={class_weight!r} is not allowed: class_weight must be None, "
                f"'balanced' or a dict of labels and numbers > 0."
            )
        known = {label: place for place, label in enumerate(classes.tolist())}
        factors = np.ones(len(classes))
        for label, factor in class_weight.items():
            if label not in known:
                raise ValueError(
                    f"class_weight has a weight for {label!r}, which is no label: there are "
                    f"{classes.tolist()}."
                )
            if not FACTOR.allows(factor):
                raise ValueError(
                    f"class_weight={class_weight!r} gives {label!r} the weight {factor!r}: give "
                    f"numbers > 0."
                )
            factors[known[label]] = factor
        return cls(factors, np.zeros(0))

    def applied(self, numbers: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Weights of the next rows, given the numbers of their classes."""
        if self.counts.size == 0:
            return weights * self.factors[numbers]
        return balanced(self.counts.copy(), numbers, weights, self.decay)

    def applied_to_all(self, numbers: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """The same for all rows there are: balanced is n / (C n_c)."""
        if self.counts.size == 0:
            return self.applied(numbers, weights)
        each = np.bincount(numbers, minlength=len(self.counts))
        return weights * len(numbers) / (len(each) * each[numbers])

    def after(self, numbers: np.ndarray) -> Self:
        """The same when these rows are learned."""
        if self.counts.size == 0:
            return self
        counts = self.counts.copy()
        balanced(counts, numbers, np.ones(len(numbers)), self.decay)
        return self._replace(counts=counts)


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
