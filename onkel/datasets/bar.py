"""A progress bar of one line on the standard error stream, only where a person looks at it."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from onkel.datasets.transfer import OnProgress

_WIDTH = 30
_SECONDS_BETWEEN = 0.1


@contextmanager
def bar(stream: TextIO | None = None) -> Iterator[OnProgress | None]:
    """A function that draws progress on `stream` (standard error), or None if it is no terminal."""
    stream = stream or sys.stderr
    if not stream.isatty():
        yield None
        return
    drawn = 0.0

    def draw(file: str, done: int, total: int | None) -> None:
        nonlocal drawn
        now = time.monotonic()
        if done == total or now - drawn >= _SECONDS_BETWEEN:
            stream.write("\r" + line(file, done, total))
            stream.flush()
            drawn = now

    try:
        yield draw
    finally:
        if drawn:
            stream.write("\n")


def line(file: str, done: int, total: int | None) -> str:
    """The text of the bar.

    >>> line("ijcnn1.bz2", 3_000_000, 4_000_000)
    'ijcnn1.bz2 [######################        ]  75 %  3.0 of 4.0 MB'
    >>> line("ijcnn1.bz2", 3_000_000, None)
    'ijcnn1.bz2 3.0 MB'
    """
    if not total:
        return f"{file} {done / 1e6:.1f} MB"
    filled = _WIDTH * done // total
    strip = "#" * filled + " " * (_WIDTH - filled)
    return f"{file} [{strip}] {100 * done // total:3d} %  {done / 1e6:.1f} of {total / 1e6:.1f} MB"
