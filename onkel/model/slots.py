"""How vectors come, change places and go: coefficients, ages, Gram rows, norm and columns of the block.

The stored vectors themselves follow at the end of the block, by the log.
"""

from __future__ import annotations

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner
from onkel.model.instance import Instance
from onkel.model.norm import (
    add_step_at_slot_to_norm,
    add_step_to_norm,
    add_term_to_norm,
    replace_in_norm,
    take_term_from_norm,
)
from onkel.model.owners import add_owner, clear_owners, copy_owners, n_owners, owner
from onkel.model.scores import (
    change_scores,
    change_scores_by_coefficients,
    change_scores_by_step,
    forget_square,
    mix_columns,
    read_column,
)
from onkel.model.state import (
    COPY,
    PUT,
    TOO_MANY_CHANGES,
    TOO_MANY_VECTORS,
    Model,
    Workspace,
    add,
    add_row,
)


@inner
def log_change(workspace: Workspace, kind: int, slot: int, source: int, share: float) -> None:
    """Write down what is to happen to the stored vectors when the block is over."""
    entry = workspace.log_state[0]
    if entry >= workspace.log_shares.size:
        workspace.log_state[2] = TOO_MANY_CHANGES
        return
    workspace.log[entry, 0], workspace.log[entry, 1], workspace.log[entry, 2] = kind, slot, source
    workspace.log_shares[entry] = share
    workspace.log_state[0] = entry + 1


@inner
def fill_slot(model: Model, workspace: Workspace, instance: Instance, slot: int) -> None:
    """Give the slot to the row: vector, age, Gram row, and its column for the rows that follow.

    The slot is one in use or the first free one. Coefficients are the caller's business.
    """
    in_use = slot < model.now[0].n
    if in_use:
        change_scores(model, workspace, slot, -1.0)
    put_row(model, workspace, instance, slot)
    if in_use:
        change_scores(model, workspace, slot, 1.0)


@inner
def put_row(model: Model, workspace: Workspace, instance: Instance, slot: int) -> None:
    """The same for a slot without a term."""
    r = instance.r
    log_change(workspace, PUT, slot, instance.row, 1.0)
    model.born[slot] = instance.t
    model.slot_memory[slot] = 0.0
    model.diagonal[slot] = instance.diagonal
    copy_column(workspace.block_values, r, workspace.values, slot, r + 1, instance.block_rows)
    copy_column(workspace.block_distances, r, workspace.distances, slot, r + 1, instance.block_rows)
    n = max(model.now[0].n, slot)
    write_border(model.gram, slot, workspace.values, r, n, instance.diagonal)
    write_border(model.distances, slot, workspace.distances, r, n, 0.0)


@inner
def copy_column(source: Array, column: int, target: Array, slot: int, first: int, end: int) -> None:
    """A column into a column for the rows ``first .. end``, where such a matrix is kept."""
    if target.size == 0:
        return
    for row in range(first, end):
        target[row, slot] = source[row, column]


@inner
def write_border(matrix: Array, slot: int, source: Array, row: int, n: int, corner: float) -> None:
    """The slot's row and column, from a row of the source, in a symmetric matrix over the slots."""
    if matrix.size == 0:
        return
    for i in range(n):
        matrix[slot, i] = source[row, i]
        matrix[i, slot] = source[row, i]
    matrix[slot, slot] = corner


@inner
def clear_slot(model: Model, workspace: Workspace, slot: int) -> None:
    """All coefficients of a slot and their averages become 0; scores and norm stay behind."""
    for k in range(n_owners(model, workspace, slot)):
        c = owner(workspace, slot, k)
        model.coef[c, slot] = 0.0
        for a in range(model.sums.size):
            model.corrections[a, c, slot] = 0.0
    clear_owners(workspace, slot)


@inner
def append(model: Model, workspace: Workspace, instance: Instance, amount: float) -> None:
    """The row becomes the last slot, with a term of this size."""
    now = model.now[0]
    slot = now.n
    if slot >= model.coef.shape[1]:
        workspace.log_state[2] = TOO_MANY_VECTORS
        return
    add_step_to_norm(model, instance, amount, instance.diagonal)
    put_row(model, workspace, instance, slot)
    clear_slot(model, workspace, slot)
    now.n = slot + 1
    add_to_coefficients(model, workspace, instance, amount, slot)


@inner
def replace(
    model: Model, workspace: Workspace, instance: Instance, amount: float, slot: int
) -> None:
    """The row takes the place of a vector, which is forgotten with its term."""
    replace_in_norm(model, workspace, instance, amount, slot)
    change_scores(model, workspace, slot, -1.0)
    put_row(model, workspace, instance, slot)
    clear_slot(model, workspace, slot)
    add_to_coefficients(model, workspace, instance, amount, slot)


