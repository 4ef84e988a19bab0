"""When a race decides: at numbers of rows, whatever chunks these come in."""

from __future__ import annotations

from onkel.engine.machine import BLOCK_ROWS

#: Rows between two decisions; the first few come sooner.
ROUND, FIRST_ROUNDS = BLOCK_ROWS, (16, 32, 64)


def ends_round(t: int) -> bool:
    """Whether a round ends after t rows."""
    return t % ROUND == 0 or t in FIRST_ROUNDS


def rows_left(t: int) -> int:
    """Rows until the end of the round that begins or goes on after t rows."""
    return next((end - t for end in FIRST_ROUNDS if end > t), ROUND - t % ROUND)
