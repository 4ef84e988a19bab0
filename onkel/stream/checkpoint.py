"""Long runs that survive: model and place in the stream are saved together, and taken up again.

A checkpoint is a model file (`onkel.io`) whose extras hold the place, what the run depends on, and the
user's notes. It is written whole beside the old one, and then takes its place.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from onkel.atomic import remove_leftovers
from onkel.stream.base import Chunk, Mark, Stream, Wrapped, known
from onkel.stream.interrupts import held_back
from onkel.stream.opening import open_stream
from onkel.stream.run_settings import differences, parameters_of, threads_of

KEY = "checkpoint"  # among the extras of the file


class CheckpointError(ValueError):
    """A checkpoint that cannot be gone on from: damaged, none at all, or that of another run."""


def checkpointed(
    stream: Any, model: Any, path: str | PathLike[str], every: float = 60.0
) -> Checkpointed:
    """
    The chunks of `stream`, while `model` and the place in the stream are saved in `path` now and then.

    Where `path` exists the run goes on from it: `model` gets what it had learned, and the chunks are
    those that it has not seen yet. After a crash, `kill -9` or Ctrl-C, run the same program again: it ends
    with the model that it would have had, to the last bit.

    The file is written when the run begins, after every `every` seconds, at the end, and at Ctrl-C (when
    the chunk is learned: a second Ctrl-C does not wait); always whole or not at all. `onkel.io.load`
    reads it as a model. Remove it to start anew.

    Parameters
    ----------
    stream : Stream
        The stream to learn from, or whatever `open_stream` opens. Shuffling and scaling are saved
        too. An iterator, or a pipe, must give the same rows once more: those that were learned are
        passed over.
    model : estimator
        A learner or pipeline that `onkel.io.save` can write. What a chunk teaches must be in it when
        the loop asks for the next one.
    path : str or path-like
        The checkpoint.
    every : float, default=60
        Seconds between two checkpoints; 0 saves after every chunk.

    Returns
    -------
    Checkpointed
        The stream. Its `notes` are a dict of plain values that are saved and come back, for what the
        loop itself counts; `resumed` tells whether there was a checkpoint.

    Raises
    ------
    CheckpointError
        The file is damaged, or the checkpoint of a run with other data or settings.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import make_moons
    >>> from onkel import FOGDClassifier
    >>> from onkel.stream import checkpointed, open_stream, shuffled
    >>> def learn(path, most=1000):
    ...     model = FOGDClassifier(n_components=20, random_state=0)
    ...     rows = open_stream(make_moons(1000, random_state=0), chunk_rows=100)
    ...     for X, y in checkpointed(shuffled(rows, random_state=0), model, path, every=0):
    ...         if model.partial_fit(X, y, classes=[0, 1]).t_ >= most:
    ...             break  # in place of a crash
    ...     return model
    >>> with TemporaryDirectory() as folder:
    ...     whole = learn(Path(folder) / "whole")
    ...     crashed = learn(Path(folder) / "parts", most=600).t_
    ...     parts = learn(Path(folder) / "parts")
    >>> crashed < parts.t_, bool((whole.coef_ == parts.coef_).all())
    (True, True)
    """
    if isinstance(every, bool) or not isinstance(every, (int, float)) or not every >= 0:
        raise ValueError(f"every must be a number of seconds of at least 0, got {every!r}")
    path = Path(path)
    kept = read_checkpoint(path) if path.exists() else None
    return Checkpointed(open_stream(stream), model, path, float(every), kept)


class Checkpoint(NamedTuple):
    """What a checkpoint holds."""

    model: Any
    settings: dict[str, Any]  # what the run depends on
    mark: Mark | None
    notes: dict[str, Any]


def read_checkpoint(path: Path) -> Checkpoint:
    """The checkpoint in a file, or a `CheckpointError`."""
    from onkel.io import ModelFileError, load_with_extras

    try:
        model, extras = load_with_extras(path)
    except ModelFileError as error:
        raise CheckpointError(f"{error} Remove it to start anew.") from None
    if KEY not in extras:
        raise CheckpointError(f"{path} is a model file, not a checkpoint: name another file.")
    return Checkpoint(model, **extras[KEY])


def check_same_run(path: Path, was: dict[str, Any], now: dict[str, Any]) -> None:
    """A `CheckpointError` if what a run depends on is not what it was."""
    found = differences(was, now)
    if found:
        raise CheckpointError(
            f"{path} is the checkpoint of another run: {'; '.join(found)}. Go on with the data and "
            f"settings of that run, or remove it to start anew."
        )


class Checkpointed(Wrapped):
    """
    A stream that saves how far a model has learned it; made by `checkpointed`.

    Parameters
    ----------
    source : Stream
        The rows.
    model : estimator
        The model; it gets what it had learned.
    path : Path
        The checkpoint.
    every : float
        Seconds between two checkpoints.
    kept : Checkpoint, optional
        The checkpoint to go on from; None begins anew.
    notes : dict, optional
        Plain values that are saved too, of a run that begins.
    """

    def __init__(
        self,
        source: Stream,
        model: Any,
        path: Path,
        every: float,
        kept: Checkpoint | None = None,
        notes: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(source)
        self.model, self.path, self.every = model, path, every
        self.notes: dict[str, Any] = {} if notes is None else notes
        self._settings = {"stream": source.settings(), "model": parameters_of(model)}
        self._mark: Callable[[], Mark | None] = partial(known, None)
        self.resumed = kept is not None
        remove_leftovers(path)  # of a run that was killed while it wrote
        if kept is None:
            self.save()  # what cannot be saved, or written there, says so now
        else:
            check_same_run(path, kept.settings, self._settings)
            threads = threads_of(model)
            model.__dict__ = kept.model.__dict__
            model.set_params(**threads)
            self.notes = kept.notes
            self._mark = partial(known, kept.mark)

    def __iter__(self) -> Iterator[Chunk]:
        saved = time.monotonic()
        chunks = self.source.marked(self._mark())
        while True:
            try:
                chunk, mark = next(chunks)
            except StopIteration:
                break
            except KeyboardInterrupt:  # all that was given out is learned
                self._stop()
            with held_back() as interrupted:
                yield chunk
                self._mark = mark
                if not interrupted and time.monotonic() - saved >= self.every:
                    self.save()
                    saved = time.monotonic()
            if interrupted:
                self._stop()
        self.save()

    def save(self) -> None:
        """Write a checkpoint now: of the model as it is, after the last chunk that was learned."""
        from onkel.io import save

        here = {"settings": self._settings, "mark": self._mark(), "notes": self.notes}
        save(self.model, self.path, {KEY: here}, compressed=False)

    def _stop(self) -> None:
        self.save()
        raise KeyboardInterrupt(f"what was learned is in {self.path}: run it again to go on there")
