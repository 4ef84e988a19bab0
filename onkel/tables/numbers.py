"""Numbers and booleans: one column each."""

from __future__ import annotations

import numpy as np

from onkel.tables.feature import Feature, Settings
from onkel.tables.places import Cells, Places
from onkel.tables.reading import Reading
from onkel.tables.spread import Spread


class Numbers(Feature):
    """One column: centred and scaled by what is known so far."""

    kind, reads = "number", "number"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.spread, self.place = Spread(), -1

    def room(self, settings: Settings) -> int:
        return 1

    def settle(self, reading: Reading, places: Places, settings: Settings) -> None:
        self.place = places.give(self.name)

    def learn(self, reading: Reading, places: Places, settings: Settings) -> None:
        self.spread.learn(reading.values[~reading.gaps])

    def put(self, reading: Reading, cells: Cells) -> None:
        scaled = self.spread.scaled(reading)
        if scaled is not None:
            cells.put(self.place, scaled)

    def summary(self) -> str:
        if not self.spread.deviation:
            return f"0: it is constant so far ({self.spread.mean:g})"
        return f"centred at {self.spread.mean:.4g}, in units of {self.spread.unit:.4g}"


class Booleans(Feature):
    """One column of 0 and 1; the share of ones for a gap."""

    kind, reads = "boolean", "boolean"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.count, self.ones, self.place = 0, 0, -1

    def room(self, settings: Settings) -> int:
        return 1

    def settle(self, reading: Reading, places: Places, settings: Settings) -> None:
        self.place = places.give(self.name)

    def learn(self, reading: Reading, places: Places, settings: Settings) -> None:
        self.count += int((~reading.gaps).sum())
        self.ones += int((reading.values == 1).sum())

    def put(self, reading: Reading, cells: Cells) -> None:
        share = self.ones / max(1, self.count)
        cells.put(self.place, np.where(reading.gaps, share, reading.values))

    def summary(self) -> str:
        return f"0 or 1; {self.ones / max(1, self.count):.1%} are true"
