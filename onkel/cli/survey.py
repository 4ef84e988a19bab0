"""The command line: what a first look at the data tells: its task, labels, width and scale.

A file is read once from end to end, in bounded memory. A pipe cannot be read twice: its first rows,
which are held back until then, have to do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from onkel.cli.errors import Complaint, misuse
from onkel.cli.learners import parse_classes
from onkel.cli.options import Scale, Source, Task
from onkel.cli.preprocessing import Preprocessing, shown_labels
from onkel.cli.printing import counted_as

#: Whole numbers of at most so many different values are taken for classes.
MOST_CLASSES = 50
#: More labels than this are not collected.
MOST_LABELS = 100_000
WARM_UP_ROWS = 4096


class Survey:
    """Counts and moments of the rows seen so far."""

    def __init__(self, scale: Scale) -> None:
        from onkel.stream import Scaler

        self.scaler = None if scale is Scale.none else Scaler(scale.value)
        self.rows = 0
        self.labels: set[Any] = set()
        self.is_text = False
        self.is_whole = True
        self.targets = Scaler("unit_variance")
        self.bytes = 0

    def look_at(self, X: Any, y: np.ndarray) -> None:
        """Take a chunk in."""
        self.rows += len(y)
        self.bytes += X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes
        if self.scaler is not None:
            self.scaler.learn(X)
        self.is_text = self.is_text or y.dtype.kind == "U"
        if (self.is_text or self.is_whole) and len(self.labels) <= MOST_LABELS:
            self.labels.update(np.unique(y).tolist())
        if self.is_text or not len(y):
            return
        self.is_whole = self.is_whole and bool((y == np.floor(y)).all())
        self.targets.learn(y[:, None])

    def task(self) -> str:
        """What the labels look like."""
        few = len(self.labels) <= MOST_CLASSES
        return "classification" if self.is_text or (self.is_whole and few) else "regression"

    def classes(self) -> np.ndarray:
        """All labels met, whole numbers as such."""
        if not self.is_text and not self.is_whole:
            raise Complaint(
                "the labels are not whole numbers: use --task regression, or name the labels "
                "with --classes"
            )
        if len(self.labels) < 2:
            raise Complaint(
                f"classification needs at least two labels, the data has {shown_labels(list(self.labels))}"
                if self.labels
                else "there is no row in the data"
            )
        if len(self.labels) > MOST_LABELS:
            raise Complaint(
                f"there are more than {MOST_LABELS} different labels: too many for classes"
            )
        found = np.array(sorted(self.labels))
        return found if self.is_text else found.astype(np.int64)


class Surveyed(NamedTuple):
    """What is known after the first look, and the rows to learn."""

    preprocessing: Preprocessing
    chunks: Iterable[Any]
    rows: int | None  # of a pipe: unknown
    row_bytes: float
    guessed: bool  # the task, from the labels


def survey_data(
    source: Source,
    stream: Any,
    scale: Scale,
    task: Task,
    classes: str | None,
    progress: Any,
    warm_up: int = WARM_UP_ROWS,
) -> Surveyed:
    """Look at the data, as far as it can be read twice, and settle how its rows are preprocessed.

    Of a pipe it looks at the first `warm_up` rows.
    """
    declared = None if classes is None else parse_classes(classes)
    if declared is not None and task is Task.regression:
        raise misuse("--classes is for classification, but --task is regression")
    survey, chunks = Survey(scale), stream
    if stream.rereadable:
        for X, y in stream:
            survey.look_at(X, y)
            progress.survey(survey.rows)
    else:
        chunks = _warmed_up(stream, survey, warm_up)
    if not survey.rows:
        raise nothing_in(source, stream)
    kind = survey.task() if task is Task.auto else task.value
    preprocessing = Preprocessing(
        "classification" if declared is not None else kind,
        scaler=survey.scaler,
        n_features=stream.n_features,
        feature_names=stream.feature_names,
        target=source.target,
    )
    if preprocessing.task == "classification":
        preprocessing.classes = survey.classes() if declared is None else declared
        if declared is None and not stream.rereadable:
            seen = shown_labels(preprocessing.classes.tolist())
            raise misuse(
                f"{source.name} cannot be read twice: name all labels with --classes (the first "
                f"rows have {seen}), or use --task regression"
            )
    else:
        standardise(preprocessing, survey)
    rows = survey.rows if stream.rereadable else None
    guessed = task is Task.auto and declared is None
    return Surveyed(preprocessing, chunks, rows, survey.bytes / survey.rows, guessed)


def standardise(preprocessing: Preprocessing, survey: Survey) -> None:
    """Targets of a regression to mean 0 and variance 1."""
    if survey.is_text:
        raise Complaint("regression needs numbers as targets, the data has text")
    mean, spread = survey.targets.means_and_spreads()
    preprocessing.target_mean = float(mean[0])
    preprocessing.target_spread = float(spread[0]) or 1.0  # of a constant target


def _warmed_up(stream: Any, survey: Survey, rows: int) -> Iterator[Any]:
    """Look at the first rows of a pipe; all its chunks, those rows included."""
    chunks = iter(stream)
    held = []
    for chunk in chunks:
        held.append(chunk)
        survey.look_at(chunk.X, chunk.y)
        if survey.rows >= rows:
            break
    return chain(held, chunks)


def nothing_in(source: Source, stream: Any) -> Complaint:
    """Why there is no row: an empty source, or nothing but malformed lines, and the first reason."""
    from onkel.stream import MalformedError

    if not stream.skipped:
        return Complaint(f"{source.name}: there is no row in it")
    what = f"{source.name}: no row is left, {counted_as(stream.skipped, 'malformed line')} left out"
    if stream.rereadable:
        try:
            next(iter(open_source(source._replace(skip=False))), None)
        except MalformedError as error:
            return Complaint(f"{what}; the first: {error}")
    return Complaint(what)


def open_source(source: Source, labels: str = "auto", columns: Sequence[str] | None = None) -> Any:
    """The stream that the options describe."""
    from onkel.stream import open_stream

    if not source.is_pipe and not Path(source.file).exists():
        raise Complaint(f"{source.file}: there is no such file{_hint(source.file)}")
    stream = open_stream(
        source.file,
        target=source.target,
        format=None if source.format is None else source.format.value,
        n_features=source.n_features,
        on_error="skip" if source.skip else "raise",
        labels=labels,
        columns=columns,
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
