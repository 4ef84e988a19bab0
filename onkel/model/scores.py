"""Scores of rows, also where outputs are many: then those of a block come from one matrix product.

A row moves few outputs. So the scores of all rows of a block are made before the walk
(``onkel.engine.block_scores``), and whoever changes a term in the walk changes the scores of the rows that
follow: by its coefficient of each output, times the values of its vector. Likewise the squared coefficients
of each vector are known until they change.
"""

from __future__ import annotations

from typing import Any

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner
from onkel.compiled.pointers import where
from onkel.model.owners import n_owners, owner
from onkel.model.state import Model, Workspace

#: What ``block_state`` holds: the first row that follows, rows in the block, of which rewriting of the model the
#: scores are, whether the squares were summed up, and whether the owners were listed.
NEXT, ROWS, REWRITES, SQUARED, LISTED = 0, 1, 2, 3, 4
#: What the scores of a block are by.
COEFFICIENTS, CORRECTIONS = 0, 1
#: A square that is to be summed up anew; if more than this share of them are, all are: that goes row by row.
UNKNOWN, FEW_UNKNOWN = -1.0, 0.1


@inner
def score(values: Array, n: int, coef: Array, factor: float, out: Array) -> None:
    """out[c] = factor * sum_i coef[c, i] values[i]."""
    for c in range(coef.shape[0]):
        row = coef[c]
        total = 0.0
        for i in range(n):
            total += row[i] * values[i]
        out[c] = factor * total


def score_alone(
    model: Model, workspace: Workspace, r: int, by: int, coef: Array, factor: float, out: Array
) -> None:
    """The score of one output."""
    score(workspace.values[r], model.now[0].n, coef, factor, out)


@where("has_many_outputs", otherwise=score_alone)
def score_row(
    model: Model, workspace: Workspace, r: int, by: int, coef: Array, factor: float, out: Array
) -> None:
    """The scores of a row by these coefficients, times a factor: those of the block, where there are."""
    if is_scored(model, workspace):
        for c in range(out.size):
            out[c] = factor * workspace.block_scores[by, c, r]
    else:
        score(workspace.values[r], model.now[0].n, coef, factor, out)


@where("averages")
def score_average(model: Model, workspace: Workspace, r: int) -> None:
    """The scores of the average that is the output, given those of the last iterate."""
    now = model.now[0]
    a = now.output_average
    scores, out = workspace.scores, workspace.output_scores
    score_row(model, workspace, r, CORRECTIONS, model.corrections[a], -1.0, out)
    for c in range(out.size):
        out[c] = (out[c] + scores[c] / now.scale * model.sums[a]) / model.counts[a]


@inner
def is_scored(model: Model, workspace: Workspace) -> Any:
    """Whether the scores of the block are of this model."""
    return (
        workspace.block_scores.size > 0 and workspace.block_state[REWRITES] == model.now[0].rewrites
    )


@where("has_many_outputs")
def change_scores(model: Model, workspace: Workspace, slot: int, factor: float) -> None:
    """The term of a slot and its averages, as they are, times a factor come to the scores of later rows."""
    if workspace.block_scores.size == 0:
        return
    read_column(model, workspace, slot)
    for k in range(n_owners(model, workspace, slot)):
        c = owner(workspace, slot, k)
        shift(workspace, COEFFICIENTS, c, factor * model.coef[c, slot])
        shift(workspace, CORRECTIONS, c, factor * correction_of(model, c, slot))


@where("has_many_outputs")
def change_scores_by_coefficients(
    model: Model, workspace: Workspace, slot: int, factor: float
) -> None:
    """The same without the averages."""
    if workspace.block_scores.size == 0:
        return
    read_column(model, workspace, slot)
    for k in range(n_owners(model, workspace, slot)):
        c = owner(workspace, slot, k)
        shift(workspace, COEFFICIENTS, c, factor * model.coef[c, slot])


