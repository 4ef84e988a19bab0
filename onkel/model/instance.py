"""One instance on its way: what a task sees of it, what rule and budget are told, what a rule answers."""

from __future__ import annotations

from typing import NamedTuple


class View(NamedTuple):
    """What a target sees of the scores, and which outputs a step moves: the answer of a task."""

    m: float  # margin or residual
    directional_score: float  # the score in the direction of the step
    sign: float
    up: int
    down: int  # -1: none
    moved_outputs: float  # 1, or 2: the squared length of the direction


class Instance(NamedTuple):
    """One instance as the rule and the budget see it."""

    r: int  # its row in the block
    row: int  # its row in the chunk
    block_rows: int
    m: float  # margin or residual
    sign: float
    up: int
    down: int
    moved_outputs: float
    value: float
    slope: float
    weight: float
    diagonal: float  # k(x, x)
    t: int
    seed: int  # of the learner: see onkel.model.random_draws
    counted: float  # instances that count by now: t, or less where the learner forgets
    growth: float  # how much that number grew with this instance: 1, or less


class Step(NamedTuple):
    """What a rule answers. It may keep numbers between instances in ``memory``.

    Parameters
    ----------
    take : bool
        Whether the instance gets a term at all.
    amount : float
        The size of its coefficient, in the direction that the task gave.
    shrink : float
        What the other terms are multiplied with, before.
    """

    take: bool
    amount: float
    shrink: float
