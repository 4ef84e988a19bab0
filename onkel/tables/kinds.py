"""What kind of column this is, decided once by its first cells."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from onkel.tables.column import BOOLEAN, CATEGORY, DATE, NUMBER, TEXT, Column
from onkel.tables.dates import LARGEST_DATE, Dates
from onkel.tables.feature import Feature, Settings
from onkel.tables.numbers import Booleans, Numbers
from onkel.tables.places import Cells, Places
from onkel.tables.reading import Reading, notation_hint, read
from onkel.tables.words import Words

#: Fewer cells do not tell an identifier from chance.
LEAST_CELLS = 32
#: Words of which so many are distinct name the rows, and tell nothing of the next one.
DISTINCT = 0.95
#: What a user may say that a column is.
SAID = ("number", "word", "date", "boolean", "ignore")


class LeftOut(Feature):
    """A column that becomes nothing."""

    kind, reads, is_used = "identifier", "word", False

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name)
        self.reason = reason

    def room(self, settings: Settings) -> int:
        return 0

    def settle(self, reading: Reading, places: Places, settings: Settings) -> None:
        pass

    def learn(self, reading: Reading, places: Places, settings: Settings) -> None:
        pass

    def put(self, reading: Reading, cells: Cells) -> None:
        pass

    def summary(self) -> str:
        return f"left out: {self.reason}"


_SAID: dict[str, Callable[[str], Feature]] = {
    "number": Numbers, "word": Words, "date": Dates, "boolean": Booleans,
}  # fmt: skip


class Ignored(LeftOut):
    kind = "ignored"


class Empty(LeftOut):
    """A column of gaps, whose kind will be decided by the first block that has more."""

    kind, is_used = "empty", True

    def __init__(self, name: str) -> None:
        super().__init__(name, "there are only gaps so far")

    def room(self, settings: Settings) -> int:
        return max(Words(self.name).room(settings), LARGEST_DATE)


def feature_of(name: str, column: Column, missing: frozenset[str], said: str | None) -> Feature:
    """What the column will become; `said` is what the user says of it."""
    if said != "ignore" and read(column, "word", missing).gaps.all():
        return Empty(name)
    if said is not None:
        return feature_said(name, said)
    if column.form in (NUMBER, TEXT):
        numbers = read(column, "number", missing)
        if numbers.odd < 0:
            return _number_or_counter(name, numbers)
    if column.form in (DATE, TEXT) and _is(column, "date", missing):
        return Dates(name)
    if column.form in (BOOLEAN, TEXT) and _is(column, "boolean", missing):
        return Booleans(name)
    return Words(name) if column.form == CATEGORY else _word_or_name(name, column, missing)


def feature_said(name: str, said: str) -> Feature:
    """What a column becomes that is of this kind, as the user says."""
    return Ignored(name, "as asked for") if said == "ignore" else _SAID[said](name)


def _is(column: Column, kind: str, missing: frozenset[str]) -> bool:
    return read(column, kind, missing).odd < 0


def counts_the_rows(column: Column, missing: frozenset[str]) -> bool:
    """Whether the first cells of a column are numbers, each one more than that before."""
    if column.form not in (NUMBER, TEXT):
        return False
    numbers = read(column, "number", missing)
    return numbers.odd < 0 and _counts(numbers.values)


def _counts(values: NDArray[np.float64]) -> bool:
    return len(values) >= LEAST_CELLS and bool((np.diff(values) == 1).all())


def _number_or_counter(name: str, reading: Reading) -> Feature:
    values = reading.values
    if reading.gaps.all():  # infinity, for one
        return Empty(name)
    if _counts(values):
        return LeftOut(name, "it counts the rows")
    return Numbers(name)


def _word_or_name(name: str, column: Column, missing: frozenset[str]) -> Feature:
    reading = read(column, "word", missing)
    codes = reading.values[~reading.gaps]
    distinct = len(np.unique(codes))
    if len(codes) >= LEAST_CELLS and distinct > DISTINCT * len(codes):
        hint = notation_hint(reading.words[codes[0]])
        return LeftOut(name, f"{distinct} of its first {len(codes)} words are distinct{hint}")
    return Words(name)
