"""The command line: labels as people write them, rows that have none, and the task that labels tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from onkel.cli.errors import Complaint
from onkel.stream.base import Chunk, Mark, Marked, Resumable, Stream, Wrapped
from onkel.stream.regrouping import regrouped
from onkel.tables.encoder import MISSING
from onkel.tables.reading import read_words

#: Rows of a chunk: pipelines learn whole blocks of so many best.
CHUNK_ROWS = 4096
#: Whole numbers of so many different values are taken for classes, however often each occurs.
FEW_CLASSES = 10
#: Of so many, if none of them is rare or neighbours are not alike: a quantity has rare values at its ends, and
#: becomes rare gradually.
MOST_CLASSES = 50
RARE = 0.1  # of the mean count
ALIKE = 0.5  # the correlation of neighbours' logarithmic counts
#: How often a class occurs at least, in the mean.
LEAST_COUNT = 3
WORDS = "they are words"
#: The guess of labels that are no classes: words that hardly ever come again, in so many rows or more.
UNCLEAR = "unclear"
LEAST_ROWS = 32
PLAIN_NUMBERS = (
    "numbers are read as 1234.5, without currency, thousands separators or decimal commas"
)


class Labelled(Resumable, Wrapped):
    """The rows of a table that have a label; those with a gap in its place are counted in `unlabelled`."""

    def __init__(self, source: Stream) -> None:
        super().__init__(source)
        self.unlabelled = 0

    def marked(self, start: Mark | None = None) -> Iterator[Marked]:
        if not self.rereadable:  # a slow pipe is not waited for
            yield from self._pieces(start)
            return
        for chunk, mark in regrouped(self._pieces, CHUNK_ROWS, start):
            yield Marked(chunk, mark)

    def _pieces(self, start: Mark | None) -> Iterator[Marked]:
        self.unlabelled = 0 if start is None else start["unlabelled"]
        for (X, y), mark in self.source.marked(None if start is None else start["source"]):
            gaps = is_gap(y)
            if gaps.any():
                self.unlabelled += int(gaps.sum())
                X, y = X[~gaps], y[~gaps]
            if len(y):
                yield Marked(Chunk(X, y), partial(_marked, mark, self.unlabelled))


def _marked(source: Callable[[], Mark], unlabelled: int) -> Mark:
    return {"source": source(), "unlabelled": unlabelled}


def is_gap(y: NDArray[Any]) -> NDArray[np.bool_]:
    """Which labels are none: NaN, or a word that stands for a gap in the columns too."""
    return np.isin(y, MISSING) if y.dtype.kind == "U" else np.isnan(y)


def as_numbers(words: Sequence[str]) -> NDArray[np.float64] | None:
    """What words say as numbers; None if one of them is not a finite number."""
    numbers, odd = read_words(words, "number", frozenset())
    return None if odd.any() or not np.isfinite(numbers).all() else numbers


class Guess(NamedTuple):
    """What the labels look like, and why."""

    task: str
    why: str


def guessed(counts: dict[Any, int]) -> Guess:
    """The task that labels, and how often each occurs, suggest.

    Words and two values are classes. So are few different whole numbers, each of which comes again and again, and
    not so few unless they look like a quantity: the ages of some animals, 1 to 29, become rare gradually towards
    the ends; the codes of 26 letters do not, nor do those of 23 kinds of attacks, of which some are rare. Words of
    which most are different, as prices in dollars or names of the rows, are unclear.

    >>> guessed({"yes": 3, "no": 9}).task, guessed({0.0: 1, 1.0: 2}).task, guessed({0.5: 9, 2.0: 9}).task
    ('classification', 'classification', 'regression')
    """
    values, times = list(counts), np.array(list(counts.values()))
    if any(isinstance(value, str) for value in values):
        if times.sum() >= LEAST_ROWS and len(values) > times.sum() / 2:
            what = f"{len(values):,} different words in {times.sum():,} rows, as {values[0]!r}"
            return Guess(UNCLEAR, f"{what}; {PLAIN_NUMBERS}")
        return Guess("classification", WORDS)
    if any(value != np.floor(value) for value in values):
        return Guess("regression", "not all are whole numbers")
    different = f"{len(values)} different whole numbers"
    if len(values) <= 2:
        return Guess("classification", different)
    if times.mean() < LEAST_COUNT or len(values) > MOST_CLASSES:
        return Guess("regression", f"{different} in {times.sum():,} rows")
    if len(values) > FEW_CLASSES and is_gradual(times[np.argsort(values)]):
        return Guess("regression", f"{different} that become rare gradually")
    return Guess("classification", different)


def clear(guess: Guess) -> Guess:
    """The guess, or a complaint that the labels are neither classes nor numbers."""
    if guess.task == UNCLEAR:
        raise Complaint(
            f"the labels are neither classes nor numbers: {guess.why}; if they are classes, --task classification"
        )
    return guess


def is_gradual(times: NDArray[np.int64]) -> bool:
    """Whether some of the values, of which these are the counts in order, are rare, and neighbours alike."""
    if times.min() >= RARE * times.mean():
        return False
    logs = np.log(times)
    return bool(np.corrcoef(logs[:-1], logs[1:])[0, 1] > ALIKE)


def numbers(y: Any) -> Any:
    """Targets of a regression, or a complaint."""
    if y.dtype.kind != "U":
        return y.astype(float)
    found = as_numbers(y.tolist())
    if found is None:
        raise no_number(next(label for label in y.tolist() if as_numbers([label]) is None))
    return found


def no_number(label: str) -> Complaint:
    """About a target of a regression."""
    return Complaint(
        f"regression needs numbers as targets, got {label!r}: {PLAIN_NUMBERS}; "
        f"for classes use --task classification"
    )


def as_classes(y: Any, classes: Any) -> Any:
    """Labels of the type of the classes."""
    if classes.dtype.kind == "U":
        return y if y.dtype.kind == "U" else np.array([label_text(label) for label in y.tolist()])
    if y.dtype.kind == "U":
        found = as_numbers(y.tolist())
        if found is None:
            return y  # for the learner to complain about
        y = found
    if classes.dtype.kind in "iu" and y.dtype.kind == "f":
        whole = y.astype(np.int64)
        return whole if (whole == y).all() else y
    return y


def label_text(label: Any) -> str:
    """A label as people write it: 1, not 1.0."""
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def shown_labels(labels: Sequence[Any], most: int = 10) -> str:
    """The first labels of a list, for people."""
    texts = [label_text(label) for label in labels]
    return ", ".join(texts[:most]) + (f", ... ({len(texts)} in all)" if len(texts) > most else "")
