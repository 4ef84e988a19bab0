"""Ctrl-C that waits until a chunk is learned."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def held_back() -> Iterator[list[int]]:
    """Collect the first Ctrl-C in a list instead of raising; the second is raised as ever.

    Only in the main thread, where signals arrive, and only if nobody else has taken them over.
    """
    came: list[int] = []
    usual = signal.default_int_handler
    alone = threading.current_thread() is threading.main_thread()
    if not alone or signal.getsignal(signal.SIGINT) is not usual:
        yield came
        return

    def note(number: int, frame: Any) -> None:
        came.append(number)
        signal.signal(signal.SIGINT, usual)

    signal.signal(signal.SIGINT, note)
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, usual)
