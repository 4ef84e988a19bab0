"""Checks of a file: its checksum where known, else whether it is svmlight text of the right shape.

Files are read in chunks, so that neither a large file nor one that unpacks to far more than it should
fills the memory.
"""

import hashlib
from pathlib import Path

from onkel.datasets.registry import FileInfo
from onkel.stream import MalformedError, open_stream


class BrokenFileError(OSError):
    """A file that is not what it should be."""


def check(path: Path, expected: FileInfo, features: int) -> None:
    """Raise BrokenFileError unless `path` is the expected file.

    A known checksum decides alone. Otherwise the whole text must be svmlight with exactly the expected
    number of rows and no index above `features`.
    """
    if expected.sha256:
        digest = sha256(path)
        if digest != expected.sha256:
            raise BrokenFileError(f"its sha256 is {digest}, it should be {expected.sha256}")
        return
    rows = _count_rows(path, expected, features)
    if rows != expected.rows:
        raise BrokenFileError(f"it has {rows:,} rows, it should have {expected.rows:,}")


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _count_rows(path: Path, expected: FileInfo, features: int) -> int:
    rows = 0
    try:
        for chunk in open_stream(path, format="svmlight", n_features=features, labels="number"):
            rows += len(chunk.y)
            if rows > expected.rows:  # no need to unpack the rest, however much it is
                raise BrokenFileError(f"it has more than the {expected.rows:,} rows it should have")
    except MalformedError as error:
        place = f"line {error.line}: " if error.line else ""
        raise BrokenFileError(
            f"it is not the svmlight text expected: {place}{error.reason}"
        ) from error
    return rows
