"""What a rule answers. It may keep numbers between instances in ``memory``."""

from __future__ import annotations

from typing import NamedTuple


class Step(NamedTuple):
    take: bool  # whether the instance gets a term at all
    amount: float  # its size, in the direction that the task gave
    shrink: float  # what the other terms are multiplied with, before
