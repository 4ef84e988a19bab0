"""How onkel compiles: two decorators, and a cache folder that cannot go stale.

Numba stores machine code by the file of the *outermost* function, so that an edit of a loss would
leave old code in the cache of the walk that calls it. Here the folder's name holds a hash of
every source file that machine code may come from: an edit of one is a new folder. It lies in the user's
cache (``ONKEL_CACHE``, else ``NUMBA_CACHE_DIR``, else ``~/.cache/onkel``), never in the source tree.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import numba
from numba.core import config
from numba.core.caching import NullCache

from onkel.compilers import NO_WRAPPERS, inner_options, outer_options, without_literals
from onkel.shared import Shared

#: What the compiler may assume. NaN and infinity keep their meaning; sums may be reordered.
FASTMATH = {"contract", "reassoc", "nsz", "arcp"}
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": FASTMATH}
OUTER_OPTIONS = OPTIONS | outer_options() | {"no_cfunc_wrapper": True}
INNER_OPTIONS = OPTIONS | inner_options() | NO_WRAPPERS
FOLDERS_KEPT = 4
#: Rooms and files without compiled code, whose edits leave the machine code as it is.
PLAIN_ROOMS = (
    "__init__.py", "cli", "datasets", "demo.py", "evaluate", "io", "report", "reproduce", "stream",
)  # fmt: skip


def cache_home() -> Path:
    """The folder for everything that onkel may throw away and make again."""
    chosen = os.environ.get("ONKEL_CACHE") or os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "onkel"


@cache
def cache_folder() -> Path:
    """The folder for machine code made from exactly these sources."""
    digest = hashlib.sha256(numba.__version__.encode())
    package = Path(__file__).parent
    for source in sorted(package.rglob("*.py")):
        place = source.relative_to(package)
        if place.parts[0] in PLAIN_ROOMS:
            continue
        digest.update(place.as_posix().encode())
        digest.update(source.read_bytes())
    home = cache_home() / "compiled"
    folder = home / digest.hexdigest()[:16]
    _forget_old_folders(home, folder)
    return folder


def _forget_old_folders(home: Path, current: Path) -> None:
    try:
        current.mkdir(parents=True, exist_ok=True)
        os.utime(current)
        folders = sorted(home.iterdir(), key=lambda f: f.stat().st_mtime, reverse=True)
    except OSError:
        return  # a read-only home: Numba then compiles without a cache or says what is wrong
    for old in folders[FOLDERS_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)


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


def merged(function: Callable[..., Any]) -> Any:
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
