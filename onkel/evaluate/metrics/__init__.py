"""Metrics in bounded memory: of all rows so far, and of a window; scikit-learn's definitions.

`Answers` is what they see, `METRICS` lists them by name, `Scorecard` keeps several of them. Each is
an `Accumulator`: rows come in any chunks and give the same value, its state can be written as JSON.
"""

from onkel.evaluate.metrics.accumulator import Accumulator
from onkel.evaluate.metrics.answers import Answers
from onkel.evaluate.metrics.scorecard import Scorecard
from onkel.evaluate.metrics.table import (
    INTERVAL,
    METRICS,
    Metric,
    better_of,
    check_names,
    chosen_metrics,
)

__all__ = [
    "Accumulator",
    "Answers",
    "INTERVAL",
    "METRICS",
    "Metric",
    "Scorecard",
    "better_of",
    "check_names",
    "chosen_metrics",
]
