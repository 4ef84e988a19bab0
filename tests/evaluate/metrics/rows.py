"""Answers for rows at random, and every way to cut them into chunks that a stream may come in."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from onkel.evaluate.metrics import Answers, Scorecard, chosen_metrics

EVERY = {
    "classification": [
        "accuracy", "balanced_accuracy", "f1", "roc_auc", "log_loss", "calibration_error",
    ],
    "regression": ["mae", "rmse", "r2", "coverage", "width"],
}  # fmt: skip


def classified(rows: int, n_classes: int, seed: int = 0) -> Answers:
    """A learner that is right more often than not; some scores are equal, some answers missing."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, n_classes, rows)
    scores = random.normal(size=(rows, n_classes)) + 1.2 * (truth[:, None] == range(n_classes))
    powers = np.exp(scores)
    probabilities = powers / powers.sum(axis=1, keepdims=True)
    scores = scores.round(1)
    if n_classes == 2:
        scores = (scores[:, 1] - scores[:, 0])[:, None].round(1)
        guess = (scores[:, 0] > 0).astype(int)
    else:
        guess = scores.argmax(axis=1)
    guess[random.random(rows) < 0.02] = -1
    return Answers(truth, guess, scores, probabilities)


def predicted(rows: int, seed: int = 0, offset: float = 0.0) -> Answers:
    random = np.random.default_rng(seed)
    truth = offset + random.normal(size=rows)
    guess = truth + random.normal(size=rows, scale=0.7)
    half = random.uniform(0.2, 2, size=rows)
    return Answers(truth, guess, interval=np.column_stack([guess - half, guess + half]))


def answers_for(task: str, rows: int, n_classes: int, seed: int = 0) -> Answers:
    return predicted(rows, seed) if task == "regression" else classified(rows, n_classes, seed)


def chunks(answers: Answers, size: int, seed: int = 0) -> Iterator[Answers]:
    """Chunks of about this size, empty ones among them; 0 for all at once."""
    if not size:
        yield answers
        return
    random, start = np.random.default_rng(seed), 0
    while start < answers.rows:
        stop = start + int(random.integers(0, 2 * size + 1))
        yield answers.part(start, min(stop, answers.rows))
        start = min(stop, answers.rows)


def scorecard(task: str, n_classes: int = 2, window: int = 0) -> Scorecard:
    return Scorecard(chosen_metrics(EVERY[task], task), n_classes, window)
