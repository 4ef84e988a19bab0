"""Several machines learn the same rows side by side, and one answer comes of what they say.

They differ in how they learn, in what they forget, say. A machine has two voices where its output is an average:
that, and its last iterate, which is sooner to follow a change. What each voice scored before an update goes to a
:class:`~onkel.engine.mixture.Mixture`, whose scores are those of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import numpy as np
from scipy import sparse

from onkel.engine.machine import Machine
from onkel.engine.mixture import Mixture
from onkel.engine.side_by_side import SideBySide


class Together(SideBySide):
    """Learns rows with several machines at once, and mixes what they say."""

    def __init__(self, machines: Sequence[Machine]) -> None:
        self.mixture = Mixture(len(machines), 2 if machines[0].averages else 1)
        super().__init__(machines)

    @property
    def n_voices(self) -> int:
        return self.mixture.n_voices

    # -- what all have in common ---------------------------------------------------------------

    @property
    def kernel(self) -> Any:
        return self.machines[0].kernel

    @property
    def recipe(self) -> Any:
        return self.machines[0].recipe

    @property
    def parts(self) -> Any:
        return self.machines[0].parts

    @property
    def t(self) -> int:
        return self.mixture.t

    @property
    def loss(self) -> float:
        """The losses of all machines: not finite any more when the steps of one are too long."""
        return sum(machine.loss for machine in self.machines)

    @property
    def loss_part(self) -> Any:
        return self.machines[0].loss_part

    def blank(self) -> Together:
        """The same with machines that have learned nothing."""
        return Together([machine.blank() for machine in self.machines])

    def judge(self, targets: np.ndarray, weights: np.ndarray, trace: np.ndarray) -> None:
        """Mix what the voices scored."""
        self.mixture.follow(self.parts.task, self.parts.loss, self.waiting, targets, trace)

    # -- reading -------------------------------------------------------------------------------

    def scorer_of(self, X: Any) -> Callable[[Any], np.ndarray]:
        """How rows like these score by the output model as it is now."""
        weights = [self._weights_of(number) for number in range(len(self.machines))]
        if self._has_one_map:
            coef, intercept = (np.sum(each, axis=0) for each in zip(*weights))
            return self.machines[0].scorer_of(X, (coef, intercept))
        scorers = [machine.scorer_of(X, w) for machine, w in zip(self.machines, weights)]
        return lambda X: np.sum([scorer(X) for scorer in scorers], axis=0)

    def _weights_of(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and intercepts of a machine in the mixture of all."""
        machine, shares = self.machines[number], self.mixture.shares()[number].tolist()
        coef = shares[0] * machine.output_coef()
        intercept = shares[0] * machine.output_intercept()
        if len(shares) > 1:
            coef += shares[1] * machine.last_coef()
            intercept += shares[1] * machine.last_intercept()
        return coef, intercept

    @property
    def _has_one_map(self) -> bool:
        first = self.machines[0].feature_map
        return first is not None and all(m.feature_map is first for m in self.machines)

    def output_coef(self) -> np.ndarray:
        """Coefficients (C x n) of the output model, of a map that all share."""
        with self.lock.reading:
            return np.sum([self._weights_of(e)[0] for e in range(len(self.machines))], axis=0)

    def output_intercept(self) -> np.ndarray:
        """The intercepts (C) of the output model; 0 where it has none."""
        with self.lock.reading:
            return np.sum([self._weights_of(e)[1] for e in range(len(self.machines))], axis=0)

    def dual_coef(self) -> np.ndarray:
        """Coefficients (C x n) of the kernel expansion that is the output: one machine beside the other."""
        with self.lock.reading:
            each = [m.as_expansion(self._weights_of(e)[0]) for e, m in enumerate(self.machines)]
        return np.hstack(each)

    def vectors(self) -> Any:
        """The support vectors of all machines, as the user gave them."""
        with self.lock.reading:
            each = [machine.vectors() for machine in self.machines]
        return sparse.vstack(each, "csr") if sparse.issparse(each[0]) else np.vstack(each)

    @property
    def n_support(self) -> int:
        with self.lock.reading:
            return sum(machine.n_support for machine in self.machines)

    def shares(self) -> list[float]:
        """How much of a say each machine has."""
        with self.lock.reading:
            return self.mixture.shares().sum(axis=1).tolist()

    @property
    def frequencies(self) -> Any:
        return self.machines[0].frequencies

    def counters(self) -> Any:
        """The numbers that change from instance to instance, all of one moment: what the mixture scored."""
        with self.lock.reading:
            now = self.machines[0].counters()
            for name, number in self.mixture.counters().items():
                now[name] = number
            return now

    def __getstate__(self) -> dict[str, Any]:
        with self.lock.reading:
            return super().__getstate__() | {"mixture": copy(self.mixture)}
