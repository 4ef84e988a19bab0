"""The command line: JSON that every reader understands."""

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


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value
