"""Threads that learn with one model take turns, from the first call on; readers do not wait for them here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, get_ident
from typing import Any
from weakref import WeakKeyDictionary


class Turn:
    """Whose turn it is to learn with a model: the thread's number, or 0."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.thread = 0


# Beside the models, not in them: locks can neither be copied nor pickled.
_turns: WeakKeyDictionary[Any, Turn] = WeakKeyDictionary()
_guard = Lock()


@contextmanager
def learning_alone(model: Any) -> Iterator[None]:
    """Wait until no other thread learns with the model, and keep others waiting meanwhile."""
    with _guard:
        turn = _turns.get(model)
        if turn is None:
            turn = _turns[model] = Turn()
    if turn.thread == get_ident():
        raise RuntimeError(
            f"This {type(model).__name__} was told to learn while it learns, in the same thread: by its own "
            f"kernel, or by what handles a signal. Call fit and partial_fit one after the other."
        )
    with turn.lock:
        turn.thread = get_ident()
        try:
            yield
        finally:
            turn.thread = 0
