"""Files that are written whole or not at all."""

from __future__ import annotations

import glob
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """A file to write that takes the place of ``path`` when all went well, and only then.

    What is no file but a device or a pipe is written to as it is.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "note"
    ...     with replaced(path) as file:
    ...         _ = file.write(b"whole")
    ...     path.read_bytes(), len(list(Path(folder).iterdir()))
    (b'whole', 1)
    """
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: name a file in it to save to.")
    if path.exists() and not path.is_file():  # a device or a pipe, as /dev/null: never replaced
        with open(path, "wb") as file:
            yield file
        return
    goal = Path(os.path.realpath(path))  # a link keeps pointing where it did
    if not goal.parent.is_dir():
        raise FileNotFoundError(f"{goal.parent} does not exist: make the folder first.")
    beside = goal.with_name(f".{goal.name}.{secrets.token_hex(4)}.part")
    try:
        with open(beside, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, goal)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def remove_leftovers(path: Path) -> None:
    """Remove what processes left beside ``path`` that were killed while they wrote it."""
    goal = Path(os.path.realpath(path))
    for part in goal.parent.glob(f".{glob.escape(goal.name)}.{'[0-9a-f]' * 8}.part"):
        part.unlink(missing_ok=True)
