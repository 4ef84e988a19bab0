"""What a run depends on, as plain values, and in what two runs differ."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Differences that are told of; the first ones say enough.
MOST_TOLD = 3
#: The parameter that changes nothing but the time a run takes.
THREADS = "n_jobs"


def parameters_of(model: Any) -> dict[str, Any]:
    """The class of a learner or pipeline and all its parameters; what is no plain value by its type.

    >>> from onkel import FOGDClassifier
    >>> found = parameters_of(FOGDClassifier(gamma=0.5))
    >>> found["class"], found["gamma"], found["kernel"]
    ('FOGDClassifier', 0.5, 'rbf')
    """
    parameters = {"class": type(model).__name__}
    for name, value in sorted(model.get_params().items()):
        if name.rpartition("__")[2] != THREADS:
            parameters[name] = _plain(value)
    return parameters


def threads_of(model: Any) -> dict[str, Any]:
    """How many threads a learner, or those of a pipeline, are meant to use."""
    found = model.get_params().items()
    return {name: value for name, value in found if name.rpartition("__")[2] == THREADS}


def _plain(value: Any) -> Any:
    if hasattr(value, "get_params"):
        return type(value).__name__
    if isinstance(value, dict):
        return {str(key): _plain(inside) for key, inside in value.items()}
    if hasattr(value, "_asdict"):  # a part
        return {"part": type(value).__name__, **_plain(value._asdict())}
    if isinstance(value, (list, tuple)):
        return [_plain(inside) for inside in value]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value if isinstance(value, (int, float, str, type(None))) else type(value).__name__


def differences(one: Any, other: Any, where: str = "") -> list[str]:
    """In words, what was one thing and is another now: the first few.

    >>> differences({"a": 1, "of": {"stream": "rows", "b": 2}}, {"a": 1, "of": {"stream": "rows", "b": 3}})
    ['rows: b was 2 and is 3']
    """
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        one, other = dict(enumerate(one, 1)), dict(enumerate(other, 1))
    if not isinstance(one, dict) or not isinstance(other, dict):
        return (
            []
            if repr(one) == repr(other)
            else [f"{where} was {_shown(one)} and is {_shown(other)}"]
        )
    for name in ("stream", "class"):  # a stage or a learner is called by its name, not by its place
        if isinstance(one.get(name), str) and one.get(name) == other.get(name):
            where = one[name]
    found: list[str] = []
    for key in dict.fromkeys([*one, *other]):
        inside = f"{where}: {key}" if where else str(key)
        found += differences(one.get(key, ABSENT), other.get(key, ABSENT), inside)
    return found[:MOST_TOLD]


ABSENT = object()


def _shown(value: Any) -> str:
    return "not there" if value is ABSENT else repr(value)
