"""What a detector of drift is, and how one is asked."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np


class Detector(Protocol):
    """
    What :class:`DriftAware` needs of a detector: those of river have it, and so has :class:`Adwin`.

    It may also have ``warning_detected``, and ``update_until(values)``, which takes in numbers up to the first that
    leads to a warning or a drift, and returns how many.
    """

    def update(self, x: float) -> Any:
        """Take in the next number: a mistake (0 or 1), or an absolute residual."""

    @property
    def drift_detected(self) -> bool:
        """Whether the last number says that the stream has changed."""


def watched(detector: Any, values: np.ndarray) -> tuple[int, bool, bool]:
    """Show numbers to a detector up to the first alarm: how many, and whether it warns or sees a drift."""
    if hasattr(detector, "update_until"):
        count = detector.update_until(values)
        return count, bool(detector.warning_detected), bool(detector.drift_detected)
    for count, x in enumerate(values.tolist(), start=1):
        detector.update(x)
        drift = bool(detector.drift_detected)
        if drift or getattr(detector, "warning_detected", False):
            return count, True, drift
    return len(values), False, False


def check_detector(detector: Any) -> None:
    """Refuse what is no detector."""
    missing = [name for name in ("update", "drift_detected") if not hasattr(detector, name)]
    if missing or isinstance(detector, type):
        raise TypeError(
            f"detector={detector!r} is no detector of drift: it needs update(x) and drift_detected. Give an "
            f"onkel.drift.Adwin(), or one of river.drift, as an instance."
        )
