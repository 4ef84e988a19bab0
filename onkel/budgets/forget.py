"""The Forgetron: the oldest vector goes, and all are shrunk so far that its loss does little harm."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from onkel.budgets.drop import oldest
from onkel.compiled.decorators import inner
from onkel.model.instance import Instance, Step
from onkel.model.state import Model, Workspace, append, charge, clear_slot, enter, multiply


class Forget(NamedTuple):
    r"""Self-tuned shrinking: the largest :math:`\varphi \le 1` with
    :math:`Q + a\varphi^2 + b\varphi \le \frac{15}{32} M`.

    ``unit`` is the size of a step (1, or the regression step), in which weights are measured.
    """

    size: int
    unit: float = 1.0

    @property
    def keeps(self) -> tuple[str, ...]:
        return ("gram",)

    @property
    def memory(self) -> tuple[float, ...]:
        return (0.0, 0.0)  # Q, M

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, taken: Step) -> None:
        if not taken.take:
            return
        memory = model.budget_memory
        memory[1] += 1.0
        now = model.now[0]
        append(model, workspace, instance, taken.amount)
        if now.n <= self.size:
            return
        victim = oldest(model)
        weight, pull = weigh(model, victim, self.unit)
        a = weight * weight * model.diagonal[victim] - pull
        b = 2.0 * weight
        c = memory[0] - 15.0 / 32.0 * memory[1]
        shrink = 1.0
        if a + b + c > 0.0:
            shrink = -2.0 * c / (b + math.sqrt(b * b - 4.0 * a * c))
        memory[0] += a * shrink * shrink + b * shrink
        now.n -= 1
        enter(model, workspace, instance, victim)
        clear_slot(model, victim)
        charge(model, victim, taken.amount, instance)
        multiply(model, shrink)


@inner
def weigh(model: Model, slot: int, unit: float) -> Any:
    """The slot's weight, and twice its weight times its margin (once, where two outputs share it)."""
    now = model.now[0]
    outputs = model.coef.shape[0]
    weight, pull = 0.0, 0.0
    for c in range(outputs):
        score = 0.0
        for i in range(now.n):
            score += model.gram[slot, i] * model.coef[c, i]
        weight = max(weight, abs(model.coef[c, slot]))
        pull += model.coef[c, slot] * score
    in_units = now.scale / unit
    return weight * in_units, pull * in_units * in_units * (2.0 if outputs == 1 else 1.0)
