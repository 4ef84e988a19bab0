"""The race as curves: what every candidate lost of late, at places that get rarer as the stream gets longer."""

from __future__ import annotations

import numpy as np

from onkel.calibration.observer import Observer
from onkel.race.standings import ANSWERS, LEADER, RACING, SAID, Standings, mean_losses

#: Places that are kept: when there are so many, every second goes, and they come half as often.
MOST_PLACES = 256
#: Rows between two places at first.
FIRST_SPACING = 128


class Curves(Observer):
    """Places along the stream, and the losses there."""

    points: (
        np.ndarray
    )  # (places, 3 + candidates): row, leader, loss of the answers, losses (NaN: left)
    spacing: np.ndarray  # (1,)

    def __init__(self, n_candidates: int) -> None:
        points, spacing = np.zeros((0, 3 + n_candidates)), np.array([FIRST_SPACING])
        super().__init__(1.0, points=points, spacing=spacing)

    def note(self, standings: Standings) -> None:
        """Keep where the race stands, if it is at a place."""
        if standings.t % int(self.spacing[0]):
            return
        sums, losses = standings.sums, mean_losses(standings.table)
        losses[standings.table[:, RACING] == 0.0] = np.nan
        answer = sums[SAID] / max(sums[ANSWERS], 1e-300)
        points = np.vstack([self.points, [standings.t, sums[LEADER], answer, *losses]])
        if len(points) >= MOST_PLACES:
            points, self.spacing = points[1::2], 2 * self.spacing
        self.points = np.ascontiguousarray(points)
