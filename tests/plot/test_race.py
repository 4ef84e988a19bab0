"""The race: the curves of all candidates, who left, and what the race answered."""

from __future__ import annotations

import numpy as np
import pytest

from onkel.plot import RaceDisplay
from onkel.plot.looks import COLOURS

ROWS = np.arange(1, 6) * 100
LOSS = np.array([[0.5, 0.4, 0.3]] * 5)
LOSS[2:, 0] = np.nan
NAMES = ["slow", "good", "best"]


def test_curves_crosses_and_the_answer() -> None:
    shown = RaceDisplay(ROWS, LOSS, LOSS[:, 2], NAMES).plot(named=2)
    assert shown.ranking == ["best", "good", "slow"] == list(shown.lines_)
    np.testing.assert_array_equal(shown.lines_["good"].get_ydata(), LOSS[:, 1])
    assert [line.get_color() for line in shown.lines_.values()][:2] == list(COLOURS[:2])
    assert shown.lines_["slow"].get_color() not in COLOURS
    (cross,) = shown.left_
    assert (cross.get_xdata()[0], cross.get_ydata()[0]) == (200, 0.5)
    texts = [text.get_text() for text in shown.ax_.get_legend().get_texts()]
    assert texts == ["best", "good", "the race's answer"]


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match=r"shape \(5, 3\), but there are 5 points of 2"):
        RaceDisplay(ROWS, LOSS, LOSS[:, 2], NAMES[:2])
