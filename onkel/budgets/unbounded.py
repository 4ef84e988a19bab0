"""No budget: every term is kept. And the other extreme, a fixed space of features."""

from __future__ import annotations

from typing import NamedTuple

from onkel.models.state import Model, Seen, Work, add_row, append
from onkel.rules.base import Step


class Unbounded(NamedTuple):
    """Every instance that gets a term becomes a support vector."""

    def absorb(self, model: Model, work: Work, seen: Seen, taken: Step) -> None:
        if taken.take:
            append(model, work, seen, taken.amount)


class Explicit(NamedTuple):
    """No support vectors but weights of explicit features: the step adds the features themselves."""

    def absorb(self, model: Model, work: Work, seen: Seen, taken: Step) -> None:
        if not taken.take:
            return
        features = work.kernel[seen.r]
        unscaled = taken.amount * seen.sign / model.now[0].scale
        add_row(model, seen.up, unscaled, features)
        if seen.down >= 0:
            add_row(model, seen.down, -unscaled, features)
