"""Model files: the zip of a JSON header and .npy arrays; written whole or not at all, read with care."""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from onkel.atomic import replaced
from onkel.io.errors import ModelFileError

HEADER = "header.json"
LARGEST_HEADER = 1 << 28
#: What the header of an .npy file may take up.
NPY_HEADER = 1 << 16
#: A fixed time: the same model gives the same file.
TIME = (1980, 1, 1, 0, 0, 0)


def write_archive(
    path: Path, header: dict[str, Any], arrays: dict[str, np.ndarray], compressed: bool = True
) -> None:
    """Write header and arrays beside the path, then put the file in its place at once."""
    with replaced(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        text = json.dumps(header, indent=1, allow_nan=False)
        archive.writestr(member(HEADER), text, compresslevel=1)
        for name, array in arrays.items():
            entry = member(name, compressed)
            with archive.open(
                entry, "w", force_zip64=array.nbytes > zipfile.ZIP64_LIMIT // 2
            ) as out:
                np.lib.format.write_array(out, array, allow_pickle=False)


def member(name: str, compressed: bool = True) -> zipfile.ZipInfo:
    """An entry of the zip, fit for reading by its owner and others."""
    entry = zipfile.ZipInfo(name, TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    entry.external_attr = 0o644 << 16
    return entry


class Archive:
    """An open model file: its header, and its arrays when asked for, each checked on the way."""

    def __init__(self, archive: zipfile.ZipFile, largest: int) -> None:
        self._archive = archive
        self._left = largest
        self._entries = {entry.filename: entry for entry in archive.infolist()}
        self._unread = set(self._entries) - {HEADER}

    def header(self) -> dict[str, Any]:
        """What the header says."""
        entry = self._entries.get(HEADER)
        if entry is None or entry.file_size > LARGEST_HEADER:
            raise ModelFileError("it is a zip file, but not one with a model's header")
        header = json.loads(self._archive.read(entry))
        if not isinstance(header, dict):
            raise ModelFileError("its header is no JSON object")
        return header

    def array(self, name: str, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
        """One array, if it is of the size, type and shape that the header declares."""
        entry = self._entries.get(name)
        if entry is None:
            raise ModelFileError(f"the array {name} is missing")
        size = math.prod(shape) * dtype.itemsize
        if not size < entry.file_size <= size + NPY_HEADER:
            raise ModelFileError(
                f"{name} unpacks to {entry.file_size} bytes where the header declares {size}"
            )
        self._left -= size
        if self._left < 0:
            raise ModelFileError(
                "its arrays unpack to more bytes than allowed; if you trust the file, raise "
                "the limit: load(path, largest=...)"
            )
        self._check_layout(name, dtype, shape)
        self._unread.discard(name)
        with self._archive.open(entry) as file:
            array = np.lib.format.read_array(file, allow_pickle=False)
            if file.read(1):
                raise ModelFileError(f"{name} is longer than its own header says")
        # written by a machine of the other byte order
        return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))

    def _check_layout(self, name: str, dtype: np.dtype, shape: tuple[int, ...]) -> None:
        """Compare before any memory is taken for the array."""
        with self._archive.open(name) as file:
            version = np.lib.format.read_magic(file)
            if version != (1, 0):
                raise ModelFileError(f"{name} is of .npy version {version}")
            found, _, kind = np.lib.format.read_array_header_1_0(file)
        if found != shape or kind != dtype:
            raise ModelFileError(
                f"{name} is {kind} of shape {found}, the header declares {dtype} of {shape}"
            )

    def check_all_read(self) -> None:
        """Refuse what the header does not know."""
        if self._unread:
            raise ModelFileError(
                f"it holds {sorted(self._unread)[0]}, which its header does not know"
            )


@contextmanager
def opened(path: Path, largest: int) -> Iterator[Archive]:
    """The model file at a path."""
    try:
        archive = zipfile.ZipFile(path)
    except zipfile.BadZipFile:
        raise ModelFileError(why_no_zip(path)) from None
    with archive:
        if len(archive.namelist()) != len(set(archive.namelist())):
            raise ModelFileError("it holds two entries of one name")
        yield Archive(archive, largest)


def why_no_zip(path: Path) -> str:
    """What is wrong with a file that is not even a zip."""
    with open(path, "rb") as file:
        start = file.read(4)
    if not start:
        return "it is empty"
    if start == b"PK\x03\x04":
        return "it is cut short or damaged"
    if start[:1] == b"\x80":
        return "it is a pickle, which is never opened: a pickle can run any code"
    return "it is not a file that onkel.io.save wrote"
