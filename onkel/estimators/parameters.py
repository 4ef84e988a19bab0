"""Constructor parameters: default, constraint and documentation stand where the parameter is declared.

An estimator is a keyword-only dataclass whose fields are made by :func:`parameter`;
:func:`validate_parameters` checks them when a fit begins, with an error that names
the parameter, its value and what is allowed.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple, TypeVar, dataclass_transform

import numpy as np

from onkel.estimators.documentation import documented, show_own_first

Declared = TypeVar("Declared")
LARGEST_INTEGER = 2**63  # what compiled code can count


class Constraint(NamedTuple):
    """What a parameter may be: one of some words, a number in a range, or something callable."""

    one_of: tuple[Any, ...] = ()
    kind: type | None = None
    above: float | None = None
    at_least: float | None = None
    below: float | None = None
    at_most: float | None = None
    or_callable: bool = False
    or_having: tuple[str, ...] = ()  # what a part that a user may bring has

    def allows(self, value: Any) -> bool:
        if any(is_word(value, word) for word in self.one_of):
            return True
        if self.or_callable and callable(value) and not isinstance(value, type):
            return True
        if self.or_having and isinstance(value, tuple) and hasattr(value, "_fields"):
            return all(hasattr(value, name) for name in self.or_having)
        return self.kind is not None and self._is_number(value) and self._in_range(value)

    def _is_number(self, value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, Real):
            return False
        if self.kind is int:
            return isinstance(value, Integral) and abs(int(value)) < LARGEST_INTEGER
        try:
            return math.isfinite(value)
        except OverflowError:  # an integer beyond all floats
            return False

    def _in_range(self, value: Any) -> bool:
        return (
            (self.above is None or value > self.above)
            and (self.at_least is None or value >= self.at_least)
            and (self.below is None or value < self.below)
            and (self.at_most is None or value <= self.at_most)
        )

    def in_words(self) -> str:
        words = [repr(word) for word in self.one_of]
        if self.kind is not None:
            bounds = (
                f"{sign} {bound:g}"
                for sign, bound in (
                    (">", self.above),
                    (">=", self.at_least),
                    ("<", self.below),
                    ("<=", self.at_most),
                )
                if bound is not None
            )
            noun = "an integer" if self.kind is int else "a number"
            words.append(f"{noun} {' and '.join(bounds)}".strip())
        if self.or_callable:
            words.append("a callable")
        if self.or_having:
            words.append(f"a NamedTuple with {' and '.join(self.or_having)}")
        return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)

    def as_type(self) -> str:
        """The same as the type of a parameter in a docstring, as numpydoc writes it."""
        words = ", ".join(f'"{word}"' for word in self.one_of if isinstance(word, str))
        types = [f"{{{words}}}"] if words else []
        types += ["bool"] if any(isinstance(word, bool) for word in self.one_of) else []
        types += [f"{self.kind.__name__}{self._interval()}"] if self.kind is not None else []
        types += ["callable"] if self.or_callable else []
        if self.or_having:
            types.append(f"part with {' and '.join(f'``{name}``' for name in self.or_having)}")
        types += ["None"] if None in self.one_of else []
        return " or ".join([", ".join(types[:-1]), types[-1]] if len(types) > 1 else types)

    def _interval(self) -> str:
        least = self.above if self.at_least is None else self.at_least
        most = self.below if self.at_most is None else self.at_most
        if least is None and most is None:
            return ""
        if most is None:
            return f" {'>' if self.at_least is None else '>='} {least:g}"
        if least is None:
            return f" {'<' if self.at_most is None else '<='} {most:g}"
        opening, closing = "(["[self.at_least is not None], ")]"[self.at_most is not None]
        return f" in {opening}{least:g}, {most:g}{closing}"


def is_word(value: Any, word: Any) -> bool:
    """Whether a value is one of the listed ones; NumPy's booleans are booleans, 1 is not."""
    if isinstance(word, bool):
        return isinstance(value, (bool, np.bool_)) and bool(value) is word
    if isinstance(word, str):
        return isinstance(value, str) and value == word
    return value is word


def parameter(
    default: Any,
    *,
    one_of: Sequence[Any] = (),
    kind: type | None = None,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
    or_callable: bool = False,
    or_having: Sequence[str] = (),
    doc: str = "",
    type_words: str = "",
    by_place: bool = False,
) -> Any:
    """A constructor parameter with its default, its constraint and its documentation.

    ``kind`` is ``int`` or ``float``; it is ``float`` where a bound is given and ``kind`` is not.
    ``doc`` goes into the docstrings of the class and of those that inherit it; so does ``type_words``,
    in place of what the constraint says of the type. A class that declares a parameter anew without
    ``doc`` keeps its base's. Without any constraint, everything is allowed. ``by_place``: it need not be named.
    """
    if kind is None and any(b is not None for b in (above, at_least, below, at_most)):
        kind = float
    constraint = Constraint(
        tuple(one_of), kind, above, at_least, below, at_most, or_callable, tuple(or_having)
    )
    metadata: dict[str, Any] = {"doc": doc, "type_words": type_words}
    if constraint != Constraint():
        metadata["constraint"] = constraint
    named: Any = False if by_place else dataclasses.MISSING  # as the class says
    return dataclasses.field(default=default, metadata=metadata, kw_only=named)


def random_state_parameter() -> Any:
    """The seed; :func:`onkel.estimators.checks.draw_seed` checks it."""
    return parameter(
        default=None,
        type_words="int, RandomState instance or None",
        doc="Seed of all random draws: the same seed gives the same model. None: another one every time.",
    )


def n_jobs_parameter() -> Any:
    """How many threads; :mod:`onkel.parallel.limits` says what it means."""
    return parameter(
        default=None,
        one_of=(None,),
        kind=int,
        doc="""Number of threads; -1 is all cores. None is 1, or what ``joblib.parallel_config`` says. The model is
        the same to the last bit whatever it is, and files of models do not keep it. Small blocks and single rows
        stay on one thread.""",
    )


def validate_parameters(estimator: Any) -> None:
    """Raise a ``ValueError`` for the first parameter that is not what it may be."""
    for field in dataclasses.fields(estimator):
        constraint = field.metadata.get("constraint")
        value = getattr(estimator, field.name)
        if constraint is not None and not constraint.allows(value):
            raise ValueError(
                f"{field.name}={value!r} is not allowed in {type(estimator).__name__}: "
                f"{field.name} must be {constraint.in_words()}."
            )


@dataclass_transform(kw_only_default=True, field_specifiers=(parameter,))
def declared(cls: type[Declared]) -> type[Declared]:
    """Make a class whose fields are made by :func:`parameter` a scikit-learn style estimator.

    Its docstring gets the sections "Parameters" and "Attributes" from what is declared.
    """
    written = cls.__dict__.get("__doc__")
    made = dataclasses.dataclass(eq=False, repr=False, kw_only=True)(cls)
    show_own_first(made)
    documented(made, written)
    return made
