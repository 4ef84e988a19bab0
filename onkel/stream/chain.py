"""Streams in turn: all the rows of one, then those of the next; so several passes are one stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from onkel.stream.base import Mark, Marked, Resumable, Stream
from onkel.stream.opening import open_stream


def chained(streams: Sequence[Any]) -> Stream:
    """
    The chunks of several streams, one stream after the other.

    Parameters
    ----------
    streams : list of Stream
        The streams, or whatever `open_stream` opens; all must have the same columns. One that can be
        read again may stand in it several times.

    Returns
    -------
    Stream
        All the rows.

    Examples
    --------
    >>> from onkel.stream import shuffled
    >>> rows = open_stream(([[1.0], [2.0], [3.0]], [0, 1, 2]))
    >>> [y.tolist() for X, y in chained([rows, shuffled(rows, random_state=0)])]
    [[0, 1, 2], [2, 0, 1]]
    """
    return _Chained([open_stream(stream) for stream in streams])


class _Chained(Resumable):
    def __init__(self, streams: list[Stream]) -> None:
        if not streams:
            raise ValueError("streams must be a list of at least one stream, got none")
        self._streams = streams
        self._current = streams[0]
        self.rereadable = all(stream.rereadable for stream in streams)

    @property
    def name(self) -> str:  # type: ignore[override]
        return self._current.name

    @property
    def n_features(self) -> int | None:  # type: ignore[override]
        return self._current.n_features

    @property
    def feature_names(self) -> list[str] | None:  # type: ignore[override]
        return self._current.feature_names

    @property
    def skipped(self) -> int:  # type: ignore[override]
        """The malformed lines of the stream that is read now."""
        return self._current.skipped

    @property
    def guesses_width(self) -> bool:  # type: ignore[override]
        return self._current.guesses_width

    def settings(self) -> dict[str, Any]:
        return {"stream": "chained", "of": [stream.settings() for stream in self._streams]}

    def marked(self, start: Mark | None = None) -> Iterator[Marked]:
        number, inside = (0, None) if start is None else (start["number"], start["inside"])
        for place in range(number, len(self._streams)):
            self._current = self._streams[place]
            for chunk, mark in self._current.marked(inside):
                yield Marked(chunk, partial(_mark, place, mark))
            inside = None


def _mark(number: int, inside: Callable[[], Mark]) -> Mark:
    return {"number": number, "inside": inside()}
