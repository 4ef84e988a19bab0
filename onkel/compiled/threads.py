"""Matrix products of one block are too small for BLAS to share: its threads only wait for each other."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from threading import Lock
from typing import Any

import threadpoolctl

#: A handful of rows runs on one thread anyway; asking for it would take longer than learning them.
WORTH_ASKING = 16


@cache
def _controller() -> threadpoolctl.ThreadpoolController:
    return threadpoolctl.ThreadpoolController()


def one_blas_thread(n_rows: int) -> AbstractContextManager[Any]:
    """Run matrix products on the calling thread alone while learning so many rows."""
    return nullcontext() if n_rows < WORTH_ASKING else _limited()


def let_any_thread_change_limits() -> None:
    """Newer versions of threadpoolctl listen to none but the thread that was the first to set one."""
    openblas = getattr(threadpoolctl, "OpenBLASController", None)
    forget = getattr(openblas, "clear_controlling_thread", None)
    if forget is not None:
        forget(force=True)


class _Limit:
    """The limit that holds for all threads of the process: the first to need it sets it, the last lifts it."""

    def __init__(self) -> None:
        self.lock, self.users = Lock(), 0
        self.limits: Any = None

    def enter(self) -> None:
        with self.lock:
            if self.users == 0 and self.limits is None:
                self.limits = _controller().limit(limits=1, user_api="blas")
            self.users += 1

    def leave(self) -> None:
        with self.lock:
            self.users -= 1
            if self.users == 0:
                let_any_thread_change_limits()
                self.limits.restore_original_limits()
                let_any_thread_change_limits()
                self.limits = None

    def start_anew(self) -> None:
        """In a child process nobody works yet. A limit that was set is lifted by the first who has worked."""
        self.lock, self.users = Lock(), 0


_limit = _Limit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_limit.start_anew)


@contextmanager
def _limited() -> Iterator[None]:
    _limit.enter()
    try:
        yield
    finally:
        _limit.leave()
