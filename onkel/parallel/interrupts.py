"""Interrupts that wait: what must be done as a whole or not at all."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from functools import partial
from threading import get_ident, main_thread
from typing import Any, Self

#: Signals whose handlers may raise, if they are written in Python: as numbers, which is quicker than enumerations.
SIGNALS = [
    int(getattr(signal, name))
    for name in ("SIGINT", "SIGTERM", "SIGALRM", "SIGHUP", "SIGUSR1", "SIGUSR2")
    if hasattr(signal, name)
]


class Uninterrupted:
    """``with Uninterrupted():`` interrupts (Ctrl-C, other signals with a handler) wait for the end of what is begun.

    Python tells the main thread of a signal, between any two steps, and by the handler that is set there. So this
    sets one that takes notes, and in the end tells the one before. In other threads there is nothing to do.
    """

    def __enter__(self) -> Self:
        self._handlers: dict[int, Any] = {}
        self._told: list[tuple[int, Any]] = []
        self._thread = get_ident()
        if self._thread == main_thread().ident:
            for number in SIGNALS:
                handler = signal.getsignal(number)
                if callable(handler):  # else it is ignored, ends the process, or is not Python's
                    self._handlers[number] = handler
                    signal.signal(number, self._take_note)
        return self

    def __exit__(self, *reason: object) -> None:
        back = (partial(signal.signal, *each) for each in self._handlers.items())
        make_all([*back, self._tell])

    def let_through(self) -> None:
        """Interrupts that came in the meantime need not wait any longer."""
        if self._told:
            self.__exit__()
            self.__enter__()

    def _take_note(self, number: int, frame: Any) -> None:
        if get_ident() == self._thread:
            self._told.append((number, frame))
        else:  # in a child process that another thread has made
            self._handlers[number](number, frame)

    def _tell(self) -> None:
        told, self._told = self._told, []
        make_all([partial(tell, *each) for each in told])


def tell(number: int, frame: Any) -> None:
    """Let a signal be handled as it is now: whoever was told of the first may have changed that for the second."""
    handler = signal.getsignal(number)
    if callable(handler):
        handler(number, frame)


def make_all(calls: Sequence[Callable[[], Any]]) -> None:
    """Call all of them in turn, whatever some of them raise."""
    if calls:
        try:
            calls[0]()
        finally:
            make_all(calls[1:])
