"""What several machines know of their rows, as if one had learned them all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from onkel.engine.ridge.statistics import Statistics


class Known(NamedTuple):
    """What a machine knows at one moment, in units of the targets of whoever asks."""

    statistics: Statistics
    record: np.ndarray  # its counts of rows, mistakes, losses and squared errors
    observer: Any
    class_weights: Any
    factor: float  # what one unit of its targets is in those of who asks


def joined(own: Known, others: Sequence[Known], common: Known | None) -> Known:
    """Of the rows of all; those of a common beginning count once.

    Without an observer where one of them has none.
    """
    statistics, record = own.statistics, own.record
    for other in others:
        statistics = statistics.joined(other.statistics)
        record = record + other.record
    if common is not None and common.statistics.rows > 0.0:
        for _ in others:
            statistics = statistics.joined(common.statistics, -1.0)
        record = record - len(others) * common.record
    observers, factors = [other.observer for other in others], [other.factor for other in others]
    observer, class_weights = None, own.class_weights
    if own.observer is not None and None not in observers:
        before = None if common is None else common.observer
        observer = own.observer.joined(observers, factors, before)
    if class_weights is not None:
        counted = None if common is None else common.class_weights
        class_weights = class_weights.joined([other.class_weights for other in others], counted)
    return Known(statistics, record, observer, class_weights, own.factor)
