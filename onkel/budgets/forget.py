"""The Forgetron: the oldest vector goes, and all are shrunk so far that its loss does little harm."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from onkel.compiled.decorators import inner
from onkel.model.instance import Instance, Step
from onkel.model.questions import extend
from onkel.model.slots import append, move_last, remove_term
from onkel.model.state import Model, Workspace, multiply
from onkel.model.victim import oldest


class Forget(NamedTuple):
    r"""The oldest vector goes, after all were shrunk by a factor that tunes itself.

    It is the largest :math:`\varphi \le 1` with :math:`Q + a\varphi^2 + b\varphi \le \frac{15}{32} M`.

    Parameters
    ----------
    size : int
        Largest number B of support vectors.
    unit : float, default=1.0
        Size of a step, in which weights are measured: 1, or the step of a regressor.
    """

    size: int
    unit: float = 1.0

    @property
    def keeps(self) -> tuple[str, ...]:
        return ("gram",)

    @property
    def memory(self) -> tuple[float, ...]:
        return (0.0, 0.0)  # Q, M

    def absorb(self, model: Model, workspace: Workspace, instance: Instance, step: Step) -> None:
        if not step.take:
            return
        memory = model.budget_memory
        extend(self, model, workspace, instance, step.amount)
        if model.now[0].n <= self.size:
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
        remove_term(model, workspace, victim)
        move_last(model, workspace, instance, victim)
        multiply(model, shrink)

    def extend(self, model: Model, workspace: Workspace, instance: Instance, amount: float) -> None:
        model.budget_memory[1] += 1.0
        append(model, workspace, instance, amount)


@inner
def weigh(model: Model, slot: int, unit: float) -> Any:
    """The slot's weight, and twice its weight times its margin (once, where two outputs share it)."""
    now = model.now[0]
    outputs = model.coef.shape[0]
    weight, pull = 0.0, 0.0
    for c in range(outputs):
        if model.coef[c, slot] == 0.0:
            continue
        score = 0.0
        for i in range(now.n):
            score += model.gram[slot, i] * model.coef[c, i]
        weight = max(weight, abs(model.coef[c, slot]))
        pull += model.coef[c, slot] * score
    in_units = now.scale / unit
    return weight * in_units, pull * in_units * in_units * (2.0 if outputs == 1 else 1.0)
