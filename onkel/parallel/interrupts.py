"""Interrupts that wait: what must be done as a whole or not at all."""

from __future__ import annotations

import signal
from threading import get_ident, main_thread
from typing import Any, Self

INTERRUPT = int(signal.SIGINT)  # which is quicker than an enumeration's


class Uninterrupted:
    """``with Uninterrupted():`` an interrupt (Ctrl-C) waits for the end of what is begun.

    Python tells the main thread of it, between any two steps, and by the handler that is set there. So this sets one
    that takes notes, and in the end tells the one before. In other threads there is nothing to do.
    """

    def __enter__(self) -> Self:
        self._handler: Any = None
        self._told: Any = None
        if get_ident() == main_thread().ident:
            handler = signal.getsignal(INTERRUPT)
            if callable(handler):  # else they are ignored, end the process, or are not Python's
                self._handler = handler
                signal.signal(INTERRUPT, self._take_note)
        return self

    def __exit__(self, *reason: object) -> None:
        if self._handler is not None:
            handler = self._set_back()
            self._tell(handler)

    def let_through(self) -> None:
        """An interrupt that came in the meantime need not wait any longer."""
        if self._told is not None:
            self._tell(self._handler)

    def _take_note(self, *told: Any) -> None:
        self._told = told

    def _tell(self, handler: Any) -> None:
        told, self._told = self._told, None
        if told is not None:
            handler(*told)

    def _set_back(self) -> Any:
        handler, self._handler = self._handler, None
        signal.signal(INTERRUPT, handler)
        return handler
