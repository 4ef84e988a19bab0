"""Bytes in bounded memory: plain, gzip, bzip2 and xz files and pipes, as blocks of whole lines."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import select
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from onkel.stream.base import MalformedError

BLOCK = 1 << 18  # small enough that what is made of a block stays in the processor's cache
LONGEST_LINE = 1 << 28
TRACE = 1 << 12  # bytes by which a place is known again
# Rows of a pipe wait for others so long: what it gives in that time is worth a chunk.
PATIENCE = 0.1  # seconds
_MARKS: dict[bytes, Callable[[Any], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
}
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_DAMAGE = (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile)


class Place(NamedTuple):
    """Somewhere between two lines of a source, and a trace of the bytes before, to know it again."""

    offset: int = 0  # of the decompressed bytes
    line: int = 1  # that comes next, counted from 1
    traced: int = 0  # so many bytes before the place have this checksum
    checksum: int = 0


class Lines(NamedTuple):
    """A block of whole lines, the number of its first line (counted from 1), and where it ends."""

    first: int
    text: bytes
    end: Place = Place()


class Source:
    """A path, "-" for standard input, or an open binary file: what a reader of text reads from."""

    def __init__(self, source: Any) -> None:
        self.source = source
        self.path: Path | None = None
        self.rereadable = False
        self.started = False
        self._pipe: int | None = None  # its descriptor while it is read
        self._given = 0.0  # when rows were last asked to go on
        if isinstance(source, (str, Path)) and str(source) == "-":
            self.name = "standard input"
        elif isinstance(source, (str, Path)):
            self.path = Path(source).expanduser()
            self.name = str(source)
            if not self.path.exists():
                raise FileNotFoundError(f"{self.name}: there is no such file")
            if self.path.is_dir():
                raise IsADirectoryError(f"{self.name} is a folder, not a file")
            self.rereadable = self.path.is_file()  # a named pipe is not
        else:
            self.name = str(getattr(source, "name", "open file"))

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """The decompressed bytes; a second time only where the source can be read again."""
        if self.started and not self.rereadable:
            raise ValueError(f"{self.name} can be read only once; open a file to read it again")
        self.started = True
        if self.path is not None:
            with self.path.open("rb") as file:
                self._watch(file)
                yield _decompressed(file)
        else:
            given = _standard_input() if self.source == "-" else self.source
            self._watch(given)
            yield _decompressed(given)

    def blocks(self, size: int = BLOCK, *, start: Place | None = None) -> Iterator[Lines]:
        """Blocks of whole lines, about `size` bytes each; the last line ends with a newline too.

        From a place on, if there is one: what lies before it is passed over.
        """
        with self.opened() as file:
            line, rest, first = 1, bytearray(), start is None
            place = start or Place()
            if start is not None:
                self._go_to(file, start)
                line = start.line
            while piece := self._read(file, max(size, len(rest)), line):
                if first and piece.startswith(_BYTE_ORDER_MARK):
                    piece = piece[len(_BYTE_ORDER_MARK) :]
                    place = Place(len(_BYTE_ORDER_MARK))
                first = False
                end = piece.rfind(b"\n") + 1
                if not end:
                    rest += piece
                    if len(rest) > LONGEST_LINE:
                        reason = f"longer than {LONGEST_LINE >> 20} MB; is this a text file?"
                        raise MalformedError(self.name, line, reason)
                    continue
                text = bytes(rest) + piece[:end] if rest else piece[:end]
                rest = bytearray(piece[end:])
                place = _after(place, text)
                yield Lines(line, text, place)
                line = place.line
            if rest:
                yield Lines(line, bytes(rest) + b"\n", _after(place, bytes(rest)))

    def _go_to(self, file: IO[bytes], place: Place) -> None:
        """Pass over all that lies before a place; a ValueError if that is not what it was."""
        before = place.offset - place.traced
        if self.rereadable and isinstance(file, io.BufferedReader):  # neither packed nor a pipe
            file.seek(before)
        else:
            for _ in self._pieces(file, before):
                pass
        trace = b"".join(self._pieces(file, place.traced))
        if len(trace) != place.traced or zlib.crc32(trace) != place.checksum:
            raise ValueError(
                f"{self.name} is not what it was when its place was marked: the {place.traced} bytes "
                f"before byte {place.offset:,} are others"
            )

    def _pieces(self, file: IO[bytes], size: int) -> Iterator[bytes]:
        """So many bytes, or as many as there are."""
        while size and (piece := self._read(file, min(size, BLOCK), 1)):
            size -= len(piece)
            yield piece

    def settings(self) -> dict[str, Any]:
        """What tells this source from others: a file's name, its size, and how it begins."""
        if not self.rereadable or self.path is None:
            return {"file": "a pipe"}
        with self.path.open("rb") as file:
            beginning = hashlib.sha256(file.read(BLOCK)).hexdigest()
        return {
            "file": self.path.name, "bytes": self.path.stat().st_size, "digest of its beginning": beginning[:16],
        }  # fmt: skip

    def pauses(self) -> bool:
        """Whether what was read should not wait for more: a pipe has nothing, and has had its time.

        Never true of a file, nor of a pipe that is busy.
        """
        if self._pipe is None:
            return False
        time_left = self._given + PATIENCE - time.monotonic()
        try:
            if select.select([self._pipe], [], [], max(0.0, time_left))[0]:
                return False
        except (OSError, ValueError):  # a system, or a number, that select is not for
            return False
        self._given = time.monotonic()
        return True

    def _watch(self, file: Any) -> None:
        # Of other kinds of files the descriptor may be silent while there is more in their buffers.
        plain = isinstance(getattr(file, "raw", file), io.FileIO)
        self._pipe = file.fileno() if plain and not self.rereadable else None
        self._given = time.monotonic()

    def _read(self, file: IO[bytes], size: int, line: int) -> bytes:
        try:  # a pipe gives what it has, so that a slow one is not waited for
            read = file.read if self.rereadable else getattr(file, "read1", file.read)
            return read(size) or b""
        except _DAMAGE as reason:
            raise self._damaged(reason, line) from reason
        except OSError as reason:
            if reason.errno is not None:  # the disk's trouble, not the data's
                raise
            raise self._damaged(reason, line) from reason

    def _damaged(self, reason: Exception, line: int) -> MalformedError:
        what = "is truncated" if isinstance(reason, EOFError) else "is damaged"
        return MalformedError(
            self.name,
            None,
            f"the compressed data {what} somewhere after line {line - 1} ({reason})",
        )


def _after(place: Place, text: bytes) -> Place:
    """Where a block ends that begins at a place."""
    trace = text[-TRACE:]
    lines = text.count(b"\n")
    return Place(place.offset + len(text), place.line + lines, len(trace), zlib.crc32(trace))


def _standard_input() -> Any:
    """Standard input with a buffer of our own: a reading thread must not hold the shared one."""
    try:
        return io.FileIO(sys.stdin.fileno(), closefd=False)
    except (AttributeError, OSError, ValueError):  # replaced by something that is no file
        return sys.stdin.buffer


def _decompressed(file: Any) -> IO[bytes]:
    """By the first bytes, not by the name: so a compressed pipe is understood as well."""
    if isinstance(file, io.TextIOBase):
        raise TypeError(f"{getattr(file, 'name', 'the file')} must be opened in binary mode")
    if isinstance(file, io.RawIOBase):
        file = io.BufferedReader(file, BLOCK)
    start = file.peek(8) if hasattr(file, "peek") else b""
    for mark, opener in _MARKS.items():
        if start.startswith(mark):
            return opener(file)
    return cast(IO[bytes], file)
