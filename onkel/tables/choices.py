"""Parameters that are one of a few values, or whole numbers, and the error for those that are not."""

from __future__ import annotations

from typing import Any

import numpy as np


def check_choice(name: str, value: object, choices: tuple[Any, ...]) -> None:
    """A ValueError that names the parameter, if it is none of the choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {choices}, got {value!r}")


def check_whole(name: str, value: object, least: int) -> int:
    """A whole number of at least `least`, or a ValueError that names the parameter."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")
    return int(value)
