"""Metrics whose classes appear on the way: before, they have the lowest score and probability 0."""

import numpy as np
import pytest

from onkel.evaluate.metrics import Answers, Scorecard, chosen_metrics
from onkel.evaluate.metrics.answers import joined
from tests.evaluate.metrics.rows import EVERY, classified

LABELS = np.array(["m", "c", "x", "a", "p"])


def stages(steps: list[int]) -> list[tuple[np.ndarray, Answers]]:
    """Answers as numbers among the labels known at each stage, in order."""
    found = []
    for stage, known in enumerate(steps):
        classes = np.sort(LABELS[:known])
        if known == 1:
            zeros = np.zeros(20, int)
            scores = np.full((20, 1), -np.inf)
            scores[0] = 0.0
            guess = np.where(scores[:, 0] < 0, 0, -1)
            answers = Answers(zeros, guess, scores, np.isinf(scores).astype(float))
        else:
            answers = classified(60, known, seed=stage)
        found.append((classes, answers))
    return found


@pytest.mark.parametrize("steps", [[1, 2, 3, 5], [1, 3], [2, 3, 4], [1, 2], [3, 5]])
def test_as_if_all_classes_had_been_known(steps: list[int]) -> None:
    metrics = chosen_metrics(EVERY["classification"], "classification")
    growing, parts = Scorecard(metrics, 0, window=70), []
    for classes, answers in stages(steps):
        growing.know(classes)
        growing.update(answers)
        growing.values()  # asking counts what waits
        parts.append((classes, answers))
    last = parts[-1][0]
    known = Scorecard(metrics, len(last), window=70)
    known.update(
        joined([rows.among(np.searchsorted(last, then), len(last)) for then, rows in parts])
    )
    for found, expected in (
        (growing.values(), known.values()),
        (growing.window_values(), known.window_values()),
    ):
        for name in EVERY["classification"]:
            if name != "calibration_error":  # which is of what was said when there were two
                assert found[name] == pytest.approx(expected[name], rel=1e-12), name
    again = Scorecard(metrics, 0, window=70).restore(growing.state())
    assert again.values() == pytest.approx(growing.values())


def test_single_class_becomes_the_second() -> None:
    """Then the scores, which are those of the second class, have the other sign."""
    classes, answers = stages([1])[0]
    card = Scorecard(chosen_metrics(["f1", "roc_auc"], "classification"), 0)
    card.know(classes)
    card.update(answers)
    card.know(np.array(["c", "m"]))
    card.update(Answers(np.array([0]), np.array([0]), np.array([[-1.0]]), np.array([[0.9, 0.1]])))
    assert card.values() == {"f1": 2 * 19 / (20 + 19), "roc_auc": 1.0}
