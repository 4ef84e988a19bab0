"""ADWIN: the compiled one equals its twin after every number, finds what river's finds, and costs little memory."""

import pickle

import numpy as np
import pytest

from onkel.drift import Adwin
from tests.reference.adwin import AdwinTwin

ROWS = 1500


def numbers(kind: str) -> np.ndarray:
    random = np.random.default_rng(1)
    late = np.arange(ROWS) >= ROWS // 2
    if kind == "mistakes":
        return (random.random(ROWS) < np.where(late, 0.5, 0.2)).astype(float)
    if kind == "fewer mistakes":
        return (random.random(ROWS) < np.where(late, 0.1, 0.5)).astype(float)
    if kind == "slow":
        return random.normal(np.linspace(0, 2, ROWS), 1.0)
    return np.abs(random.standard_normal(ROWS))


@pytest.mark.parametrize("kind", ["mistakes", "fewer mistakes", "slow", "still"])
def test_equals_its_twin_after_every_number(kind: str) -> None:
    fast, slow = Adwin(0.002, 0.05), AdwinTwin(0.002, 0.05)
    drifts = 0
    for row, x in enumerate(numbers(kind), start=1):
        fast.update(x)
        slow.update(x)
        found = fast.drift_detected, fast.warning_detected, fast.width
        assert found == (slow.drift, slow.warning, len(slow.numbers)), f"after number {row}"
        assert fast.mean == pytest.approx(np.mean(slow.numbers), rel=1e-9)
        drifts += fast.drift_detected
    assert (drifts > 0) == (kind != "still")


@pytest.mark.parametrize("sizes", [(1, 7, 300, 1192), (ROWS,)])
def test_pieces_stop_where_something_happens(sizes: tuple[int, ...]) -> None:
    values, one_by_one, in_pieces = numbers("mistakes"), Adwin(), Adwin()
    expected = []
    for row, x in enumerate(values, start=1):
        one_by_one.update(x)
        if one_by_one.warning_detected:
            expected.append((row, one_by_one.drift_detected))
    found, position = [], 0
    for stop in np.cumsum(sizes).tolist():
        while position < stop:
            position += in_pieces.update_until(values[position:stop])
            if in_pieces.warning_detected:
                found.append((position, in_pieces.drift_detected))
    assert found == expected and any(drift for _, drift in expected)


def test_finds_a_change_as_soon_as_river_does() -> None:
    river = pytest.importorskip("river.drift")
    for seed in range(5):
        random = np.random.default_rng(seed)
        values = (random.random(3000) < np.where(np.arange(3000) < 2000, 0.1, 0.4)).astype(float)
        first = []
        for detector in (Adwin(0.002), river.ADWIN(0.002)):
            found = []
            for row, x in enumerate(values):
                detector.update(x)
                found += [row] if detector.drift_detected else []
            first.append(found[0])
        assert 2000 < first[0] < 2200 and abs(first[0] - first[1]) <= 64


def test_goes_on_after_a_pickle_and_keeps_its_size() -> None:
    values = np.tile(numbers("still"), 40)
    whole, half = Adwin(), Adwin()
    for row, x in enumerate(values):
        if row == len(values) // 2:
            half = pickle.loads(pickle.dumps(half))
        half.update(x)
    position = 0
    while position < len(values):
        position += whole.update_until(values[position:])
    assert half.width == whole.width and half.mean == whole.mean
    assert len(pickle.dumps(whole)) < 10_000


@pytest.mark.parametrize(("delta", "warning"), [(0.0, 0.1), (1.0, None), (0.1, 0.05), (0.1, 1.0)])
def test_bounds_that_make_no_sense(delta: float, warning: float | None) -> None:
    with pytest.raises(ValueError, match=f"delta={delta!r}"):
        Adwin(delta, warning)
