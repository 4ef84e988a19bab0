"""Scaled streams: a row is scaled by what was known before it came, whatever the chunks.

The first `warm_up` rows are held back, give the first scale, and are given out by it. From then on
the scale is renewed after every 512 rows, counted from the end of the warm-up: a fixed rhythm, so
that the same rows give the same numbers in chunks of any size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from onkel.stream.base import Chunk, Mark, Marked, Resumable, Stream, Wrapped, stacked
from onkel.stream.opening import open_stream
from onkel.stream.regrouping import regrouped
from onkel.tables.choices import check_choice, check_whole
from onkel.tables.scaler import Scaler

RENEWAL = 512
FITS = ("running", "warm_up", "first_pass")


def scaled(
    stream: Any,
    to: str = "unit_interval",
    *,
    warm_up: int = 1000,
    fit: str = "running",
    shift: bool | str = "auto",
    scaler: Scaler | None = None,
) -> ScaledStream:
    """Scale every column of a stream to [0, 1], [−1, 1] or mean 0 and variance 1.

    Parameters
    ----------
    stream : Stream
        The stream to scale, or anything that `open_stream` opens.
    to : {"unit_interval", "minus_one_one", "unit_variance"}, default="unit_interval"
        Where the values shall lie.
    warm_up : int, default=1000
        So many rows are held back for the first scale; all of them if there are fewer.
    fit : {"running", "warm_up", "first_pass"}, default="running"
        Whether the scale is learned on after the warm-up ("running"), not any more ("warm_up"), or
        from the whole stream, which is then read before ("first_pass").
    shift : bool or "auto", default="auto"
        Whether zeros may move. "auto" makes sparse rows of at most 1024 features dense and
        shifts them; wider ones stay sparse and are divided only.
    scaler : Scaler, default=None
        One that has learned, to be used as it is, e.g. for test rows.

    Returns
    -------
    ScaledStream
        The scaled rows; what was learned is in its attribute `scaler`, after a pass over it.

    Examples
    --------
    >>> from onkel.stream import open_stream
    >>> stream = scaled(open_stream(([[1.0], [3.0], [2.0]], [0, 1, 0])), warm_up=2)
    >>> [X.tolist() for X, y in stream]
    [[[0.0], [1.0], [0.5]]]
    """
    check_choice("fit", fit, FITS)
    stream = open_stream(stream)
    if fit == "first_pass" and scaler is None and not stream.rereadable:
        raise ValueError(f'fit="first_pass" reads twice, but {stream.name} can be read only once')
    return ScaledStream(stream, Scaler(to, shift), check_whole("warm_up", warm_up, 1), fit, scaler)


class ScaledStream(Resumable, Wrapped):
    """A stream whose columns are scaled; made by `scaled`.

    Parameters
    ----------
    source : Stream
        The rows as they are.
    empty : Scaler
        One that has not learned: it says to what rows are scaled, and whether zeros may move.
    warm_up : int
        So many rows are held back for the first scale.
    fit : {"running", "warm_up", "first_pass"}
        From which rows the scale is learned.
    given : Scaler or None
        One that has learned, to be used as it is.

    Attributes
    ----------
    scaler : Scaler
        What the last pass learned, or the one that was given.
    """

    def __init__(
        self, source: Stream, empty: Scaler, warm_up: int, fit: str, given: Scaler | None
    ) -> None:
        super().__init__(source)
        self._to, self._shift = empty.to, empty.shift
        self._warm_up, self._fit, self._given = warm_up, fit, given
        self.scaler = empty if given is None else given

    def settings(self) -> dict[str, Any]:
        given = None if self._given is None else self._given.count
        return {
            **super().settings(), "stream": "scaled", "to": self._to, "shift": self._shift, "warm_up": self._warm_up,
            "fit": self._fit, "rows known to the scaler": given,
        }  # fmt: skip

    def marked(self, start: Mark | None = None) -> Iterator[Marked]:
        if self._given is None:
            known = None if start is None else Scaler.from_state(start["scaler"])
            self.scaler = known or Scaler(self._to, self._shift)
            if self._fit != "first_pass":
                yield from self._learning(self.scaler, start)
                return
            if known is None:
                for chunk, _ in regrouped(self.source.marked, 8 * RENEWAL):
                    self.scaler.learn(chunk.X)
        state = self.scaler.state()
        for chunk, mark in self.source.marked(None if start is None else start["source"]):
            scaled_chunk = Chunk(self.scaler.transform(chunk.X), chunk.y)
            yield Marked(scaled_chunk, partial(_mark, mark, state))

    def _learning(self, scaler: Scaler, start: Mark | None) -> Iterator[Marked]:
        """Warm up, then scale each chunk by what the rows before it taught."""
        renewal = _Renewal(scaler, self._fit == "running")
        if start is None:
            chunks, warm = self._warmed_up(scaler), self._warm_up
        else:
            chunks, warm = self.source.marked(start["source"]), start["warm"]
            renewal.wait_for(start["waiting"])
        for chunk, mark in chunks:
            X = renewal.scale(scaler.laid_out(chunk.X), warm)
            warm = max(0, warm - len(chunk.y))
            # The list only grows until another one takes its place: its length tells what is in it now.
            waiting = renewal.waiting, len(renewal.waiting)
            here = partial(_mark, mark, renewal.known, *waiting, warm)
            yield Marked(Chunk(X, chunk.y), here)
        renewal.finish()

    def _warmed_up(self, scaler: Scaler) -> Iterator[Marked]:
        """All chunks, the first of them held back until they have taught the scaler."""
        chunks = self.source.marked()
        held: list[Marked] = []
        rows = 0
        for chunk, mark in chunks:
            held.append(Marked(Chunk(scaler.laid_out(chunk.X), chunk.y), mark))
            rows += len(chunk.y)
            if rows >= self._warm_up:
                break
        if held:
            scaler.learn(stacked([chunk.X for chunk, _ in held])[: self._warm_up])
        while held:  # which is perhaps large
            yield held.pop(0)
        yield from chunks


def _mark(
    source: Callable[[], Mark],
    scaler: dict[str, Any],
    waiting: Sequence[Any] = (),
    pieces: int = 0,
    warm: int = 0,
) -> Mark:
    # Of the rows that are held back a mark needs none: from the source's mark on they come again.
    rows = stacked(list(waiting[:pieces])) if pieces else None
    return {"source": source(), "scaler": scaler, "waiting": rows, "warm": warm}


class _Renewal:
    """Scales rows in order, and teaches the scaler a block as soon as it is complete."""

    def __init__(self, scaler: Scaler, running: bool) -> None:
        self.scaler, self.running = scaler, running
        self.waiting: list[Any] = []
        self.missing = RENEWAL  # rows until the block is complete
        self._known: dict[str, Any] | None = None

    @property
    def known(self) -> dict[str, Any]:
        """What the scaler knows; the same until it learns on."""
        if self._known is None:
            self._known = self.scaler.state()
        return self._known

    def wait_for(self, X: Any) -> None:
        """Take up the first rows of a block, which are scaled already."""
        if X is not None:
            self.waiting, self.missing = [X], RENEWAL - X.shape[0]

    def scale(self, X: Any, warm: int = 0) -> Any:
        """Scaled rows; the first `warm` of them are known to the scaler already."""
        if not self.running:
            return self.scaler.transform(X)
        start, parts = min(warm, X.shape[0]), []
        if start:
            parts.append(self.scaler.transform(X[:start]))
        while start < X.shape[0]:
            piece = X[start : start + self.missing]
            parts.append(self.scaler.transform(piece))
            self.waiting.append(piece)
            start += piece.shape[0]
            self.missing -= piece.shape[0]
            if not self.missing:
                self.finish()
        return stacked(parts)

    def finish(self) -> None:
        if self.waiting:
            self.scaler.learn(stacked(self.waiting))
        self.waiting, self.missing, self._known = [], RENEWAL, None
