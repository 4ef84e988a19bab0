"""Reference room: a stream whose labels nobody declared.

One class seen: nothing is learned but its name. Two: a binary model, the labels in order. At the third label
the model's one output becomes a pair, from then on a new label adds an output of zeros (`Twin.grow`,
`CalibratorTwin.grow`). Settings are those of the beginning, when no class is known: a budget "auto" stays that of few
classes. Balanced class weights t / (C n_c) have as many as are known, the row's own counted, and count rows that were
learned. A row's draws belong to its number among these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.reference.base import Array, Twin
from tests.reference.calibration import CalibratorTwin, decay_of


class Growing:
    """A binary twin and its calibrator, which grow as labels appear; `class_weight` as the learners have it."""

    def __init__(
        self, twin: Twin, class_weight: Any = None, half_life: float | None = None
    ) -> None:
        self.twin, self.sure = twin, CalibratorTwin(1, half_life)
        self.class_weight, self.decay = class_weight, decay_of(half_life)
        self.labels: list[Any] = []
        self.counts: dict[Any, float] = {}
        self.alone = 0

    @property
    def classes(self) -> list[Any]:
        return sorted(self.labels)

    def learn(self, x: Array, label: Any, draws: Sequence[Sequence[float]], weight: float) -> None:
        """`draws` has those of every instance."""
        if label not in self.labels:
            self.labels.append(label)
            if len(self.labels) > 2:
                place = self.classes.index(label)
                self.twin.grow(place)
                self.sure.grow(place)
        if len(self.labels) == 1:
            self.alone += 1
            return
        number = self.classes.index(label)
        target = 2.0 * number - 1.0 if len(self.labels) == 2 else float(number)
        self.twin.learn(x, target, draws[self.twin.t], weight * self.factor(label))
        self.sure.learn(self.twin.record[-1][0], target, weight)

    def factor(self, label: Any) -> float:
        if self.class_weight is None:
            return 1.0
        if isinstance(self.class_weight, dict):
            return float(self.class_weight.get(label, 1.0))
        self.counts = {name: self.decay * count for name, count in self.counts.items()}
        self.counts[label] = self.counts.get(label, 0.0) + 1.0
        total = sum(self.counts.values())
        return total / (len(self.labels) * self.counts[label])

    def output(self, x: Array) -> Array:
        return self.twin.output(x)

    def probabilities(self, x: Array) -> Array:
        if len(self.labels) == 1:
            return np.ones(1)
        return self.sure.probabilities(self.output(x))

    def predict(self, x: Array) -> Any:
        scores = self.output(x)
        if len(self.labels) == 1:
            return self.labels[0]
        best = int(scores[0] > 0) if len(self.labels) == 2 else int(np.argmax(scores))
        return self.classes[best]

    @property
    def seen(self) -> int:
        return self.alone + self.twin.t

    @property
    def mistakes(self) -> int:
        """Before the first row nothing could be said; the name of a single class was right after that."""
        return (self.alone > 0) + sum(mistake for _, _, mistake in self.twin.record)
