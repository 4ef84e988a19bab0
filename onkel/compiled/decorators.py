"""How onkel compiles: what Python calls, what only compiled code calls, and what is inlined."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

import numba
from numba.core import config
from numba.core.caching import NullCache

from onkel.compiled.accelerator import NO_WRAPPERS, inner_options, outer_options, without_literals
from onkel.compiled.cache import cache_folder
from onkel.compiled.shared import Shared

#: What the compiler may assume. NaN and infinity keep their meaning; sums may be reordered.
FASTMATH = {"contract", "reassoc", "nsz", "arcp"}
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": FASTMATH}
OUTER_OPTIONS = OPTIONS | outer_options() | {"no_cfunc_wrapper": True}
INNER_OPTIONS = OPTIONS | inner_options() | NO_WRAPPERS


def jit(function: Callable[..., Any] | None = None, *, makes_arrays: bool = False) -> Any:
    """Compile a function of the package, its machine code kept on disk between processes.

    Only one that makes arrays counts references to them: to count them takes time to compile.
    """
    if function is None:
        return partial(jit, makes_arrays=makes_arrays)
    before = config.CACHE_DIR
    config.CACHE_DIR = str(cache_folder())
    try:
        return numba.njit(cache=True, _nrt=makes_arrays, **OUTER_OPTIONS)(function)
    finally:
        config.CACHE_DIR = before


def inner(function: Callable[..., Any] | None = None, *, makes_arrays: bool = False) -> Any:
    """Compile a function that only compiled code calls: it is kept as a part of its callers.

    As in :func:`jit`, one that makes arrays must say so. No function hands on an array it was given.
    """
    if function is None:
        return partial(inner, makes_arrays=makes_arrays)
    return without_literals(numba.njit(_nrt=makes_arrays, **INNER_OPTIONS)(function))


def inlined(function: Callable[..., Any]) -> Any:
    """The same for a large function with one caller, which would else be optimised twice."""
    return numba.njit(inline="always", _nrt=False, **OPTIONS)(function)


def direct(function: Any, *arguments: Any) -> Any:
    """The machine code for arguments of these types: a call of it does not look the types up again.

    It must get arguments of exactly these types. Looking them up takes longer than learning ten rows.
    """
    return function.compile(tuple(map(function.typeof_pyval, arguments)))


@cache
def without_disk(function: Any) -> Shared:
    """Compile this function afresh: for a user's parts, of whose edits no cache would know."""
    return Shared(lambda: uncached(function))


@contextmanager
def uncached(function: Any) -> Iterator[None]:
    kept = function._cache
    function._cache = NullCache()
    try:
        yield
    finally:
        function._cache = kept
