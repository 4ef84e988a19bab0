"""Transfer of one file over HTTP: resumed where it stopped, with few and bounded retries.

The bytes go to a `.part` file. Beside it, a `.part.json` keeps what tells whether the server still has
the same file: the address, its strong ETag or else its date, and the length.
"""

import http.client
import json
import re
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, NamedTuple

#: Called with the file's name, the bytes that are there, and all its bytes if the server tells.
OnProgress = Callable[[str, int, int | None], None]

TIMEOUT = 30.0
ATTEMPTS = 4
PAUSE = 1.0
_BLOCK = 1 << 16
_WORTH_A_RETRY = (408, 425, 429)


class TransferError(OSError):
    """A transfer that failed; a second try may go on from the `.part` file."""


class NotThereError(TransferError):
    """The server answers, and has no such file."""


class _Begun(NamedTuple):
    """What is known of a transfer that has begun."""

    url: str
    validator: str | None
    total: int | None


def transfer(url: str, part: Path, on_progress: OnProgress | None = None) -> bool:
    """Bring the whole of `url` into the file `part`; True if it went on from bytes of earlier times.

    A lost connection, a time-out or a server's error is tried again, at most `ATTEMPTS` times in
    all, and the transfer goes on where it stopped.
    """
    resumed = _usable_bytes(url, part) > 0
    failure: Exception | None = None
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(PAUSE * 2 ** (attempt - 1))
        try:
            _attempt(url, part, on_progress)
            return resumed
        except TransferError:
            raise
        except urllib.error.HTTPError as error:
            error.close()
            if error.code in (404, 410):
                raise NotThereError(f"{url}: the server has no such file") from error
            if error.code < 500 and error.code not in _WORTH_A_RETRY:
                raise TransferError(f"{url}: the server answers {error.code}") from error
            failure = error
        except (OSError, http.client.HTTPException) as error:
            if isinstance(getattr(error, "reason", None), socket.gaierror):  # offline: do not wait
                raise TransferError(f"{url}: {_reason(error)}") from error
            failure = error
    raise TransferError(f"{url}: {_reason(failure)} ({ATTEMPTS} attempts)") from failure


def forget(part: Path) -> None:
    """Remove a `.part` file and what is kept beside it."""
    part.unlink(missing_ok=True)
    _beside(part).unlink(missing_ok=True)


def unwritable(part: Path, error: OSError) -> TransferError:
    """The error for a file that cannot be written, with a way out."""
    return TransferError(
        f"cannot write {part}: {error.strerror or error}; the environment variable ONKEL_CACHE "
        "names another folder for downloads"
    )


def _attempt(url: str, part: Path, on_progress: OnProgress | None) -> None:
    begun = _begun(part)
    have = _usable_bytes(url, part)
    if have and begun and have == begun.total:
        return  # only the check was missing
    headers = {"Accept-Encoding": "identity", "User-Agent": "onkel"}
    if have and begun:
        headers["Range"] = f"bytes={have}-"
        if begun.validator:
            headers["If-Range"] = begun.validator
    try:
        response = urllib.request.urlopen(
            urllib.request.Request(url, headers=headers), timeout=TIMEOUT
        )
    except urllib.error.HTTPError as error:
        if error.code == 416:  # the file is shorter than what we have: begin anew
            error.close()
            forget(part)
            raise ConnectionError("the server's file has changed") from error
        raise
    with response:
        start, total = _extent(response, have, begun, part)
        with _opened(url, part, start, total, response) as file:
            done = _copy(response, file, start, total, part, on_progress)
    if total is not None and done != total:
        raise ConnectionError(f"the connection was lost after {done:,} of {total:,} bytes")


def _extent(response: Any, have: int, begun: _Begun | None, part: Path) -> tuple[int, int | None]:
    """From which byte on the server sends, and the length of the whole file."""
    if response.status != 206:  # the whole file: no Range was asked for, or it does not count
        length = response.headers.get("Content-Length")
        return 0, int(length) if length and length.isdigit() else None
    match = re.fullmatch(
        r"bytes (\d+)-\d+/(\d+)", response.headers.get("Content-Range", "").strip()
    )
    start, total = (int(match[1]), int(match[2])) if match else (-1, -1)
    if start != have or begun is None or begun.total not in (None, total):
        forget(part)
        raise ConnectionError("the server's file has changed")
    return start, total


def _opened(url: str, part: Path, start: int, total: int | None, response: Any) -> IO[bytes]:
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        if start == 0:
            # Before the first byte: a note that is older than the bytes could join two files.
            part.unlink(missing_ok=True)
            begun = _Begun(url, _validator(response), total)
            _beside(part).write_text(json.dumps(begun._asdict()), encoding="utf-8")
        return part.open("ab")
    except OSError as error:
        raise unwritable(part, error) from error


def _copy(
    response: Any,
    file: IO[bytes],
    done: int,
    total: int | None,
    part: Path,
    on_progress: OnProgress | None,
) -> int:
    name = part.name.removesuffix(".part")
    while block := response.read(_BLOCK):
        try:
            file.write(block)
        except OSError as error:
            raise unwritable(part, error) from error
        done += len(block)
        if on_progress:
            on_progress(name, done, total)
    return done


def _usable_bytes(url: str, part: Path) -> int:
    """How much of an earlier transfer can be gone on with: none if nothing tells that it fits."""
    begun = _begun(part)
    if begun is None or begun.url != url or (begun.validator is None and begun.total is None):
        return 0
    try:
        size = part.stat().st_size
    except OSError:
        return 0
    return size if begun.total is None or size <= begun.total else 0


def _begun(part: Path) -> _Begun | None:
    try:
        return _Begun(**json.loads(_beside(part).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _beside(part: Path) -> Path:
    return part.with_name(part.name + ".json")


def _validator(response: Any) -> str | None:
    """What `If-Range` may hold: a strong ETag, or a date."""
    tag = response.headers.get("ETag")
    if tag and not tag.startswith("W/"):
        return str(tag)
    return response.headers.get("Last-Modified") or None


def _reason(failure: Exception | None) -> str:
    reason = getattr(failure, "reason", None) or failure
    return str(reason) or type(failure).__name__
