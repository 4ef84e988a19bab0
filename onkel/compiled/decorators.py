"""How onkel compiles: what Python calls, what only compiled code calls, and what is inlined."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numba
from numba.extending import overload

from onkel.compiled.cache import cache_folder, plain_compiling

#: What the compiler may assume. NaN and infinity keep their meaning; sums may be reordered.
FASTMATH = {"contract", "reassoc", "nsz", "arcp"}
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": FASTMATH}
#: Versions of Numba that the accelerator was tested with; with others nothing is accelerated.
ACCELERATED_VERSIONS = ("0.61.0", "0.68.1")


def is_accelerated() -> bool:
    """Whether onkel compiles quickly; ONKEL_PLAIN_COMPILING in the environment forbids it."""
    return numba.__version__ in ACCELERATED_VERSIONS and not plain_compiling()


def pipelines() -> tuple[dict[str, Any], dict[str, Any]]:
    """Options for a function that Python calls, and for one that only compiled code calls."""
    if not is_accelerated():
        return {}, {}
    from onkel.compiled.accelerator import InnerCompiler, OuterCompiler

    return {"pipeline_class": OuterCompiler}, {"pipeline_class": InnerCompiler}


OUTER_OPTIONS, INNER_OPTIONS = (OPTIONS | pipeline for pipeline in pipelines())


def jit(function: Callable[..., Any]) -> Any:
    """Compile a function of the package, its machine code kept on disk between processes."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder())
    try:
        return numba.njit(cache=True, **OUTER_OPTIONS)(function)
    finally:
        numba.config.CACHE_DIR = before


def inner(function: Callable[..., Any]) -> Any:
    """Compile a function that only compiled code calls: it is kept as a part of its callers."""
    return chosen_by_type(function, lambda *kinds: function)


def inlined(function: Callable[..., Any]) -> Any:
    """The same for a large function with one caller, which would else be optimised twice."""
    return numba.njit(inline="always", **OPTIONS)(function)


def chosen_by_type(function: Callable[..., Any], choose: Callable[..., Any]) -> Any:
    """Let compiled code that calls this function run what is chosen for the types of its arguments."""

    signature = inspect.signature(function)

    def implementation(*kinds: Any, **named: Any) -> Any:
        return choose(*signature.bind(*kinds, **named).args)

    implementation.__signature__ = signature  # type: ignore[attr-defined]
    overload(function, strict=False, jit_options=INNER_OPTIONS)(implementation)
    return function


@cache
def without_disk(function: Any) -> Any:
    """The same function compiled afresh: for a user's parts, of whose edits no cache would know."""
    return numba.njit(**OUTER_OPTIONS)(function.py_func)


def direct(function: Any, *arguments: Any) -> Any:
    """The machine code for arguments of these types: a call of it does not look the types up again.

    It must get arguments of exactly these types, for which the function was called before. Looking
    them up takes longer than learning ten rows.
    """
    look_up = getattr(function, "get_overload", None)
    if look_up is None:  # it is machine code already, or Numba has no such method
        return function
    try:
        return look_up(tuple(map(numba.typeof, arguments)))
    except LookupError:
        return function
