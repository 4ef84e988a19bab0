"""Matrix products of one block are too small to share: several BLAS threads only wait for each other."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

#: A handful of rows runs on one thread anyway; asking for it would take longer than learning them.
WORTH_ASKING = 16


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def one_blas_thread(n_rows: int) -> AbstractContextManager[Any]:
    """Run matrix products on the calling thread alone while learning so many rows."""
    if n_rows < WORTH_ASKING:
        return nullcontext()
    return _controller().limit(limits=1, user_api="blas")
