"""A block of svmlight lines at once, by NumPy alone; every number is what float() makes of it.

A byte that is no digit is an event. Between two events lies a run of digits, perhaps an empty one.
Which event may follow which, with digits between them or without, is a table: it decides for all
gaps at once whether the text is an ordinary row, and lines with a gap that it does not know are
left to the strict parser. A run of up to eight digits is read as one 64-bit word, and three
multiplications make a number of it.

A number is digits · 10^exponent. Where the digits fit into 53 bits and the power of ten is at most
10²², both are exact and one division rounds once, as float() does. Longer ones are divided in
extended precision, where the processor has it, unless the quotient lies half-way between two
doubles: these, and whatever else is unusual, go through float() itself.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from onkel.stream.rows import Rows
from onkel.stream.svmlight_strict import LARGEST_INDEX

Ints = NDArray[np.int64]


# The kinds of events. _POWER_SIGN is the sign of an exponent: no point may follow it.
_LINE, _BLANK, _COLON, _SIGN, _POINT, _POWER, _POWER_SIGN, _OTHER = range(8)


def _kinds() -> NDArray[np.uint8]:
    kinds = np.full(256, _OTHER, np.uint8)
    for characters, kind in (
        (b"\n", _LINE), (b" \t\r", _BLANK), (b":", _COLON), (b"+-", _SIGN), (b".", _POINT),
        (b"eE", _POWER),
    ):  # fmt: skip
        kinds[list(characters)] = kind
    return kinds


def _grammar() -> NDArray[np.bool_]:
    """Whether an event of kind a, digits (1) or none (0), an event of kind b may follow in turn."""
    known = np.zeros((8, 2, 8), bool)
    after_number = [_LINE, _BLANK, _POINT, _POWER]
    known[_LINE, 1, after_number] = True  # a label
    known[_LINE, 0, [_SIGN, _POINT]] = True
    known[_BLANK, 1, _COLON] = True  # an index
    known[_BLANK, 0, [_BLANK, _LINE]] = True
    known[_COLON, 1, after_number] = True  # a value
    known[_COLON, 0, [_SIGN, _POINT]] = True
    known[_SIGN, 1, after_number] = True
    known[_SIGN, 0, _POINT] = True
    known[_POINT, 1, [_LINE, _BLANK, _POWER]] = True
    known[_POWER, 0, _POWER_SIGN] = True
    known[_POWER, 1, [_LINE, _BLANK]] = True
    known[_POWER_SIGN, 1, [_LINE, _BLANK]] = True
    return known.ravel()


_KINDS = _kinds()
_KNOWN = _grammar()
_PAD = b" " * 23 + b"\n"  # the words of the first digits reach back before the text
_KEEP = np.array([(2**64 - 1) ^ (2 ** (64 - 8 * n) - 1) for n in range(9)], np.uint64)
_TENS = 10 ** np.arange(20, dtype=np.uint64)
_EXACT_TENS = 10.0 ** np.arange(23)
_EXTENDED = np.finfo(np.longdouble).nmant == 63 and sys.byteorder == "little"
_EXTENDED_TENS = np.cumprod(np.array([1] + 27 * [10], np.longdouble))


def parse_block(text: bytes, n_features: int | None) -> tuple[Rows | None, Ints]:
    """The rows of whole lines, or None and the positions (from 0) of lines for the strict parser."""
    # Bytes without a final newline never come here: the reader of blocks sees to it.
    data = np.frombuffer(_PAD + text, np.uint8)
    events = np.flatnonzero((data[len(_PAD) - 1 :] - np.uint8(48)) > 9)
    events += len(_PAD) - 1
    characters = data[events]
    kinds = _KINDS[characters]
    lengths = np.diff(events)
    lengths -= 1
    if (kinds == _POWER).any():
        after_power = (kinds[:-1] == _POWER) & (lengths == 0) & (kinds[1:] == _SIGN)
        kinds[1:][after_power] = _POWER_SIGN
    known = _KNOWN[(kinds[:-1] << 4) | ((lengths > 0).view(np.uint8) << 3) | kinds[1:]]
    if not known.all():
        return None, _lines_of(np.flatnonzero(~known), kinds)
    return _rows(data, events, characters, kinds, lengths, n_features)


def _lines_of(gaps: Ints, kinds: NDArray[np.uint8]) -> Ints:
    """The lines, from 0 and each once, in which gaps lie."""
    ends = np.flatnonzero(kinds == _LINE)
    return np.unique(np.searchsorted(ends, gaps, side="right") - 1)


def _rows(
    data: NDArray[np.uint8],
    events: Ints,
    characters: NDArray[np.uint8],
    kinds: NDArray[np.uint8],
    lengths: Ints,
    n_features: int | None,
) -> tuple[Rows | None, Ints]:
    digits = _digits(data, events[1:], lengths)
    colons = kinds[1:] == _COLON
    index_gaps = np.flatnonzero(colons)
    # Each number has one gap with its whole part: after a line's start, a colon or a sign. (A gap
    # that ends in a sign is empty: the grammar knows no other.)
    begins = (kinds[:-1] == _LINE) | (kinds[:-1] == _COLON) | (kinds[:-1] == _SIGN)
    gaps = np.flatnonzero(begins & (kinds[1:] != _SIGN))
    signed = kinds[gaps] == _SIGN
    begin = gaps - signed
    is_label = kinds[begin] == _LINE
    numbers, bad = _numbers(data, events, characters, kinds, lengths, digits, gaps)

    places = np.flatnonzero(is_label)
    starts = np.append(places - np.arange(len(places)), len(index_gaps))
    indices = digits[index_gaps].astype(np.int64)
    bad_indices = (lengths[index_gaps] > 10) | (indices < 1)
    bad_indices |= indices > (LARGEST_INDEX if n_features is None else n_features)
    firsts = np.zeros(len(indices) + 1, bool)
    firsts[starts] = True
    bad_indices[1:] |= (indices[1:] <= indices[:-1]) & ~firsts[1:-1]
    if bad.any() or bad_indices.any():
        return None, _lines_of(np.union1d(gaps[bad], index_gaps[bad_indices]), kinds)
    indices -= 1
    rows = Rows(numbers[is_label], starts, indices.astype(np.int32), numbers[~is_label])
    return rows, np.empty(0, np.int64)


def _digits(data: NDArray[np.uint8], ends: Ints, lengths: Ints) -> NDArray[np.uint64]:
    """The runs of digits as whole numbers; those of more than 19 digits are meaningless."""
    words = np.ndarray((len(data) - 7,), "<u8", data, strides=(1,))  # eight bytes from anywhere on
    total = _eight_digits(words, ends - 8, np.minimum(lengths, 8))
    for done in (8, 16):
        longer = np.flatnonzero(lengths > done)
        if len(longer):
            left = np.minimum(lengths[longer] - done, 8 if done == 8 else 3)
            more = _eight_digits(words, ends[longer] - 8 - done, left)
            total[longer] += more * _TENS[done]
    return total


def _eight_digits(words: NDArray[np.uint64], at: Ints, count: Ints) -> NDArray[np.uint64]:
    """The number that the last `count` of eight bytes spell: pairs, then fours, then all eight."""
    word = words[at]
    word ^= np.uint64(0x3030303030303030)
    word &= _KEEP[count]
    high = word >> np.uint64(8)
    word *= np.uint64(10)
    word += high
    high = word >> np.uint64(16)
    word &= np.uint64(0x000000FF000000FF)
    high &= np.uint64(0x000000FF000000FF)
    word *= np.uint64(100 + (1000000 << 32))
    high *= np.uint64(1 + (10000 << 32))
    word += high
    word >>= np.uint64(32)
    return word


def _numbers(
    data: NDArray[np.uint8],
    events: Ints,
    characters: NDArray[np.uint8],
    kinds: NDArray[np.uint8],
    lengths: Ints,
    digits: NDArray[np.uint64],
    gaps: Ints,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The numbers whose whole parts lie in `gaps`, and which of them are not finite."""
    whole, width = digits[gaps], lengths[gaps]
    exponents = np.zeros(len(gaps), np.int64)
    after = gaps + 1  # the event after what was read of the number so far
    pointed = np.flatnonzero(kinds[after] == _POINT)
    if len(pointed):
        fractions = after[pointed]
        places = lengths[fractions]
        whole[pointed] = whole[pointed] * _TENS[np.minimum(places, 19)] + digits[fractions]
        exponents[pointed] = -places
        width[pointed] += places
        after[pointed] += 1
    powered = np.flatnonzero(kinds[after] == _POWER)
    hard = width > 19
    if len(powered):
        gap = after[powered]
        gap += kinds[gap + 1] == _POWER_SIGN
        power = np.minimum(digits[gap], 9999).astype(np.int64)
        power[lengths[gap] > 19] = 9999
        exponents[powered] += np.where(characters[gap] == 45, -power, power)
        after[powered] = gap + 1
    numbers, inexact = _scaled(whole, exponents, hard)
    begin = events[gaps]
    negative = characters[gaps] == 45
    np.negative(numbers, where=negative, out=numbers)
    for place in np.flatnonzero(inexact):
        word = data[begin[place] + 1 : events[after[place]]].tobytes()
        numbers[place] = -float(word) if negative[place] else float(word)
    return numbers, ~np.isfinite(numbers)


def _scaled(
    whole: NDArray[np.uint64], exponents: Ints, hard: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """whole · 10^exponents, rounded once; and where that could not be done."""
    numbers = whole.astype(np.float64)
    size = np.abs(exponents)
    if not size.any() and not hard.any() and not (whole >> np.uint64(53)).any():
        return numbers, hard
    tens = _EXACT_TENS[np.minimum(size, 22)]
    numbers = np.where(exponents > 0, numbers * tens, numbers / tens)
    inexact = hard | (size > 22) | (whole >> np.uint64(53) != 0)
    long = np.flatnonzero(inexact & ~hard & (exponents <= 0) & (size <= 27))
    if _EXTENDED and len(long):
        quotient = whole[long].astype(np.longdouble) / _EXTENDED_TENS[size[long]]
        # Rounding twice goes wrong only where the first rounding gives a half-way case.
        mantissa = quotient.view(np.uint64)[::2]
        numbers[long] = quotient
        inexact[long] = (mantissa & np.uint64(0x7FF)) == 0x400
    return numbers, inexact
