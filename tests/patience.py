"""A limit on the time that a test may take: one that would wait for ever fails, and shows where it waits."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: Seconds for a whole test. The longest takes a few minutes where other work is done beside it.
FOR_A_TEST = 1200.0
#: Seconds for one answer of a thread or process.
FOR_AN_ANSWER = 120.0


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise in the main thread after so many seconds, also out of a wait for a lock or a pipe."""

    def give_up(*_: Any) -> None:
        raise TimeoutError(f"the test took longer than {seconds:g} s")

    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
