"""The command line: what a first look at the labels tells: the task and the classes.

Of a file all labels are read once, in bounded memory; of a table its other columns are not looked at. A pipe cannot
be read twice: its first rows, which are held back until then, have to do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from onkel.cli.errors import Complaint, misuse
from onkel.cli.labels import (
    Guess,
    Labelled,
    as_classes,
    as_numbers,
    clear,
    guessed,
    no_number,
    numbers,
    shown_labels,
)
from onkel.cli.learners import parse_classes
from onkel.cli.model import bytes_of
from onkel.cli.options import Source, Task
from onkel.cli.printing import counted_as
from onkel.stream.base import Mark, Marked, Resumable, Stream, Wrapped

#: More labels than this are not collected.
MOST_LABELS = 100_000
WARM_UP_ROWS = 4096


class Survey:
    """Counts of the labels seen so far."""

    def __init__(self) -> None:
        self.rows = 0
        self.counts: Counter[Any] = Counter()  # of labels as they are: words, or numbers
        self.odd: str | None = None  # the first label that is no number

    @property
    def is_text(self) -> bool:
        """Whether not all labels are numbers."""
        return self.odd is not None

    def look_at(self, y: np.ndarray) -> None:
        """Take some labels in."""
        if not len(y):
            return
        self.rows += len(y)
        labels, times = np.unique(y, return_counts=True)
        if len(self.counts) <= MOST_LABELS:
            self.counts.update(dict(zip(labels.tolist(), times.tolist())))
        if y.dtype.kind == "U" and not self.is_text and as_numbers(labels.tolist()) is None:
            self.odd = next(label for label in y.tolist() if as_numbers([label]) is None)

    def labels(self) -> dict[Any, int]:
        """How often each label occurs: words as such, else numbers."""
        if self.is_text or not any(isinstance(label, str) for label in self.counts):
            return dict(self.counts)
        found: Counter[float] = Counter()
        for label, times in self.counts.items():
            found[float(label)] += times
        return dict(found)

    def classes(self) -> np.ndarray:
        """All labels met, whole numbers as such."""
        labels = self.labels()
        if not self.is_text and any(label != np.floor(label) for label in labels):
            raise Complaint(
                "the labels are not whole numbers: use --task regression, or name the labels "
                "with --classes"
            )
        if len(labels) < 2:
            raise Complaint(
                f"classification needs at least two labels, the data has {shown_labels(list(labels))}"
                if labels
                else "there is no row in the data"
            )
        if len(labels) > MOST_LABELS:
            raise Complaint(
                f"there are more than {MOST_LABELS} different labels: too many for classes"
            )
        found = np.array(sorted(map(str, labels) if self.is_text else labels))
        return found if self.is_text else found.astype(np.int64)


class Surveyed(NamedTuple):
    """What is known after the first look, and the rows to learn."""

    task: str
    classes: Any  # None of a regression
    chunks: Stream
    rows: int | None  # of a pipe: unknown
    row_bytes: float
    guess: Guess | None  # None where the user said it

    def targets(self, y: Any) -> Any:
        """Labels of the type of the classes, or numbers."""
        return numbers(y) if self.classes is None else as_classes(y, self.classes)

    def plain(self) -> dict[str, Any]:
        """All of it but the rows, for a checkpoint."""
        guess = None if self.guess is None else list(self.guess)
        return self._asdict() | {"chunks": None, "guess": guess}

    @classmethod
    def of_plain(cls, plain: dict[str, Any], chunks: Stream) -> Surveyed:
        """What was known at a checkpoint, and the rows."""
        guess = None if plain["guess"] is None else Guess(*plain["guess"])
        return cls(**plain | {"chunks": chunks, "guess": guess})


class Begun(Resumable, Wrapped):
    """A pipe of which the first chunks have been looked at: all its rows, those included."""

    def __init__(self, source: Stream, held: list[Marked], rest: Iterator[Marked]) -> None:
        super().__init__(source)
        self._held, self._rest = held, rest

    def settings(self) -> dict[str, Any]:
        return self.source.settings()

    def marked(self, start: Mark | None = None) -> Iterator[Marked]:
        if start is not None:
            raise ValueError(f"{self.name} can be read only once, and has been begun already")
        while self._held:
            yield self._held.pop(0)
        yield from self._rest


def survey_data(
    source: Source,
    stream: Any,
    task: Task,
    classes: str | None,
    progress: Any,
    warm_up: int = WARM_UP_ROWS,
) -> Surveyed:
    """Look at the labels, as far as they can be read twice, and settle what is learned.

    Of a pipe it looks at the first `warm_up` rows.
    """
    declared = None if classes is None else parse_classes(classes)
    if declared is not None and task is Task.regression:
        raise misuse("--classes is for classification, but --task is regression")
    survey, chunks = Survey(), stream
    if stream.rereadable:
        for _, y in open_source(source, labels_only=True) if source.is_table else stream:
            survey.look_at(y)
            progress.survey(survey.rows)
    else:
        held, rest = _warmed_up(stream, survey, warm_up)
        chunks = Begun(stream, held, rest)
    if not survey.rows:
        raise nothing_in(source, stream)
    guess = clear(guessed(survey.labels())) if task is Task.auto and declared is None else None
    kind = guess.task if guess else "classification" if declared is not None else task.value
    rows = survey.rows if stream.rereadable else None
    size = row_bytes(next(iter(stream)) if stream.rereadable else held[0].chunk)
    if kind == "regression":
        if survey.odd is not None:
            raise no_number(survey.odd)
        return Surveyed(kind, None, chunks, rows, size, guess)
    found = survey.classes() if declared is None else declared
    if declared is None and not stream.rereadable:
        raise misuse(
            f"{source.name} cannot be read twice: name all labels with --classes (the first "
            f"rows have {shown_labels(found.tolist())}), or use --task regression"
        )
    return Surveyed(kind, found, chunks, rows, size, guess)


def row_bytes(chunk: Any) -> float:
    """The memory that a row takes up, by the first of them."""
    return bytes_of(chunk.X) / len(chunk.y)


def _warmed_up(stream: Stream, survey: Survey, rows: int) -> tuple[list[Marked], Iterator[Marked]]:
    """Look at the first rows of a pipe: these chunks, and those after them."""
    chunks = stream.marked()
    held = []
    for marked in chunks:
        held.append(marked)
        survey.look_at(marked.chunk.y)
        if survey.rows >= rows:
            break
    return held, chunks


def nothing_in(source: Source, stream: Any) -> Complaint:
    """Why there is no row: an empty source, or nothing but malformed lines, and the first reason."""
    from onkel.stream import MalformedError

    for _ in stream if stream.rereadable else ():  # counts what is left out
        pass
    if getattr(stream, "unlabelled", 0):
        return Complaint(
            f"{source.name}: no row has a label: the column {source.target!r} is all gaps"
        )
    if not stream.skipped:
        return Complaint(f"{source.name}: there is no row in it")
    what = f"{source.name}: no row is left, {counted_as(stream.skipped, 'malformed line')} left out"
    if stream.rereadable:
        try:
            next(iter(open_source(source._replace(skip=False))), None)
        except MalformedError as error:
            return Complaint(f"{what}; the first: {error}")
    return Complaint(what)


def open_source(source: Source, labels_only: bool = False) -> Any:
    """The stream that the options describe: numbers of svmlight, tables as they are."""
    if source.is_table:
        columns = [] if labels_only else source.columns
        ignore = [] if labels_only else source.ignore or []
        return Labelled(opened(source, labels="raw", columns=columns, ignore=ignore, raw=True))
    return opened(source)


def opened(source: Source, **options: Any) -> Any:
    """The source as a stream, with these options of `open_stream`."""
    from onkel.stream import open_stream

    if not source.is_pipe and not Path(source.file).exists():
        raise Complaint(f"{source.file}: there is no such file{_hint(source.file)}")
    only_labels = options.get("columns") == []
    stream = open_stream(
        source.file,
        target=source.target,
        format=None if source.format is None else source.format.value,
        n_features=None if only_labels else source.n_features,
        on_error="skip" if source.skip else "raise",
        **options,
    )
    if stream.guesses_width:
        raise misuse(
            f"{source.name} cannot be read twice: say how many features there are with --n-features"
        )
    return stream


def _hint(name: str) -> str:
    """Where the files of a data set are, if the name is one's."""
    from onkel.datasets import names

    return f"; for those of the data set: onkel datasets where {name}" if name in names() else ""
