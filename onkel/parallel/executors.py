"""Executors that the caller brings: those of concurrent.futures, or the client of a dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, as_completed
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple


class Manners(NamedTuple):
    """How an executor wants to be asked."""

    submit: Callable[..., Any]  # a call; or, with None for a function, a value that calls may take
    completed: Callable[..., Any]  # futures as they get done
    cancel: Callable[..., Any]  # those that did not begin


def manners_of(executor: Any) -> Manners:
    """The manners of an executor; an error if it is none."""
    if isinstance(executor, Executor):

        def submit(function: Any, *arguments: Any) -> Any:
            return arguments[0] if function is None else executor.submit(function, *arguments)

        def cancel(futures: list[Future[Any]]) -> None:
            for future in futures:
                future.cancel()

        return Manners(submit, as_completed, cancel)
    if not all(hasattr(executor, name) for name in ("submit", "cancel", "scheduler_info")):
        raise TypeError(
            f"executor={executor!r} must be an executor of concurrent.futures or a client of dask.distributed"
        )
    import dask
    import dask.distributed

    def submit_to_cluster(function: Any, *arguments: Any) -> Any:
        # What travels is needed there: there is no warning to be given of its size.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
            return executor.submit(function or given, *arguments, pure=False)

    return Manners(submit_to_cluster, dask.distributed.as_completed, executor.cancel)


def given(value: Any) -> Any:
    """The value itself, as a task of its own: whoever needs it fetches it from there."""
    return value


_current: ContextVar[Manners | None] = ContextVar("executor", default=None)


@contextmanager
def helped_by(executor: Any) -> Iterator[None]:
    """Whoever learns here and now may give tasks to this executor, if it is not None."""
    before = _current.set(None if executor is None else manners_of(executor))
    try:
        yield
    finally:
        _current.reset(before)


def current_executor() -> Manners | None:
    """The executor that may be given tasks, if there is one."""
    return _current.get()
