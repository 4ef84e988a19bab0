"""What scores of rows are worth, by the task and the loss of a learner."""

from __future__ import annotations

from typing import Any

import numpy as np

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import jit
from onkel.model.questions import compiled_for, value, view


def judged(
    task: Any, loss: Any, scores: np.ndarray, targets: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Margins or residuals of scores (rows x outputs), and their losses."""
    m, losses = np.empty(len(targets)), np.empty(len(targets))
    compiled_for(judge, task, loss)(task, loss, np.ascontiguousarray(scores), targets, m, losses)
    return m, losses


@jit
def judge(
    task: Any, loss: Any, scores: Array, targets: Array, margins: Array, losses: Array
) -> None:
    for i in range(targets.size):
        margins[i] = view(task, scores[i], targets[i]).m
        losses[i] = value(loss, margins[i])
