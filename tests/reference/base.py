"""Reference room: what all twins share.

The expansion f(x) = sum_i c_i k(v_i, x) as a plain list of terms, the scalar a label sees (margin
or residual), explicit sums for the averages, and the record of the stream. No scale factors: every
shrink multiplies every coefficient out, every average adds up all coefficients at every instance.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Kernel = Callable[[Array, Array], float]
Loss = tuple[Callable[[float], float], Callable[[float], float]]
Record = tuple[Array, float, bool]

TIE = 1e-9  # relative slack within which "the smallest" is a tie
INTERCEPT_STEP = 0.1  # divided by sqrt(t)
NOISE = 1e-13  # a loss this close to zero, relative to 1 + |m|, is zero


class Draws(NamedTuple):
    """The random numbers of an instance, one for each part that may ask."""

    sampling: float = 0.0  # whether a rule takes the instance
    victim: float = 0.0  # which vector goes
    maintenance: float = 0.0  # whether a full budget acts
    exact: float = 0.0  # whether an instance is kept as it is


@dataclass
class Term:
    """One summand: its vector, coefficients, entry time, and two sums of past coefficients."""

    vector: Array
    value: Array
    born: int
    sums: tuple[Array, Array]


@dataclass(frozen=True)
class Outcome:
    """What an instance shows a learner.

    `scalar` is the margin y f, f_y - f_z or the residual f - y; `direction` its gradient with
    respect to the C scores, so that a gradient step has the coefficient -eta * slope * direction.
    `towards` points to the target: direction for a classifier, sign(y - f) for a regressor. `errs`
    is what moves a perceptron: a mistake, or a residual outside of the dead zone.
    """

    scalar: float
    value: float
    slope: float
    direction: Array
    towards: Array
    errs: bool
    mistake: bool
    target: float


def new_term(vector: Array, value: Array, born: int) -> Term:
    """A term whose past coefficients were all zero."""
    return Term(vector.copy(), value.copy(), born, (np.zeros_like(value), np.zeros_like(value)))


def smallest(values: Sequence[float], born: Sequence[int]) -> int:
    """Index of the smallest value; of those that tie within the slack, the oldest."""
    limit = min(values) * (1.0 + TIE)
    ties = [i for i, value in enumerate(values) if value <= limit]
    return min(ties, key=lambda i: born[i])


class Twin:
    """Base of all twins; a learner defines `update`."""

    def __init__(
        self,
        task: str,
        n_outputs: int,
        kernel: Kernel,
        loss: Loss,
        *,
        average: bool | float = False,
        dead_zone: float = 0.0,
        intercept: bool = False,
        half_life: float | None = None,
    ) -> None:
        if task not in ("binary", "multiclass", "regression"):
            raise ValueError(f"unknown task {task!r}")
        if (n_outputs >= 3) != (task == "multiclass") or (n_outputs != 1 and n_outputs < 3):
            raise ValueError(f"{task} can not have {n_outputs} outputs")
        self.task = task
        self.n_outputs = n_outputs
        self.kernel = kernel
        self.loss = loss
        self.average = average
        self.dead_zone = dead_zone
        self.t = 0
        self.decay = 1.0 if half_life is None else 2.0 ** (-1.0 / half_life)
        self.count = 0.0  # instances, an older one counting less
        self.growth = 1.0  # of that number, with the last instance
        self.slots: list[Term] = []
        self.record: list[Record] = []
        self.counts = [0.0, 0.0]
        self.restarts = 0
        self.next_restart = 1
        self.n_features = 0
        self.has_intercept = intercept
        self.intercept = np.zeros(n_outputs)
        self.intercept_sums = np.zeros((2, n_outputs))

    # ---- one instance -------------------------------------------------------------------------

    def learn(
        self,
        x: Array,
        target: float,
        draws: Sequence[float] = Draws(),
        weight: float = 1.0,
    ) -> None:
        """Add the model to its averages, predict, record, update."""
        if weight == 0.0:
            return
        x = np.array(x, dtype=np.float64)
        self.n_features = x.size
        self.t += 1
        before = self.count
        self.count = self.decay * before + 1.0
        self.growth = self.count - before
        self.accumulate()
        shown = self.output(x)
        seen = self.look(shown, target)
        self.record.append((shown, seen.value, seen.mistake))
        outcome = self.look(self.scores(x), target)
        self.shrink(self.decay)
        self.update(x, outcome, Draws(*draws), weight)
        if self.has_intercept:
            step = INTERCEPT_STEP / math.sqrt(self.count)
            self.intercept -= step * weight * outcome.slope * outcome.direction

    def update(self, x: Array, outcome: Outcome, draws: Draws, weight: float) -> None:
        """Change the model by one instance."""
        raise NotImplementedError

    def absorb(self, x: Array, coefficient: Array, draws: Draws) -> None:
        """Take the new term in."""
        self.append(x, coefficient)

    def pass_by(self, x: Array, draws: Draws) -> None:
        """What happens to an instance that gets no term."""

    def look(self, scores: Array, target: float) -> Outcome:
        """The scalar of this label, its loss and slope, and where a step would go."""
        direction = np.zeros(self.n_outputs)
        if self.task == "regression":
            direction[0] = 1.0
            scalar = float(scores[0]) - float(target)
            inside = abs(scalar) <= self.dead_zone
            towards = np.array([-np.sign(scalar)])
            value, slope = self.value_and_slope(scalar)
            slope = 0.0 if inside else slope
            return Outcome(
                scalar, value, slope, direction, towards, not inside, False, float(target)
            )
        if self.task == "binary":
            direction[0] = target
        else:
            label = int(target)
            others = [r for r in range(self.n_outputs) if r != label]
            rival = max(others, key=lambda r: scores[r])  # max keeps the first of equals
            direction[label], direction[rival] = 1.0, -1.0
        scalar = float(direction @ scores)
        value, slope = self.value_and_slope(scalar)
        mistake = scalar <= 0.0
        return Outcome(scalar, value, slope, direction, direction, mistake, mistake, float(target))

    def value_and_slope(self, scalar: float) -> tuple[float, float]:
        """Loss and slope; a loss within rounding of zero is zero."""
        value, slope = self.loss[0](scalar), self.loss[1](scalar)
        if value <= NOISE * (1.0 + abs(scalar)) * abs(slope):
            return 0.0, 0.0
        return value, slope

    def grow(self, place: int) -> None:
        """A class more than two, at this place among them.

        One output f becomes the pair (-f/2, +f/2), whose margin is the old one; more stay as they are. The new
        one is 0, in all that was summed up for averages too. What is no part of the weights (times, counts,
        margins and dead zones that adapt, mistakes and the damage they allow) stays.
        """
        pair = self.n_outputs == 1

        def grown(old: Array) -> Array:
            """The first axis is that of the outputs."""
            outputs = [-0.5 * old[0], 0.5 * old[0]] if pair else list(old)
            outputs.insert(place, np.zeros_like(old[0]))
            return np.array(outputs)

        for term in self.slots if self.terms is self.slots else [*self.slots, *self.terms]:
            term.value = grown(term.value)
            term.sums = (grown(term.sums[0]), grown(term.sums[1]))
        self.intercept = grown(self.intercept)
        self.intercept_sums = grown(self.intercept_sums.T).T
        self.n_outputs = 3 if pair else self.n_outputs + 1
        self.task = "multiclass"

    # ---- averages -----------------------------------------------------------------------------

    def accumulate(self) -> None:
        """Add w_t, as it is before the update, to the running sums."""
        suffix = 0.0 < self.average < 1.0  # 0 is none of the models, 1 all of them
        if self.t == self.next_restart and (suffix or self.t == 1):
            started = self.restarts % 2
            self.counts[started] = 0.0
            self.intercept_sums[started] = 0.0
            for term in self.terms:
                term.sums[started][...] = 0.0
            self.restarts += 1
            self.next_restart = (
                max(math.ceil(self.t / (1.0 - float(self.average))), self.t + 1) if suffix else 0
            )
        for which in range(min(self.restarts, 2)):
            self.counts[which] = self.decay * self.counts[which] + 1.0
            self.intercept_sums[which] = self.decay * self.intercept_sums[which] + self.intercept
            for term in self.terms:
                term.sums[which][...] = self.decay * term.sums[which] + term.value

    @property
    def older(self) -> int:
        """Which of the two accumulators is the output: the one that started first."""
        return 0 if self.restarts < 2 else self.restarts % 2

    # ---- the model ----------------------------------------------------------------------------

    @property
    def terms(self) -> list[Term]:
        """Whatever carries coefficients."""
        return self.slots

    def collect(self, pick: Callable[[Term], Array]) -> Array:
        """One column per slot: (C, n)."""
        if not self.slots:
            return np.zeros((self.n_outputs, 0))
        return np.stack([pick(term) for term in self.slots], axis=1)

    def features(self, x: Array) -> Array:
        """What the columns of `collect` are multiplied with: kernel values."""
        return np.array([self.kernel(x, term.vector) for term in self.slots])

    def last_weights(self) -> Array:
        return self.collect(lambda term: term.value)

    def output_weights(self) -> Array:
        """Coefficients of the model that predict uses."""
        if self.average == 0.0:
            return self.last_weights()
        which = self.older
        return self.collect(lambda term: term.sums[which] / max(self.counts[which], 1))

    def expansion(self, x: Array) -> Array:
        """sum_i c_i k(v_i, x) of the last model, (C,)."""
        scores: Array = self.last_weights() @ self.features(x)
        return scores

    def scores(self, x: Array) -> Array:
        """f(x) + b of the last model, (C,)."""
        return self.expansion(x) + self.intercept

    def output(self, x: Array) -> Array:
        """f(x) + b of the model that predict uses, (C,)."""
        scores: Array = self.output_weights() @ self.features(x)
        return scores + self.output_intercept()

    def output_intercept(self) -> Array:
        if self.average == 0.0:
            return self.intercept
        which = self.older
        mean: Array = self.intercept_sums[which] / max(self.counts[which], 1)
        return mean

    @property
    def vectors(self) -> Array:
        if not self.slots:
            return np.zeros((0, self.n_features))
        return np.stack([term.vector for term in self.slots])

    @property
    def coef(self) -> Array:
        return self.last_weights()

    @property
    def output_coef(self) -> Array:
        return self.output_weights()

    @property
    def born(self) -> list[int]:
        return [term.born for term in self.slots]

    # ---- small steps --------------------------------------------------------------------------

    def shrink(self, factor: float) -> None:
        for term in self.terms:
            term.value *= factor

    def append(self, x: Array, coefficient: Array) -> None:
        self.slots.append(new_term(x, coefficient, self.t))

    def replace(self, slot: int, x: Array, coefficient: Array) -> None:
        """The newcomer takes the place of the one that leaves."""
        self.slots[slot] = new_term(x, coefficient, self.t)

    def oldest(self) -> int:
        return min(range(len(self.slots)), key=lambda i: self.slots[i].born)

    def gram(self, terms: Sequence[Term]) -> Array:
        matrix = np.empty((len(terms), len(terms)))
        for i, left in enumerate(terms):
            for j, right in enumerate(terms[: i + 1]):
                matrix[i, j] = matrix[j, i] = self.kernel(left.vector, right.vector)
        return matrix

    def squared_norm(self) -> float:
        """||w||^2 over all outputs: the trace of A' K A."""
        weights = self.last_weights()
        return float(np.sum((weights @ self.gram(self.slots)) * weights))
