"""The command line: learners by short names, and their parameters from NAME=VALUE."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from typing import Any

from onkel.cli.errors import Complaint, misuse

TASKS = {"Classifier": "classification", "Regressor": "regression"}
#: Made of parts, which no command line can name.
BY_HAND = "Composed"
#: What "auto" means of svmlight: AVM finds its size by itself; of numbers FOGD is the steadier learner.
AUTO = {"classification": "avm", "regression": "fogd"}


def families() -> dict[str, dict[str, str]]:
    """Short name → task → class: {"avm": {"classification": "AVMClassifier", ...}, ...}."""
    import onkel

    found: dict[str, dict[str, str]] = {}
    for name in dir(onkel):  # the race too, which stands beside the learners
        for suffix, task in TASKS.items():
            if name.endswith(suffix) and not name.startswith(BY_HAND):
                found.setdefault(name.removesuffix(suffix).lower(), {})[task] = name
    return found


def learner_name(name: str, task: str) -> str:
    """The class that a name means for a task.

    >>> learner_name("avm", "regression"), learner_name("Kernel-SGD", "classification")
    ('AVMRegressor', 'KernelSGDClassifier')
    """
    known = families()
    plain = AUTO[task] if name == "auto" else plain_name(name)
    if plain not in known:
        near = difflib.get_close_matches(plain, known, n=3, cutoff=0.5)
        hint = f" did you mean {' or '.join(near)}?" if near else ""
        there = f"There are {', '.join(sorted(known))}"
        raise misuse(f"no learner {name!r}{':' if near else '.'}{hint} {there}")
    if task not in known[plain]:
        others = ", ".join(sorted(family for family, tasks in known.items() if task in tasks))
        raise misuse(f"{name} is not for {task}. Those that are: {others}")
    return known[plain][task]


def plain_name(name: str) -> str:
    """A name as it is looked up: no case, no hyphens, no Classifier or Regressor at its end."""
    plain = name.lower().replace("-", "").replace("_", "").replace("+", "p").strip()
    for suffix in TASKS:
        plain = plain.removesuffix(suffix.lower())
    return plain


def check_learner(name: str, settings: Sequence[str] = ()) -> None:
    """Complain about a wrong name or parameter before anything is read: it must suit some task."""
    tasks = AUTO if name == "auto" else families().get(plain_name(name), AUTO)
    complaint = None
    for task in tasks:
        try:
            make_learner(name, task, settings, 0)
        except Complaint as error:
            complaint = complaint or error
        else:
            return
    if complaint is not None:
        raise complaint


def make_learner(name: str, task: str, settings: Sequence[str], seed: int) -> Any:
    """The learner, with its parameters set and checked."""
    import onkel
    from onkel.estimators.parameters import validate_parameters

    model = getattr(onkel, learner_name(name, task))()
    known = model.get_params(deep=False)
    given = {"random_state": seed} | dict(
        parse_setting(text, known, type(model).__name__) for text in settings
    )
    model.set_params(**given)
    try:
        validate_parameters(model)
        check_kernel(model)
    except ValueError as error:
        raise misuse(str(error)) from None
    return model


def check_kernel(model: Any) -> None:
    """A ValueError about a kernel that the learner cannot use, which else only its data would bring."""
    from onkel.estimators.kernels import chosen_kernel

    if hasattr(model, "kernel_need"):
        chosen_kernel(model, gamma=1.0)


def parse_setting(text: str, known: Any, learner: str) -> tuple[str, Any]:
    """Name and value of NAME=VALUE, if the learner has such a parameter.

    >>> parse_setting("gamma=0.5", ["gamma"], "avm"), parse_setting("average=true", ["average"], "avm")
    (('gamma', 0.5), ('average', True))
    """
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not name or not value:
        raise misuse(f"--set {text}: write it as name=value")
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f": did you mean {near[0]}?" if near else "."
        raise misuse(
            f"there is no parameter {name!r} of {learner}{hint} Known are {', '.join(sorted(known))}"
        )
    return name, parse_value(value)


def parse_value(text: str) -> Any:
    """A number, true, false or none if it looks like one, else the text itself."""
    words = {"true": True, "false": False, "none": None, "null": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def parse_classes(text: str) -> Any:
    """Labels from A,B,...: whole numbers, numbers or words, whichever all of them are."""
    import numpy as np

    words = [word.strip() for word in text.split(",")]
    if len(set(words)) < 2 or not all(words):
        raise misuse(f"--classes {text}: give at least two different labels, as in --classes -1,1")
    for kind in (np.int64, np.float64):
        try:
            return np.unique(np.array(words).astype(kind))
        except ValueError:
            pass
    return np.unique(np.array(words))


def shown_parameters(model: Any) -> str:
    """What of a learner is not as by default, for people."""
    default = type(model)().get_params(deep=False)
    chosen = {k: v for k, v in model.get_params(deep=False).items() if v != default[k]}
    chosen.pop("random_state", None)
    return ", ".join(f"{name}={json.dumps(value, default=str)}" for name, value in chosen.items())
