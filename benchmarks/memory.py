"""The most memory that a process had, on systems that tell it."""

from __future__ import annotations

import math
import sys


def most_memory() -> float:
    """In MB; NaN on Windows."""
    if sys.platform == "win32":
        return math.nan
    import resource

    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
