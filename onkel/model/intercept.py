"""The intercept: one number an output that every score gets, whatever the row.

It follows the slope of the loss with steps of its own, is not shrunk by the regularization, and belongs to no
vector. The output model has the mean over the same iterates as its coefficients.
"""

from __future__ import annotations

import numpy as np

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner
from onkel.model.instance import Instance, View
from onkel.model.state import Model

#: Step number t is this, divided by the root of t.
FIRST_STEP = 0.1


@inner
def add_intercept(model: Model, scores: Array) -> None:
    """The scores of the last iterate, from those of its vectors."""
    for c in range(model.intercept.size):
        scores[c] += model.intercept[c]


@inner
def add_output_intercept(model: Model, scores: Array) -> None:
    """The scores of the output model, from those of its vectors."""
    if model.sums.size == 0:
        add_intercept(model, scores)
        return
    a = model.now[0].output_average
    for c in range(model.intercept.size):
        scores[c] += model.intercept_sums[a, c] / model.counts[a]


@inner
def directional_intercept(model: Model, outcome: View) -> float:
    """What the intercept adds to the score in the direction of the step."""
    if model.intercept.size == 0:
        return 0.0
    amount = outcome.sign * model.intercept[outcome.up]
    if outcome.down >= 0:
        amount -= model.intercept[outcome.down]
    return amount


@inner
def move_intercept(model: Model, instance: Instance) -> None:
    """A gradient step."""
    if model.intercept.size == 0:
        return
    size = FIRST_STEP / np.sqrt(instance.counted)
    amount = -size * instance.weight * instance.slope * instance.sign
    model.intercept[instance.up] += amount
    if instance.down >= 0:
        model.intercept[instance.down] -= amount
