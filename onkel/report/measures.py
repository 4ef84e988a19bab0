"""The report: how the figures that results are judged by are shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from onkel.report.digits import plain, rounded


class Measure(NamedTuple):
    """How a metric is shown."""

    key: str
    name: str
    unit: str
    factor: float


MISTAKES = Measure("mistake_rate", "mistake rate", "%", 100.0)
ACCURACY = Measure("accuracy", "accuracy", "%", 100.0)
SQUARED = Measure("squared_error", "mean squared error", "", 1.0)
RMSE = Measure("rmse", "root mean squared error", "", 1.0)


def with_unit(value: float, measure: Measure) -> str:
    """A figure, as the summary shows it."""
    value *= measure.factor
    return f"{plain(value, 2)} %" if measure.unit == "%" else rounded(value, 4)


def settings_text(settings: Mapping[str, Any]) -> str:
    """What is set; a value may be anything, an array too."""
    return ", ".join(
        f"{name}={value!r}"
        for name, value in settings.items()
        if not (value is None or (isinstance(value, (str, tuple)) and not value))
    )
