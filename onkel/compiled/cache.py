"""A cache folder for machine code that cannot go stale.

Numba stores machine code by the file of the *outermost* function, so that an edit of a loss would
leave old code in the cache of the walk that calls it. Here the folder's name holds a hash of
every source file that machine code may come from: an edit of one is a new folder. It lies in the user's
cache (``ONKEL_CACHE``, else ``NUMBA_CACHE_DIR``, else ``~/.cache/onkel``), never in the source tree.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from functools import cache
from importlib.metadata import version
from pathlib import Path

FOLDERS_KEPT = 4
PACKAGE = Path(__file__).parents[1]
#: Rooms and files without compiled code, whose edits leave the machine code as it is.
PLAIN_ROOMS = (
    "__init__.py", "atomic.py", "cli", "dask", "datasets", "evaluate", "io", "plot", "report",
    "reproduce", "river", "stream", "tables",
)  # fmt: skip


def cache_home() -> Path:
    """The folder for everything that onkel may throw away and make again."""
    chosen = os.environ.get("ONKEL_CACHE") or os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "onkel"


def plain_compiling() -> bool:
    """Whether the user wants everything compiled in Numba's usual way."""
    return os.environ.get("ONKEL_PLAIN_COMPILING", "") not in ("", "0")


@cache
def cache_folder() -> Path:
    """The folder for machine code made from exactly these sources, in this way."""
    digest = hashlib.sha256(f"{version('numba')} {plain_compiling()}".encode())
    for source in sorted(PACKAGE.rglob("*.py")):
        place = source.relative_to(PACKAGE)
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
