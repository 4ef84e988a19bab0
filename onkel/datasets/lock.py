"""A lock between processes, so that two of them do not write one file."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

#: A byte that no file of ours has.
FAR_AWAY = 1 << 30

if sys.platform == "win32":
    import msvcrt
    import time

    def _acquire(descriptor: int) -> None:
        while True:
            try:
                return msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            except OSError:
                time.sleep(0.2)

    def _release(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

    def take(file: IO[bytes]) -> bool:
        """Take the lock of an open file until it is closed; False if another process has it."""
        place = file.tell()
        file.seek(FAR_AWAY)  # what is locked cannot be read by others, and nothing is there
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            file.seek(place)
        return True

else:
    import fcntl

    def _acquire(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)

    def _release(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)

    def take(file: IO[bytes]) -> bool:
        """Take the lock of an open file until it is closed; False if another process has it."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of the file `path`, which is made if need be and stays.

    The system releases it when a process dies, so no stale lock can remain.
    """
    with path.open("ab") as file:
        _acquire(file.fileno())
        try:
            yield
        finally:
            _release(file.fileno())
