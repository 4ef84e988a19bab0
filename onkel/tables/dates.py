"""Dates and times: a trend, and circles on which the last hour of a day is next to the first."""

from __future__ import annotations

import math

import numpy as np

from onkel.tables.feature import Feature, Settings
from onkel.tables.places import Cells, Places
from onkel.tables.reading import Reading
from onkel.tables.spread import Spread

YEAR, WEEK = 365.2425, 7.0  # days
LARGEST_DATE = 7  # columns


class Dates(Feature):
    """The trend, centred and scaled, and circles of the year, the week and, if there are times, the day."""

    kind, reads = "date", "date"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.spread, self.place = Spread(), -1
        self.circles: dict[str, float] = {}

    def room(self, settings: Settings) -> int:
        return 1 + 2 * len(self.circles)

    def settle(self, reading: Reading, places: Places, settings: Settings) -> None:
        self.circles = {"season": YEAR, "weekday": WEEK}
        days = reading.values[~reading.gaps]
        if (days != np.floor(days)).any():
            self.circles["hour"] = 1.0
        self.place = places.give(self.name, "_trend")
        for circle in self.circles:
            places.give(self.name, f"_{circle}_sin")
            places.give(self.name, f"_{circle}_cos")

    def learn(self, reading: Reading, places: Places, settings: Settings) -> None:
        self.spread.learn(reading.values[~reading.gaps])

    def put(self, reading: Reading, cells: Cells) -> None:
        trend = self.spread.scaled(reading)
        if trend is not None:
            cells.put(self.place, trend)
        days = reading.values
        for number, length in enumerate(self.circles.values()):
            angle = (2 * math.pi) * (days / length - np.floor(days / length))
            for turn, values in enumerate((np.sin(angle), np.cos(angle))):
                values[reading.gaps] = 0.0
                cells.put(self.place + 1 + 2 * number + turn, values)

    def summary(self) -> str:
        return f"trend, and circles of {', '.join(self.circles)}"