@where("has_many_outputs")
def change_scores_by_corrections(
    model: Model, workspace: Workspace, slot: int, factor: float
) -> None:
    """The same without the coefficients."""
    if workspace.block_scores.size == 0:
        return
    read_column(model, workspace, slot)
    for k in range(n_owners(model, workspace, slot)):
        c = owner(workspace, slot, k)
        shift(workspace, CORRECTIONS, c, factor * correction_of(model, c, slot))


@inner
def correction_of(model: Model, c: int, slot: int) -> Any:
    """The correction of the average that is the output; 0 where there is none."""
    return model.corrections[model.now[0].output_average, c, slot] if model.sums.size > 0 else 0.0


@where("has_many_outputs")
def read_column(model: Model, workspace: Workspace, slot: int) -> None:
    """The values of a vector for the rows that follow, as the column that :func:`shift` adds."""
    if workspace.block_scores.size == 0:
        return
    for r in range(workspace.block_state[NEXT], workspace.block_state[ROWS]):
        workspace.column[r] = workspace.values[r, slot]


@where("has_many_outputs")
def mix_columns(model: Model, workspace: Workspace, proportions: Array) -> None:
    """The same of a mixture of all vectors."""
    if workspace.block_scores.size == 0:
        return
    for r in range(workspace.block_state[NEXT], workspace.block_state[ROWS]):
        values, total = workspace.values[r], 0.0
        for i in range(model.now[0].n):
            total += proportions[i] * values[i]
        workspace.column[r] = total


@where("has_many_outputs")
def change_scores_by_step(model: Model, workspace: Workspace, c: int, amount: float) -> None:
    """An unscaled step of this size was made along the column."""
    if workspace.block_scores.size == 0:
        return
    shift(workspace, COEFFICIENTS, c, amount)
    if model.sums.size > 0:
        shift(workspace, CORRECTIONS, c, amount * model.sums[model.now[0].output_average])


@where("has_many_outputs")
def change_scores_by_share(model: Model, workspace: Workspace, c: int, giver: int) -> None:
    """What the term of a slot and its averages are was added along the column."""
    if workspace.block_scores.size == 0:
        return
    shift(workspace, COEFFICIENTS, c, model.coef[c, giver])
    shift(workspace, CORRECTIONS, c, correction_of(model, c, giver))


@inner
def shift(workspace: Workspace, by: int, c: int, amount: float) -> None:
    """The scores of the rows that follow change by so many columns."""
    if amount == 0.0:
        return
    scores, column = workspace.block_scores[by, c], workspace.column
    for r in range(workspace.block_state[NEXT], workspace.block_state[ROWS]):
        scores[r] += amount * column[r]


@inner
def forget_square(workspace: Workspace, slot: int) -> None:
    """The coefficients of a vector change."""
    if workspace.squares.size > 0:
        workspace.squares[slot] = UNKNOWN


@inner
def sum_squares(model: Model, workspace: Workspace, out: Array) -> None:
    """out[i] = sum_c coef[c, i]^2."""
    n, known, unknown = model.now[0].n, workspace.squares, 0
    if known.size == 0 or not is_scored(model, workspace):
        sum_all_squares(model, out)
        return
    for i in range(n):
        unknown += 1 if known[i] == UNKNOWN else 0
    if workspace.block_state[SQUARED] == 0 or unknown > FEW_UNKNOWN * n:
        sum_all_squares(model, known)
        workspace.block_state[SQUARED] = 1
    for i in range(n):
        if known[i] == UNKNOWN:
            known[i] = square_of(model, workspace, i)
        out[i] = known[i]


@inner
def sum_all_squares(model: Model, out: Array) -> None:
    n, row = model.now[0].n, model.coef[0]
    for i in range(n):
        out[i] = row[i] * row[i]
    for c in range(1, model.coef.shape[0]):
        row = model.coef[c]
        for i in range(n):
            out[i] += row[i] * row[i]


@inner
def square_of(model: Model, workspace: Workspace, slot: int) -> Any:
    total = 0.0
    for k in range(n_owners(model, workspace, slot)):
        c = owner(workspace, slot, k)
        total += model.coef[c, slot] * model.coef[c, slot]
    return total
