"""One line of svmlight text, read strictly: either a row, or nothing, or what is wrong with it.

label [qid:number] index:value ... [# comment]

Indices count from 1 and ascend. Numbers are decimal, with or without an exponent; neither "nan" nor
"inf" is one. The block parser hands over the lines that it does not take itself.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INDEX = re.compile(rb"[0-9]+")
_QUERY = re.compile(rb"qid:[+-]?[0-9]+")
LARGEST_INDEX = 2**31 - 1  # what CSR holds in 32 bits


class Row(NamedTuple):
    """A label and its features; the indices count from 1 as in the text."""

    label: float
    indices: list[int]
    values: list[float]


class BadLineError(ValueError):
    """What is wrong with a line, without its number."""


def parse_line(line: bytes, n_features: int | None = None) -> Row | None:
    """The row of a line; None for a blank one and for a comment.

    >>> parse_line(b"-1 qid:7 2:0.5 9:1e-3 # seen twice")
    Row(label=-1.0, indices=[2, 9], values=[0.5, 0.001])
    >>> parse_line(b"1 3:1 2:1")
    Traceback (most recent call last):
    onkel.stream.svmlight_strict.BadLineError: index 2 follows index 3: indices must ascend
    """
    words = line.partition(b"#")[0].split()
    if not words:
        return None
    label = _number(words[0], "label")
    features = words[2:] if len(words) > 1 and _QUERY.fullmatch(words[1]) else words[1:]
    indices: list[int] = []
    values: list[float] = []
    last = 0
    for word in features:
        before, colon, after = word.partition(b":")
        if not colon:
            raise BadLineError(f"{shown(word)} is not of the form index:value")
        last = _index(before, last, n_features)
        indices.append(last)
        values.append(_number(after, f"value of feature {last}"))
    return Row(label, indices, values)


def _index(word: bytes, last: int, n_features: int | None) -> int:
    if not _INDEX.fullmatch(word):
        raise BadLineError(f"bad index {shown(word)}: a whole number from 1 on is needed")
    index = int(word[:20])
    if index == 0:
        raise BadLineError("index 0: the features of svmlight files count from 1")
    if index <= last:
        raise BadLineError(f"index {index} follows index {last}: indices must ascend")
    if index > LARGEST_INDEX:
        raise BadLineError(f"index {index} is larger than {LARGEST_INDEX}")
    if n_features is not None and index > n_features:
        raise BadLineError(
            f"feature index {index} is beyond the {n_features} features expected; "
            f"pass n_features={index} or more"
        )
    return index


def _number(word: bytes, what: str) -> float:
    # float() alone would take "nan", "infinity" and "1_000".
    if not NUMBER.fullmatch(word):
        raise BadLineError(f"bad {what}: {shown(word)} is not a finite number")
    number = float(word)
    if not math.isfinite(number):
        raise BadLineError(f"bad {what}: {shown(word)} is too large for a number")
    return number


def shown(word: bytes) -> str:
    text = word.decode("utf-8", "replace")
    return repr(text if len(text) <= 40 else text[:40] + "…")
