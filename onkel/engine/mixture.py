r"""One answer of several voices: their mean, weighted by how good each was lately.

With the losses :math:`\ell_v` that voice v had on a row before its update, and sums :math:`L_v` of them that fade,

.. math:: L_v \leftarrow \gamma L_v + \ell_v, \qquad
          f = \sum_v w_v f_v, \quad w_v \propto \exp(-\eta L_v).

A loss is a mistake (1 or 0) or, of a residual, its square in units of what the mean over all voices was lately. So
who is the best lately has the say, and those that are as good share it. Half-life and rate were chosen on the
streams of ``benchmarks/drift.py``, where half or twice as much changes little.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from onkel.calibration.observer import Observer
from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner, jit
from onkel.model.questions import compiled_for, value, view, with_distinct_names

#: The half-life of the losses, in rows, and what they are multiplied with.
HALF_LIFE, RATE = 250.0, 0.3
#: Places of what the mixture scored, and of the losses that count now.
T, MISTAKES, LOSS, SQUARES, COUNT, UNIT = range(6)


class Mixture(Observer):
    """Which machine has how much of a say, and what their mixture scored."""

    losses: np.ndarray  # (machines, voices of each): the fading sums
    sums: np.ndarray  # (6,): see the places above

    def __init__(self, n_machines: int, n_voices: int) -> None:
        losses = np.zeros((n_machines, n_voices))
        super().__init__(2.0 ** (-1.0 / HALF_LIFE), losses=losses, sums=np.zeros(6))

    @property
    def n_voices(self) -> int:
        return self.losses.shape[1]

    @property
    def t(self) -> int:
        return int(self.sums[T])

    def counters(self) -> dict[str, float]:
        """What the mixture scored before each update, by the names that machines have for it."""
        return dict(zip(("t", "mistakes", "loss", "squared_error"), self.sums.tolist()))

    def shares(self) -> np.ndarray:
        """How much of a say each voice has: (machines, voices of each)."""
        shares = np.empty(self.losses.shape)
        divide(self.losses, shares)
        return shares

    def follow(
        self, task: Any, loss: Any, scores: np.ndarray, targets: np.ndarray, mixed: np.ndarray
    ) -> None:
        """Mix the scores (machines x rows x outputs of their voices) of rows, each by what was known before it."""
        fade, by_mistakes = float(self.decay[0]), task.shows == "margin"
        task, loss = with_distinct_names(task), with_distinct_names(loss)
        mix = compiled_for(mix_rows, task, loss)
        mix(task, loss, by_mistakes, fade, self.losses, self.sums, scores, targets, mixed)


@jit
def divide(losses: Array, shares: Array) -> None:
    """Shares that fall off with the losses."""
    least, total = losses.min(), 0.0
    for e in range(losses.shape[0]):
        for v in range(losses.shape[1]):
            shares[e, v] = math.exp(-RATE * (losses[e, v] - least))
            total += shares[e, v]
    for e in range(losses.shape[0]):
        for v in range(losses.shape[1]):
            shares[e, v] /= total


@jit
def mix_rows(
    task: Any,
    loss: Any,
    by_mistakes: bool,
    fade: float,
    losses: Array,
    sums: Array,
    scores: Array,
    targets: Array,
    mixed: Array,
) -> None:
    machines, voices, outputs = losses.shape[0], losses.shape[1], mixed.shape[1]
    shares, margins = np.empty(losses.shape), np.empty(losses.shape)
    for i in range(targets.size):
        divide(losses, shares)
        for c in range(outputs):
            mixed[i, c] = 0.0
        square = 0.0
        for e in range(machines):
            for v in range(voices):
                said = scores[e, i, v * outputs : (v + 1) * outputs]
                for c in range(outputs):
                    mixed[i, c] += shares[e, v] * said[c]
                margins[e, v] = view(task, said, targets[i]).m
                square += margins[e, v] * margins[e, v] / losses.size
        m = view(task, mixed[i], targets[i]).m
        record(sums, m, value(loss, m))
        sums[COUNT] = fade * sums[COUNT] + 1.0
        sums[UNIT] = fade * sums[UNIT] + square
        for e in range(machines):
            for v in range(voices):
                if by_mistakes:
                    lost = 1.0 if margins[e, v] <= 0.0 else 0.0
                else:
                    lost = in_units(margins[e, v] * margins[e, v], sums)
                losses[e, v] = fade * losses[e, v] + lost


@inner
def in_units(square: float, sums: Array) -> float:
    """The square of a residual, in units of the mean of those that count now."""
    return square * sums[COUNT] / sums[UNIT] if sums[UNIT] > 0.0 else 0.0


@inner
def record(sums: Array, m: float, loss: float) -> None:
    """What the mixture made of a row."""
    sums[T] += 1.0
    sums[LOSS] += loss
    sums[SQUARES] += m * m
    if m <= 0.0:
        sums[MISTAKES] += 1.0
