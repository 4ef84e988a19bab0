"""The squared norm of the weights, followed through every change, where a ball needs it.

``|w + q k(v, .)|^2 = |w|^2 + 2 q f(v) + q^2 k(v, v)`` for each output: the score f(v) is known if v is the
instance, and a row of the Gram matrix gives it if v is one of the vectors.
"""

from __future__ import annotations

from onkel.compiled.arrays import Array
from onkel.compiled.pointers import where
from onkel.model.instance import Instance
from onkel.model.state import Model, Workspace


@where("follows_norm")
def add_step_to_norm(
    model: Model, instance: Instance, amount: float, squared_length: float
) -> None:
    """A step on the instance, or on its projection on the vectors, of this squared length."""
    now = model.now[0]
    step = amount * instance.moved_outputs * squared_length
    now.squared_norm += amount * (2.0 * now.directional_score + step)


@where("follows_norm")
def add_to_norm(model: Model, slot: int, changes: Array) -> None:
    """The coefficients of a slot change by so much, scaled."""
    now = model.now[0]
    row = model.gram[slot]
    for c in range(model.coef.shape[0]):
        if changes[c] == 0.0:
            continue
        at_slot = 0.0
        for i in range(now.n):
            at_slot += row[i] * model.coef[c, i]
        now.squared_norm += changes[c] * (2.0 * now.scale * at_slot + changes[c] * row[slot])


@where("follows_norm")
def add_step_at_slot_to_norm(
    model: Model, workspace: Workspace, instance: Instance, amount: float, slot: int
) -> None:
    """A step in the direction of the instance, on the vector in the slot."""
    changes = workspace.coefficient_changes
    for c in range(changes.size):
        changes[c] = 0.0
    changes[instance.up] = amount * instance.sign
    if instance.down >= 0:
        changes[instance.down] = -amount
    add_to_norm(model, slot, changes)


@where("follows_norm")
def add_term_to_norm(model: Model, workspace: Workspace, slot: int, coefficients: Array) -> None:
    """A slot whose coefficients are 0 gets these, unscaled."""
    for c in range(model.coef.shape[0]):
        workspace.coefficient_changes[c] = model.now[0].scale * coefficients[c]
    add_to_norm(model, slot, workspace.coefficient_changes)


@where("follows_norm")
def take_term_from_norm(model: Model, workspace: Workspace, slot: int) -> None:
    """The coefficients of a slot become 0."""
    for c in range(model.coef.shape[0]):
        workspace.coefficient_changes[c] = -model.now[0].scale * model.coef[c, slot]
    add_to_norm(model, slot, workspace.coefficient_changes)


@where("follows_norm")
def replace_in_norm(
    model: Model, workspace: Workspace, instance: Instance, amount: float, slot: int
) -> None:
    """A step on the instance takes the place of a slot's term."""
    add_step_to_norm(model, instance, amount, instance.diagonal)
    take_term_from_norm(model, workspace, slot)
    lost = instance.sign * workspace.coefficient_changes[instance.up]
    if instance.down >= 0:
        lost -= workspace.coefficient_changes[instance.down]
    model.now[0].squared_norm += 2.0 * amount * workspace.values[instance.r, slot] * lost
