"""Words: indicator columns that grow as words appear, in bounded number and memory."""

from __future__ import annotations

from zlib import crc32

import numpy as np

from onkel.tables.feature import Feature, Settings
from onkel.tables.places import Cells, Places
from onkel.tables.reading import Reading, notation_hint

#: Words that are counted before they have columns, as a multiple of the columns there may be.
COUNTED = 16


class Words(Feature):
    """A column for each frequent word, one that rare words share; hashed columns beyond a cap."""

    kind, reads = "word", "word"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.own: dict[str, int] = {}
        self.counts: dict[str, int] | None = {}  # of rare words; None when they are hashed
        self.rare, self.hashed, self.n_hashed = -1, -1, 0

    def room(self, settings: Settings) -> int:
        return settings.max_words + 1 + settings.n_hashed

    def settle(self, reading: Reading, places: Places, settings: Settings) -> None:
        self.rare = places.give(self.name, "=<rare>")

    def learn(self, reading: Reading, places: Places, settings: Settings) -> None:
        if self.counts is None:
            return
        for code, times in counted(reading):
            word = reading.words[code]
            if word in self.own:
                continue
            seen = self.counts.pop(word, 0) + times
            if seen < settings.min_count:
                self.counts[word] = seen
            elif len(self.own) < settings.max_words:
                self.own[word] = places.give(self.name, f"={word}")
            else:
                self._hash(places, settings)
                return
        if len(self.counts) > COUNTED * settings.max_words:
            self._hash(places, settings)

    def _hash(self, places: Places, settings: Settings) -> None:
        """Words without a column of their own are summary apart by a hash, and need no counting."""
        self.counts, self.n_hashed = None, settings.n_hashed
        self.hashed = len(places.names)
        for number in range(settings.n_hashed):
            places.give(self.name, f"#{number}")

    def put(self, reading: Reading, cells: Cells) -> None:
        own = self.own
        if self.counts is not None:
            places = [own.get(word, self.rare) for word in reading.words]
        else:
            places = [
                own[word] if word in own else self._hashed_place(word) for word in reading.words
            ]
        cells.mark(np.array([*places, -1], np.int32)[reading.values])

    def _hashed_place(self, word: str) -> int:
        return self.hashed + crc32(word.encode()) % self.n_hashed

    def summary(self) -> str:
        words = f"{len(self.own)} words have a column"
        if self.counts is None:
            return f"{words}, all others are hashed into {self.n_hashed}"
        hint = notation_hint(next(iter(self.counts))) if len(self.counts) > len(self.own) else ""
        return f"{words}, {len(self.counts)} rare ones share one{hint}"


def counted(reading: Reading) -> list[tuple[int, int]]:
    """The codes that occur, in the order in which they appear, and how often each does."""
    codes = reading.values[~reading.gaps]
    times = np.bincount(codes, minlength=len(reading.words))
    first = np.full(len(reading.words), len(codes))
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    order = np.argsort(first, kind="stable")[: np.count_nonzero(times)]
    return list(zip(order.tolist(), times[order].tolist()))
