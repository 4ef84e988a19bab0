"""One column of a table: numbers, booleans or dates as float64 with NaN for gaps, or coded words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

NUMBER, BOOLEAN, DATE, TEXT, CATEGORY = "number", "boolean", "date", "text", "category"
WORDS = (TEXT, CATEGORY)


class Column(NamedTuple):
    """The cells of a column, in one of five forms.

    "number", "boolean" and "date" hold float64 (booleans as 0 and 1, dates as days since 1970 in UTC), and
    NaN where there is a gap. "text" and "category" hold the number of each cell's word among `words`, and
    −1 where there is a gap; of a category the words are names even where they look like numbers.
    """

    form: str
    values: NDArray[Any]
    words: tuple[str, ...] = ()

    def taken(self, rows: Any) -> Column:
        """The cells of some rows: a slice, numbers of rows, or a mask."""
        values = self.values[rows]
        if self.form not in WORDS:
            return self._replace(values=values)
        # Words that are not there any more would gather as pieces are cut and joined.
        there = np.zeros(len(self.words) + 1, bool)
        there[values] = True
        there[-1] = False
        codes = np.cumsum(there, dtype=np.int32) - 1
        codes[-1] = -1
        words = tuple(self.words[code] for code in np.flatnonzero(there).tolist())
        return Column(self.form, codes[values], words)

    def in_order(self) -> Column:
        """The same cells with words numbered as they appear, whatever pieces the column was made of.

        >>> Column("text", np.array([2, 0, -1, 2]), ("a", "b", "c")).in_order()
        Column(form='text', values=array([ 0,  1, -1,  0], dtype=int32), words=('c', 'a'))
        """
        if self.form not in WORDS:
            return self
        there, first = np.unique(self.values[self.values >= 0], return_index=True)
        order = there[np.argsort(first)]
        codes = np.full(len(self.words) + 1, -1, np.int32)
        codes[order] = np.arange(len(order))
        return Column(self.form, codes[self.values], tuple(self.words[code] for code in order))

    def cell(self, row: int) -> Any:
        """One cell as a person would write it; None for a gap."""
        value = self.values[row]
        if self.form in WORDS:
            return self.words[value] if value >= 0 else None
        if np.isnan(value):
            return None
        if self.form == BOOLEAN:
            return bool(value)
        if self.form == DATE:
            return str(np.datetime64(round(value * 86400), "s"))
        return int(value) if value == np.floor(value) and abs(value) < 2**53 else float(value)


def coded(cells: Iterable[str | None], form: str = TEXT) -> Column:
    """A column of words; None is a gap.

    >>> coded(["b", " a", None, "b "])
    Column(form='text', values=array([ 0,  1, -1,  0], dtype=int32), words=('b', 'a'))
    """
    cells = list(cells)
    distinct = list(dict.fromkeys(cells))
    place = {word: number for number, word in enumerate(distinct)}
    codes = np.fromiter(map(place.__getitem__, cells), np.int32, len(cells))
    return stripped(codes, distinct, form)


def stripped(codes: NDArray[Any], words: Sequence[str | None], form: str = TEXT) -> Column:
    """A column of words without the blanks around them; words that are the same then are one."""
    words = list(words)
    if None not in words and [word.strip() for word in words if word is not None] == words:
        return Column(form, np.asarray(codes, np.int32), tuple(words))
    distinct: dict[str, int] = {}
    renamed = np.empty(len(words) + 1, np.int32)
    renamed[-1] = -1  # the code −1 stays what it is
    for number, word in enumerate(words):
        if word is None:
            renamed[number] = -1
        else:
            renamed[number] = distinct.setdefault(word.strip(), len(distinct))
    return Column(form, renamed[codes], tuple(distinct))


def as_words(column: Column) -> Column:
    """The same cells as words: 5 and 5.0 are both "5"."""
    if column.form in WORDS:
        return column
    gaps = np.isnan(column.values)
    distinct, codes = np.unique(column.values[~gaps], return_inverse=True)
    single = Column(column.form, distinct)
    words = tuple(str(single.cell(number)) for number in range(len(distinct)))
    values = np.full(len(column.values), -1, np.int32)
    values[~gaps] = codes
    return Column(TEXT, values, words)


def joined_columns(parts: Sequence[Column]) -> Column:
    """All the cells, one part after the other; parts of different forms become words."""
    if len(parts) == 1:
        return parts[0]
    forms = {part.form for part in parts}
    if len(forms) == 1 and parts[0].form not in WORDS:
        return Column(parts[0].form, np.concatenate([part.values for part in parts]))
    parts = [as_words(part) for part in parts]
    distinct: dict[str, int] = {}
    codes = []
    for part in parts:
        numbers = [distinct.setdefault(word, len(distinct)) for word in part.words]
        codes.append(np.array([*numbers, -1], np.int32)[part.values])
    form = CATEGORY if forms == {CATEGORY} else TEXT
    return Column(form, np.concatenate(codes), tuple(distinct))
