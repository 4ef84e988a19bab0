"""Reference room: several twins side by side, and the mean of what they say, by what each lost so far.

A twin has two voices where its output is an average: that, and its last model.
"""

import math
from collections.abc import Sequence

import numpy as np

from tests.reference.base import Array, Draws, Record, Twin

HALF_LIFE, RATE = 250.0, 0.3


class Together:
    """Learns with all twins; what it says is the mean of all voices, weighted by their losses."""

    def __init__(self, twins: Sequence[Twin]) -> None:
        self.twins = list(twins)
        self.n_voices = 1 if self.twins[0].average == 0.0 else 2
        self.lost: list[list[float]] = [[] for _ in twins for _ in range(self.n_voices)]
        self.squares: list[float] = []
        self.record: list[Record] = []

    @property
    def t(self) -> int:
        return self.twins[0].t

    def learn(
        self, x: Array, target: float, draws: Sequence[float] = Draws(), weight: float = 1.0
    ) -> None:
        x, shares, said = np.array(x, float), self.shares(), []
        for twin in self.twins:
            last = twin.scores(x)
            twin.learn(x, target, draws, weight)
            said += [twin.record[-1][0], last][: self.n_voices]
        mixed = sum(share * scores for share, scores in zip(shares, said))
        judge = self.twins[0]
        seen = judge.look(mixed, target)
        self.record.append((mixed, seen.value, seen.mistake))
        outcomes = [judge.look(scores, target) for scores in said]
        self.squares.append(float(np.mean([outcome.scalar**2 for outcome in outcomes])))
        unit = self.faded(self.squares) / self.faded([1.0] * len(self.squares))
        for lost, outcome in zip(self.lost, outcomes):
            lost.append(outcome.scalar**2 / unit if judge.task == "regression" else outcome.mistake)

    def faded(self, values: list[float]) -> float:
        """Their sum, older ones counting less."""
        return float(2.0 ** (-np.arange(len(values))[::-1] / HALF_LIFE) @ values)

    def shares(self) -> list[float]:
        weights = [math.exp(-RATE * self.faded(lost)) if lost else 1.0 for lost in self.lost]
        return [weight / sum(weights) for weight in weights]

    def mixed(self, voices: list[list[Array]]) -> list[Array]:
        """Of what the voices of each twin have, the mean in the mixture, twin by twin."""
        shares = iter(self.shares())
        each = [[next(shares) * part for part in parts[: self.n_voices]] for parts in voices]
        return [np.sum(parts, axis=0) for parts in each]

    def output(self, x: Array) -> Array:
        said = [[twin.output(x), twin.scores(x)] for twin in self.twins]
        scores: Array = np.sum(self.mixed(said), axis=0)
        return scores

    @property
    def vectors(self) -> Array:
        return np.vstack([twin.vectors for twin in self.twins])

    @property
    def output_coef(self) -> Array:
        each = self.mixed([[twin.output_coef, twin.coef] for twin in self.twins])
        explicit = hasattr(self.twins[0], "directions")  # which all have in common
        return np.sum(each, axis=0) if explicit else np.hstack(each)