@inner
def move_last(model: Model, workspace: Workspace, instance: Instance, slot: int) -> None:
    """The last slot moves into this one, which was given up."""
    now = model.now[0]
    last = now.n - 1
    now.n = last
    change_scores(model, workspace, slot, -1.0)
    if slot == last:
        return
    if workspace.squares.size > 0:
        workspace.squares[slot] = workspace.squares[last]
    clear_slot(model, workspace, slot)
    copy_owners(workspace, last, slot)
    for k in range(n_owners(model, workspace, last)):
        c = owner(workspace, last, k)
        model.coef[c, slot] = model.coef[c, last]
        for a in range(model.sums.size):
            model.corrections[a, c, slot] = model.corrections[a, c, last]
    model.born[slot] = model.born[last]
    model.slot_memory[slot] = model.slot_memory[last]
    model.diagonal[slot] = model.diagonal[last]
    log_change(workspace, COPY, slot, last, 1.0)
    copy_column(workspace.values, last, workspace.values, slot, instance.r + 1, instance.block_rows)
    copy_column(
        workspace.distances, last, workspace.distances, slot, instance.r + 1, instance.block_rows
    )
    write_border(model.gram, slot, model.gram, last, last, model.diagonal[slot])
    write_border(model.distances, slot, model.distances, last, last, 0.0)


@inner
def add_step(
    model: Model, workspace: Workspace, instance: Instance, amount: float, slot: int
) -> None:
    """A step in the direction of the instance is added to the term of a slot in use."""
    add_step_at_slot_to_norm(model, workspace, instance, amount, slot)
    add_to_coefficients(model, workspace, instance, amount, slot)


@inner
def add_to_coefficients(
    model: Model, workspace: Workspace, instance: Instance, amount: float, slot: int
) -> None:
    """Add a step of this (scaled) size, in the direction of the instance; the norm stays behind."""
    unscaled = amount * instance.sign / model.now[0].scale
    forget_square(workspace, slot)
    read_column(model, workspace, slot)
    add_owner(workspace, slot, instance.up)
    add(model, instance.up, slot, unscaled)
    change_scores_by_step(model, workspace, instance.up, unscaled)
    if instance.down >= 0:
        add_owner(workspace, slot, instance.down)
        add(model, instance.down, slot, -unscaled)
        change_scores_by_step(model, workspace, instance.down, -unscaled)


@inner
def spread_step(
    model: Model, workspace: Workspace, instance: Instance, amount: float, proportions: Array
) -> None:
    """The same to all slots, in these proportions."""
    unscaled = amount * instance.sign / model.now[0].scale
    for slot in range(workspace.squares.size):
        forget_square(workspace, slot)
        add_owner(workspace, slot, instance.up)
        if instance.down >= 0:
            add_owner(workspace, slot, instance.down)
    mix_columns(model, workspace, proportions)
    add_row(model, instance.up, unscaled, proportions)
    change_scores_by_step(model, workspace, instance.up, unscaled)
    if instance.down >= 0:
        add_row(model, instance.down, -unscaled, proportions)
        change_scores_by_step(model, workspace, instance.down, -unscaled)


@inner
def remove_term(model: Model, workspace: Workspace, slot: int) -> None:
    """The coefficients of a slot become 0; its averages and all else stay."""
    change_scores_by_coefficients(model, workspace, slot, -1.0)
    clear_term(model, workspace, slot)


@inner
def clear_term(model: Model, workspace: Workspace, slot: int) -> None:
    """The same, but for the scores of later rows."""
    take_term_from_norm(model, workspace, slot)
    forget_square(workspace, slot)
    for k in range(n_owners(model, workspace, slot)):
        model.coef[owner(workspace, slot, k), slot] = 0.0


@inner
def set_term(model: Model, workspace: Workspace, slot: int, coefficients: Array) -> None:
    """A slot whose coefficients are 0 gets these, unscaled; its averages stay."""
    write_term(model, workspace, slot, coefficients)
    change_scores_by_coefficients(model, workspace, slot, 1.0)


@inner
def write_term(model: Model, workspace: Workspace, slot: int, coefficients: Array) -> None:
    """The same, but for the scores of later rows."""
    add_term_to_norm(model, workspace, slot, coefficients)
    forget_square(workspace, slot)
    for c in range(model.coef.shape[0]):
        if coefficients[c] != 0.0:
            add_owner(workspace, slot, c)
            model.coef[c, slot] = coefficients[c]


@inner
def clear_coefficients(workspace: Workspace) -> None:
    """Make room for the coefficients of a term that is being put together."""
    for c in range(workspace.coefficients.size):
        workspace.coefficients[c] = 0.0
