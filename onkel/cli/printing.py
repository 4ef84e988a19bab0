"""The command line: JSON that every reader understands, and numbers of things."""

from __future__ import annotations

import json
import math
from typing import Any


def json_text(value: Any) -> str:
    """The value as JSON on one line; numbers that JSON has not (NaN, infinity) become null.

    >>> json_text({"rmse": float("inf"), "curve": [1.0, float("nan")]})
    '{"rmse": null, "curve": [1.0, null]}'
    """
    return json.dumps(_finite(value), allow_nan=False)


def counted_as(number: int, thing: str) -> str:
    """So many things, in words.

    >>> counted_as(1, "bad line"), counted_as(2000, "row")
    ('1 bad line', '2,000 rows')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value
