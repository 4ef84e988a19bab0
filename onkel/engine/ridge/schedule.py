"""When the inverse is made anew from the statistics: at numbers of rows, whatever chunks these come in."""

from __future__ import annotations

import math

#: The first time that it is worth it.
FIRST = 512
#: Rounding is undone after so many rows for each feature: that costs little beside learning them.
ROWS_A_FEATURE = 4
#: A strength is chosen from so many rows, and whenever there are so many times as many as the last time.
FIRST_CHOICE, GROWTH = 2048, 4
#: Of a half-life that is told by its decay.
ROUNDING = 1e-9


def period(size: int, decay: float) -> int:
    """Rows between two refreshments, a power of two; besides these there is a first one, and those with a choice.

    Where the learner forgets, its regularization fades with the rows, and is restored at least once in a half-life.
    """
    usual = 1 << max(ROWS_A_FEATURE * size - 1, FIRST - 1).bit_length()
    if decay == 1.0:
        return usual
    half_life = -math.log(2.0) / math.log(decay)
    restored = math.floor(math.log2(half_life) + ROUNDING)
    return min(usual, 1 << max(0, restored))


def refreshes_after(t: int, size: int, decay: float) -> bool:
    """Whether the inverse is made anew when t rows were learned."""
    if t == 0:
        return False
    return t % period(size, decay) == 0 or t == FIRST or chooses_after(t)


def chooses_after(t: int) -> bool:
    """Whether a new strength of the regularization is chosen then."""
    chosen_at = FIRST_CHOICE
    while chosen_at < t:
        chosen_at *= GROWTH
    return t == chosen_at


def rows_left(t: int, block: int, size: int, decay: float) -> int:
    """Rows until the block ends that begins or goes on after t rows: none reaches beyond a refreshment."""
    block = min(block, period(size, decay))
    return block - t % block
