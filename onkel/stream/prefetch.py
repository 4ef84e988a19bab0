"""Reading ahead: a thread decompresses and parses the next chunks while the learner learns."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import Any

from onkel.stream.base import Mark, Marked, Resumable, Stream, Wrapped
from onkel.stream.opening import open_stream
from onkel.tables.choices import check_whole

_END = object()
# Seconds to wait for the reader's end. A chunk takes a small part of one; a pipe may be idle for ever.
_PATIENCE = 5.0
_PATIENCE_WITH_A_PIPE = 0.2


def prefetched(stream: Any, depth: int = 2) -> Stream:
    """Give the same chunks, of which a thread keeps some ready.

    An error of the source is raised where the chunk would have come. The thread ends with the loop, also
    when the loop is left early; only one that waits for an idle pipe stays until something comes, or the
    program ends.

    Parameters
    ----------
    stream : Stream
        The stream to read ahead, or anything that `open_stream` opens.
    depth : int, default=2
        At most so many chunks are kept ready.

    Returns
    -------
    Stream
        The same chunks.

    Examples
    --------
    >>> from onkel.stream import open_stream
    >>> ahead = prefetched(open_stream(([[1.0], [2.0]], [0, 1]), chunk_rows=1))
    >>> [y.tolist() for X, y in ahead]
    [[0], [1]]
    """
    return _Prefetched(open_stream(stream), check_whole("depth", depth, 1))


class _Prefetched(Resumable, Wrapped):
    def __init__(self, source: Stream, depth: int) -> None:
        super().__init__(source)
        self._depth = depth

    def settings(self) -> dict[str, Any]:
        return self.source.settings()  # reading ahead changes nothing

    def marked(self, start: Mark | None = None) -> Iterator[Marked]:
        # Each chunk brings its own mark along: that of what was given out, not of what was read ahead.
        ready: queue.Queue[Any] = queue.Queue(self._depth)
        stop = threading.Event()
        arguments = (self.source, start, ready, stop)
        thread = threading.Thread(target=_read, args=arguments, name="onkel-reader", daemon=True)
        thread.start()
        try:
            while (item := ready.get()) is not _END:
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            stop.set()
            while not ready.empty():  # a reader that waits for room finds it, and sees the stop
                ready.get_nowait()
            # A reader that hangs in an idle pipe must not hang the program: it ends with its pipe.
            thread.join(_PATIENCE if self.rereadable else _PATIENCE_WITH_A_PIPE)


def _read(
    source: Stream, start: Mark | None, ready: queue.Queue[Any], stop: threading.Event
) -> None:
    # A function, not a method: the thread holds no reference to the iterator, so that one which is
    # forgotten half-way is collected, and its thread stopped.
    chunks: Any = None
    try:
        chunks = source.marked(start)
        for chunk in chunks:
            if not _put(chunk, ready, stop):
                return
        _put(_END, ready, stop)
    except BaseException as error:
        _put(error, ready, stop)
    finally:
        if hasattr(chunks, "close"):
            chunks.close()  # files are closed in the thread that read them


def _put(item: Any, ready: queue.Queue[Any], stop: threading.Event) -> bool:
    while not stop.is_set():
        try:
            ready.put(item, timeout=0.1)
            return True
        except queue.Full:
            pass
    return False
