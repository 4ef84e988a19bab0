"""A setting of the whole process that several threads want for a while."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from threading import Lock
from typing import Any


class Shared:
    """A context for many at once: the first to come in sets it up, the last to go takes it down."""

    def __init__(self, make: Callable[[], AbstractContextManager[Any]]) -> None:
        self._make, self._lock, self._inside = make, Lock(), 0
        self._context: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._context = self._make()
                self._context.__enter__()
            self._inside += 1

    def __exit__(self, *reason: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._context.__exit__(None, None, None)
