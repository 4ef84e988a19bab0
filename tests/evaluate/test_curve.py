"""What is written down of a run stays bounded on a stream that does not end."""

import numpy as np
import pytest

from onkel.evaluate import curve
from onkel.evaluate.scores import Totals


class Fair:
    """A scorer whose learner errs by fair coins."""

    learner = type("Learner", (), {"n_support_": 3, "get_params": lambda self, deep: {}})()

    def __init__(self) -> None:
        self.coins = np.random.default_rng(0)
        self.errors = self.scored = 0

    def ask(self, X, y) -> None:
        pass

    def answers(self, y) -> None:
        return None

    def learn(self, X, y) -> None:
        self.errors += int(self.coins.random() < 0.5)
        self.scored += len(y)

    def totals(self) -> Totals:
        return Totals(errors=self.errors, scored=self.scored, loss=None)


def windows(rows: int, window: int) -> tuple[list[float], int]:
    book = curve.CurveRecorder(Fair(), window)  # type: ignore[arg-type]
    rates = [book.learn(None, np.zeros(1 + row % 3)).window_rate for row in range(rows)]
    assert len(book.at) == len(book.errors) == len(book.scored) == len(book.looks) + 1
    return rates, len(book.looks)


@pytest.mark.parametrize("window", [1, 7, 50])
def test_forgetting_leaves_the_window_as_it_is(window: int, monkeypatch) -> None:
    expected, kept = windows(600, window)
    assert kept == 600
    monkeypatch.setattr(curve, "MOST_LOOKS", 16)
    rates, kept = windows(600, window)
    np.testing.assert_array_equal(rates, expected)
    assert kept <= 16 + window + 3
