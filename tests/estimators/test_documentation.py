"""Everything public is documented where a user looks, in numpydoc's form."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pydoc
from collections.abc import Iterator
from typing import Any

import pytest
from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate

import onkel
from onkel.estimators.documentation import attributes, fitted, of_type, parameters
from onkel.estimators.parameters import declared, parameter
from tests.estimators.cases import EVERY, learned, make

#: Checks of numpydoc that are off everywhere.
OFF = {
    "ES01",  # an extended summary: some things are said in one line
    "SA01",  # "See Also": the relatives of a learner are in its text
}
#: Off for methods and functions as well.
OFF_FOR_FUNCTIONS = OFF | {
    "EX01",  # examples: those of the class show its methods
}
CLASSES = {name: getattr(onkel, name) for name in EVERY} | {
    name: getattr(room, name) for room in (onkel.transformers, onkel.race) for name in room.__all__
}


def public_methods(cls: type) -> Iterator[Any]:
    """Methods that onkel gives a class; of one that is overridden, that which has the docstring."""
    for name, member in inspect.getmembers(
        cls, lambda m: inspect.isfunction(m) or inspect.ismethod(m)
    ):
        if not name.startswith("_") and member.__module__.startswith("onkel."):
            found = [vars(base)[name] for base in cls.__mro__ if name in vars(base)]
            yield next((method for method in found if method.__doc__), found[-1])


def problems(thing: Any, off: set[str]) -> list[str]:
    path = f"{thing.__module__}.{thing.__qualname__}"
    return [
        f"{path}: {code} {words}" for code, words in validate(path)["errors"] if code not in off
    ]


@pytest.mark.parametrize("cls", CLASSES.values(), ids=list(CLASSES))
def test_classes_are_documented(cls: type) -> None:
    methods = list(public_methods(cls))
    wrong = problems(cls, OFF) + [
        p for method in methods for p in problems(method, OFF_FOR_FUNCTIONS)
    ]
    assert not wrong, "\n".join(wrong)
    assert len({"fit", "predict", "transform"} & {method.__name__ for method in methods}) == 2


@pytest.mark.parametrize("room", ["losses", "kernels", "rules", "budgets", "io"])
def test_parts_and_functions_are_documented(room: str) -> None:
    module = getattr(onkel, room)
    things = [getattr(module, name) for name in module.__all__]
    # Losses, kernels, rules and budgets are shown by the examples of the learners that take them.
    wrong = [problem for thing in things for problem in problems(thing, OFF_FOR_FUNCTIONS)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("room", ["tables", "stream", "datasets", "evaluate", "plot"])
def test_rooms_around_the_learners_are_documented(room: str) -> None:
    module = importlib.import_module(f"onkel.{room}")
    public = [getattr(module, name) for name in module.__all__]
    things = [thing for thing in public if callable(thing)]  # a table of names has no docstring
    methods = [m for thing in things if isinstance(thing, type) for m in public_methods(thing)]
    wrong = [
        problem for thing in things + methods for problem in problems(thing, OFF_FOR_FUNCTIONS)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", EVERY)
def test_what_learning_gives_is_documented(name: str) -> None:
    cls, model = getattr(onkel, name), learned(name)
    documented = {entry.name for entry in attributes(cls)}
    assert documented == {entry.name for entry in NumpyDocString(cls.__doc__)["Attributes"]}
    given = {key for key in dir(model) if key.endswith("_") and not key.startswith("_")}
    given = {key for key in given if hasattr(model, key)}
    assert given <= documented
    assert documented - given <= {"feature_names_in_"}  # X has no column names
    for entry in attributes(cls):
        assert entry.doc and entry.doc[0].isupper() and entry.doc.endswith("."), entry


def test_losses_are_listed_by_what_they_declare() -> None:
    (entry,) = (one for one in parameters(onkel.BSGDClassifier) if one.name == "regularization")
    assert 'square of the margin (``"squared_hinge"``, ``"odm"``)' in entry.doc
    assert 'follow the residual (``"l1"``, ``"epsilon_insensitive"``)' in entry.doc


@pytest.mark.parametrize("name", EVERY)
def test_the_order_is_that_of_the_signature(name: str) -> None:
    cls = getattr(onkel, name)
    shown = list(inspect.signature(cls).parameters)
    assert set(shown) == set(cls().get_params())
    assert shown[-1] == "random_state"
    for parameter_name in shown:
        assert f"{parameter_name} : " in pydoc.render_doc(cls)


@pytest.mark.parametrize("name", EVERY)
def test_before_learning_there_are_no_attributes(name: str) -> None:
    model = make(name)
    for entry in attributes(type(model)):
        assert not hasattr(model, entry.name)


def test_examples_are_found_once() -> None:
    for name, cls in CLASSES.items():
        found = [test for test in doctest.DocTestFinder().find(cls, name) if test.name == name]
        examples = [test for test in found if test.examples]
        assert len(examples) == 1 and "Examples" in cls.__doc__
        assert cls.__doc__.count(f"import {name}\n") == 1


# ---- how a docstring is made --------------------------------------------------------------------


@declared
class Kettle:
    """Boil water.

    Examples
    --------
    >>> 1 + 1
    2

    Notes
    -----
    Mind the steam.
    """

    litres: float = parameter(1.5, above=0, at_most=2, doc="How much water.")
    lid: Any = parameter("auto", one_of=("auto", None), kind=int, doc="The lid.")

    temperature_ = fitted("float", "How hot it got.")

    @property
    @of_type("int")
    def bubbles_(self) -> int:
        """How many there were."""
        return 7


@declared
class Samovar(Kettle):
    """Boil more water."""

    litres: float = parameter(5.0, above=0, at_most=10)
    coal: bool = parameter(True, one_of=(True, False), doc="Whether it burns coal.")

    @property
    def bubbles_(self) -> int:
        raise AttributeError("nobody counts them")


def test_sections_are_put_in_and_in_order() -> None:
    assert Kettle.__doc__ == (
        "Boil water.\n\n"
        "Parameters\n----------\n"
        "litres : float in (0, 2], default=1.5\n    How much water.\n"
        'lid : {"auto"}, int or None, default="auto"\n    The lid.\n\n'
        "Attributes\n----------\n"
        "temperature_ : float\n    How hot it got.\n"
        "bubbles_ : int\n    How many there were.\n\n"
        "Notes\n-----\nMind the steam.\n\n"
        "Examples\n--------\n>>> 1 + 1\n2\n"
    )


def test_texts_are_inherited_and_own_parameters_come_first() -> None:
    made = NumpyDocString(Samovar.__doc__)
    assert [(entry.name, entry.type) for entry in made["Parameters"]] == [
        ("litres", "float in (0, 10], default=5.0"),
        ("coal", "bool, default=True"),
        ("lid", '{"auto"}, int or None, default="auto"'),
    ]
    assert made["Parameters"][0].desc == ["How much water."]
    assert [entry.name for entry in made["Attributes"]] == ["temperature_"]
    assert list(inspect.signature(Samovar).parameters) == ["litres", "coal", "lid"]


def test_nothing_is_said_twice() -> None:
    with pytest.raises(TypeError, match="docstring of Pan has a section 'Parameters'"):

        @declared
        class Pan:
            """Fry.

            Parameters
            ----------
            oil : bool
            """

            oil: bool = parameter(True, one_of=(True, False))


def test_a_fitted_attribute_is_there_when_it_was_set() -> None:
    kettle = Kettle()
    with pytest.raises(AttributeError, match="'Kettle' object has no attribute 'temperature_'"):
        _ = kettle.temperature_
    kettle.temperature_ = 100.0
    assert kettle.temperature_ == 100.0
    del kettle.temperature_
    assert not hasattr(kettle, "temperature_")
