"""The most memory that a process had, on systems that tell it."""

from __future__ import annotations

import math
import sys
from pathlib import Path


def most_memory() -> float:
    """In MB; NaN on Windows.

    Linux tells it of the program that runs (VmHWM). What ``getrusage`` tells is handed down there to programs that a
    process starts: it is never less than what the starting process had.
    """
    if sys.platform == "win32":
        return math.nan
    try:
        for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    import resource

    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
