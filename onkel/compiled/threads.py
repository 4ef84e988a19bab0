"""Matrix products of one block are too small to share: several BLAS threads only wait for each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

#: A handful of rows runs on one thread anyway; asking for it would take longer than learning them.
WORTH_ASKING = 16


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def one_blas_thread(n_rows: int) -> AbstractContextManager[Any]:
    """Run matrix products on the calling thread alone while learning so many rows."""
    return nullcontext() if n_rows < WORTH_ASKING else _limited()


_limits = Lock()


@contextmanager
def _limited() -> Iterator[None]:
    """The limit, if nobody has set it yet: who sets it must be the one to lift it."""
    if not _limits.acquire(blocking=False):
        yield
        return
    try:
        with _controller().limit(limits=1, user_api="blas"):
            yield
    finally:
        _limits.release()
