"""Many readers or one writer: who reads a model that another thread learns sees it between two blocks."""

from __future__ import annotations

from threading import Condition, Lock, get_ident


class ModelLock:
    """A lock that readers share; a writer has it alone, and lets waiting readers in after each turn.

    Holders are known by their thread, and a thread never waits for itself.
    """

    def __init__(self) -> None:
        self._mutex = Lock()
        self._changed = Condition(self._mutex)
        self._writer = 0
        self._writers_waiting = 0
        self._readers: dict[int, int] = {}  # thread: how often it went in
        self._readers_waiting: set[int] = set()
        self.reading = Reading(self)
        self.writing = Writing(self)

    def start_reading(self) -> None:
        me = get_ident()
        with self._mutex:
            if (self._writer or self._writers_waiting) and not self._holds(me):
                self._readers_waiting.add(me)
                try:
                    self._changed.wait_for(lambda: me not in self._readers_waiting)
                except BaseException:  # an interrupt, perhaps of one who was let in just then
                    self._readers_waiting.discard(me)
                    self._leave(me)
                    raise
            else:
                self._readers[me] = self._readers.get(me, 0) + 1

    def stop_reading(self) -> None:
        with self._mutex:
            self._leave(get_ident())

    def start_writing(self) -> None:
        me = get_ident()
        with self._mutex:
            if (self._writer or self._readers) and not self._is_free_for(me):
                self._writers_waiting += 1
                try:
                    self._changed.wait_for(lambda: self._is_free_for(me))
                except BaseException:  # an interrupt: nobody else would let in who waits for us
                    if not self._writer:
                        self._let_readers_in()
                    raise
                finally:
                    self._writers_waiting -= 1
            self._writer = me

    def stop_writing(self) -> None:
        """Hand the lock to whoever waited to read: a writer that comes back at once waits for them."""
        with self._mutex:
            self._writer = 0
            if self._readers_waiting or self._writers_waiting:
                self._let_readers_in()

    def _let_readers_in(self) -> None:
        self._readers |= dict.fromkeys(self._readers_waiting, 1)
        self._readers_waiting.clear()
        self._changed.notify_all()

    def _leave(self, me: int) -> None:
        left = self._readers.pop(me, 1) - 1
        if left:
            self._readers[me] = left
        elif self._writers_waiting:
            self._changed.notify_all()

    def _holds(self, me: int) -> bool:
        return self._writer == me or me in self._readers

    def _is_free_for(self, me: int) -> bool:
        return self._writer in (0, me) and self._readers.keys() <= {me}


class Reading:
    """``with lock.reading:`` the model does not change."""

    def __init__(self, lock: ModelLock) -> None:
        self._lock = lock

    def __enter__(self) -> None:
        self._lock.start_reading()

    def __exit__(self, *reason: object) -> None:
        self._lock.stop_reading()


class Writing:
    """``with lock.writing:`` nobody reads the model."""

    def __init__(self, lock: ModelLock) -> None:
        self._lock = lock

    def __enter__(self) -> None:
        self._lock.start_writing()

    def __exit__(self, *reason: object) -> None:
        self._lock.stop_writing()
