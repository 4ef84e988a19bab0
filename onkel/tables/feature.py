"""The contract of features: what one column of a table becomes.

A feature asks for its places when it is settled, and for more as it grows. It reads nothing itself: `learn` and `put`
get what `reading.read` made of the column.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

from onkel.tables.places import Cells, Places
from onkel.tables.reading import Reading


class Settings(NamedTuple):
    """What the features need to know of the encoder's parameters."""

    max_words: int
    min_count: int
    n_hashed: int


class Feature(ABC):
    """What one column of a table becomes."""

    kind: ClassVar[str] = ""
    reads: ClassVar[str] = ""  # the kind of cells, see `reading.read`

    is_used: ClassVar[bool] = True

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def room(self, settings: Settings) -> int:
        """The most places that it will ever need."""

    @abstractmethod
    def settle(self, reading: Reading, places: Places, settings: Settings) -> None:
        """Ask for the first places."""

    @abstractmethod
    def learn(self, reading: Reading, places: Places, settings: Settings) -> None:
        """Take a block of rows in."""

    @abstractmethod
    def put(self, reading: Reading, cells: Cells) -> None:
        """Encode rows."""

    @abstractmethod
    def summary(self) -> str:
        """What became of the column, in words."""
