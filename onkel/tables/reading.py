"""Cells read as numbers, dates, booleans or words: each distinct word of a column is read once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from onkel.tables.column import BOOLEAN, DATE, NUMBER, WORDS, Column, as_words

#: Numbers beyond this have no squares: they are gaps, as infinity is.
LARGEST = 1e100
_NUMBER = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?:nan|inf(?:inity)?)", re.I
)
_ISO_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
_BOOLEANS = {"true": 1.0, "false": 0.0}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Reading(NamedTuple):
    """A column as one kind of cells: values or codes, its gaps, and the first cell that is not of that kind."""

    values: NDArray[Any]  # float64 with NaN for gaps; of words their codes with −1
    gaps: NDArray[np.bool_]
    odd: int  # a row, or −1
    words: tuple[str, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether it can be cut and joined like a column of numbers."""
        return self.odd < 0 and not self.words

    def taken(self, rows: Any) -> Reading:
        """Some rows of a plain one."""
        return Reading(self.values[rows], self.gaps[rows], -1)

    @staticmethod
    def joined(parts: Sequence[Reading]) -> Reading:
        """All rows of plain ones, one part after the other."""
        values = np.concatenate([part.values for part in parts])
        return Reading(values, np.concatenate([part.gaps for part in parts]), -1)


def read(column: Column, kind: str, missing: frozenset[str]) -> Reading:
    """The column as "number", "date", "boolean" or "word"; odd cells become gaps."""
    if kind == "word":
        return _words(column, missing)
    if column.form in WORDS:
        values, odd = read_words(column.words, kind, missing)
        values, odd = np.append(values, np.nan)[column.values], np.append(odd, False)[column.values]
    else:
        values, odd = _typed(column, kind)
    first = int(odd.argmax()) if odd.any() else -1
    return Reading(values, np.isnan(values), first)


def _typed(column: Column, kind: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    values = column.values
    if kind == "date":
        fits = np.full(len(values), column.form == DATE)
    elif kind == "boolean":
        fits = (values == 0) | (values == 1)
    else:
        fits = np.full(len(values), column.form in (NUMBER, BOOLEAN))
    odd = ~fits & ~np.isnan(values)
    usable = fits & (np.abs(values) <= LARGEST)
    return (values if usable.all() else np.where(usable, values, np.nan)), odd


def _words(column: Column, missing: frozenset[str]) -> Reading:
    column = as_words(column)
    renamed = np.arange(-1, len(column.words), dtype=np.int32)  # from the code −1 on
    for number, word in enumerate(column.words):
        if word in missing:
            renamed[number + 1] = -1
    codes = renamed[column.values + 1]
    return Reading(codes, codes < 0, -1, column.words)


def read_words(
    words: Sequence[str], kind: str, missing: frozenset[str]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """What words stand for, NaN for gaps, and which are neither gaps nor of that kind.

    >>> values, odd = read_words(["12", "?", "-1e3", "twelve"], "number", frozenset("?"))
    >>> values.tolist(), odd.tolist()
    ([12.0, nan, -1000.0, nan], [False, False, False, True])
    """
    kept = [word not in missing for word in words]
    read = _READERS[kind]([word for word, keep in zip(words, kept) if keep])
    odd = np.zeros(len(words), bool)
    odd[kept] = [value is None for value in read]
    found = np.array(read, np.float64)  # None becomes NaN
    found[~(np.abs(found) <= LARGEST)] = np.nan
    values = np.full(len(words), np.nan)
    values[kept] = found
    return values, odd


def notation_hint(word: str) -> str:
    """How numbers and dates are read, if a word of a column looks like one of another notation.

    >>> notation_hint("1.234,50"), notation_hint("1234.5"), notation_hint("room 7")
    ("; numbers are read as 1234.5, dates as 2024-01-31, others, as '1.234,50', are words", '', '')
    """
    if _NUMBER.fullmatch(word) or _ISO_DATE.fullmatch(word):
        return ""
    if any(map(str.isalpha, word)) or not any(map(str.isdigit, word)):
        return ""
    return f"; numbers are read as 1234.5, dates as 2024-01-31, others, as {word!r}, are words"


def _numbers(words: list[str]) -> list[float | None]:
    text = "".join(words)
    if text.isascii() and "_" not in text:  # float() would take 1_000, and digits of other scripts
        try:
            return list(map(float, words))
        except ValueError:
            pass
    return [float(word) if _NUMBER.fullmatch(word) else None for word in words]


def _dates(words: list[str]) -> list[float | None]:
    return list(map(_date, words))


@lru_cache(maxsize=1 << 15)
def _date(word: str) -> float | None:
    if not _ISO_DATE.fullmatch(word):
        return None
    try:
        moment = datetime.fromisoformat(word)
    except ValueError:  # the 30th of February
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH).total_seconds() / 86400


def _booleans(words: list[str]) -> list[float | None]:
    return [_BOOLEANS.get(word.lower()) for word in words]


_READERS = {"number": _numbers, "date": _dates, "boolean": _booleans}
