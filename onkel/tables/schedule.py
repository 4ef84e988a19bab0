"""When what is learned of the rows takes effect: at fixed row counts, whatever the chunks.

The first `look` rows settle the statistics. They are renewed after 2, 4 and 8 times as many rows, and from then on
every 8 · look rows. A row is encoded by what the last such count before it knew, the first `look` rows by what they
taught together. So the same rows give the same numbers in chunks of any size.
"""

from __future__ import annotations

LOOK = 512
LARGEST_BLOCK = 8  # looks


def block_end(rows: int, look: int) -> int:
    """The row count, after `rows`, at which the statistics are renewed next.

    >>> ends = [0]
    >>> for _ in range(7):
    ...     ends.append(block_end(ends[-1], 512))
    >>> ends[1:]
    [512, 1024, 2048, 4096, 8192, 12288, 16384]
    """
    largest = LARGEST_BLOCK * look
    if rows >= largest:
        return (rows // largest + 1) * largest
    end = look
    while end <= rows:
        end *= 2
    return end
