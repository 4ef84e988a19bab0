"""Where a run is looked at."""

from itertools import islice

import numpy as np
import pytest

from onkel.evaluate.checkpoints import LONGEST, Stops, checkpoints, even_step, marks


@pytest.mark.parametrize("n", [1, 59, 60, 61, 150, 3000, 48_842, 1_000_003])
@pytest.mark.parametrize("points", [1, 2, 7, 60])
def test_few_rising_places_that_end_with_the_last_row(n, points):
    places = checkpoints(n, points)
    assert places[-1] == n and len(places) <= points
    assert np.diff([0] + places).min() > 0


def test_dense_at_first_then_even():
    steps = np.diff(checkpoints(100_000))
    assert steps[0] < 50 and (steps[-10:-1] == even_step(100_000, 60)).all()


def test_marks_hold_the_start_of_every_window():
    window = 700
    stops = list(marks(20_000, 60, window))
    assert stops == sorted(set(stops))
    for place in checkpoints(20_000):
        assert place in stops
        assert place <= window or place - window in stops


def test_marks_of_a_stream_never_end_and_are_never_far_apart():
    stops = list(islice(marks(None, 60, 10_000), 500))
    assert stops[0] == 100 and 1 <= np.diff(stops).min() and np.diff(stops).max() <= LONGEST


def test_stops_go_on_after_the_last_mark():
    stops = Stops(iter([100, 150, 40_000]), first=120)
    assert stops.after(0) == 120 and stops.after(120) == 150
    assert stops.after(150) == 150 + LONGEST and stops.after(150 + LONGEST) == 40_000
    assert stops.after(40_000) == 40_000 + LONGEST
