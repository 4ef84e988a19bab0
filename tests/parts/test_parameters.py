"""Constructor parameters: what is allowed, and how a refusal reads."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from onkel.estimators.parameters import Constraint, declared, parameter, validate_parameters


class WithTwoMethods(NamedTuple):
    def value(self, m: float) -> float:
        return m

    def slope(self, m: float) -> float:
        return m


@declared
class Pot:
    size: int = parameter(3, kind=int, at_least=2)
    heat: float = parameter(0.5, above=0, below=1)
    lid: Any = parameter("auto", one_of=("auto", None), above=0)
    stir: Any = parameter("slow", one_of=("slow",), or_callable=True)
    loss: Any = parameter("plain", one_of=("plain",), or_having=("value", "slope"))
    dry: bool = parameter(False, one_of=(True, False))
    free: Any = None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("size", 2), ("size", np.int64(7)), ("heat", 0.25), ("heat", np.float32(0.5)),
        ("lid", "auto"), ("lid", None), ("lid", 3), ("lid", 0.1), ("stir", "slow"), ("stir", max),
        ("loss", WithTwoMethods()), ("dry", True), ("free", object()),
    ],
)  # fmt: skip
def test_what_is_allowed(name: str, value: Any) -> None:
    validate_parameters(Pot(**{name: value}))


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("size", 1, "an integer >= 2"),
        ("size", 2.0, "an integer >= 2"),
        ("size", True, "an integer >= 2"),
        ("size", "2", "an integer >= 2"),
        ("heat", 0, "a number > 0 and < 1"),
        ("heat", 1, "a number > 0 and < 1"),
        ("heat", float("nan"), "a number > 0 and < 1"),
        ("lid", "open", "'auto', None or a number > 0"),
        ("lid", float("inf"), "'auto', None or a number > 0"),
        ("lid", True, "'auto', None or a number > 0"),
        ("stir", "fast", "'slow' or a callable"),
        ("loss", WithTwoMethods, "'plain' or a NamedTuple with value and slope"),
        ("loss", max, "'plain' or a NamedTuple with value and slope"),
        ("dry", 1, "True or False"),
        ("dry", "False", "True or False"),
    ],
)
def test_a_refusal_names_parameter_value_and_what_is_allowed(
    name: str, value: Any, words: str
) -> None:
    with pytest.raises(ValueError) as refusal:
        validate_parameters(Pot(**{name: value}))
    assert str(refusal.value) == f"{name}={value!r} is not allowed in Pot: {name} must be {words}."


def test_bounds_in_words() -> None:
    assert Constraint(kind=float).in_words() == "a number"
    assert Constraint(kind=int, at_least=1, at_most=9).in_words() == "an integer >= 1 and <= 9"
    assert (
        Constraint(kind=float, above=-2.5, at_most=1e6).in_words() == "a number > -2.5 and <= 1e+06"
    )
    assert Constraint(one_of=("a", "b", "c")).in_words() == "'a', 'b' or 'c'"
    assert Constraint(or_having=("step",)).in_words() == "a NamedTuple with step"


def test_a_bound_alone_means_a_float() -> None:
    constraint = Pot.__dataclass_fields__["heat"].metadata["constraint"]
    assert constraint.kind is float


def test_parameters_are_keyword_only_and_estimators_compare_by_identity() -> None:
    with pytest.raises(TypeError):
        Pot(3)  # type: ignore[misc]
    assert Pot() != Pot()
    assert Pot().heat == 0.5


def test_arrays_are_no_words() -> None:
    assert not Constraint(one_of=("auto",), kind=float, above=0).allows(np.array([1.0, 2.0]))
