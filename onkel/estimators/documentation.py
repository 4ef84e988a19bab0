"""The documentation of a class, made of its declarations: nothing that can be set or read is left out.

A docstring is written by hand but for the sections "Parameters" and "Attributes": these are put in from
what :func:`~onkel.estimators.parameters.parameter`, :func:`fitted` and :func:`of_type` declare, so one
text serves all classes that inherit it. A method that overrides another for one more parameter has the other's text
by :func:`documented_like`. The result has numpydoc's form.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

Getter = TypeVar("Getter", bound=Callable[..., Any])
Method = TypeVar("Method", bound=Callable[..., Any])

WIDTH = 96
#: Numpydoc's sections in their order, those that our docstrings have.
SECTIONS = ("Parameters", "Attributes", "See Also", "Notes", "References", "Examples")
#: Parameters that most learners have, in their order.
LAST = (
    "kernel", "gamma", "degree", "coef0", "class_weight", "probabilities", "epochs", "shuffle", "random_state",
)  # fmt: skip
HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


class Fitted:
    """An attribute that learning gives an estimator: its documentation until then.

    An estimator may have a method ``_stand_in`` that names another one which has the attribute meanwhile.
    """

    def __init__(self, type_words: str, doc: str) -> None:
        self.type_words, self.doc = type_words, doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        # An attribute of the instance goes before this one: so there is none.
        stand_in = instance._stand_in(self.name) if hasattr(instance, "_stand_in") else None
        if stand_in is not None:
            return getattr(stand_in, self.name)
        raise AttributeError(
            f"{type(instance).__name__!r} object has no attribute {self.name!r}: it is there after "
            f"learning."
        )


def fitted(type_words: str, doc: str) -> Any:
    """Declare an attribute that learning sets, with its type in words and what it is."""
    return Fitted(type_words, doc)


def of_type(type_words: str) -> Callable[[Getter], Getter]:
    """Say of the getter of a property which type it returns, in words; its docstring says what."""

    def marked(getter: Getter) -> Getter:
        getter.type_words = type_words  # type: ignore[attr-defined]
        return getter

    return marked


class Entry(NamedTuple):
    """One parameter or attribute."""

    name: str
    type_words: str
    doc: str

    def rendered(self) -> str:
        text = textwrap.fill(
            self.doc,
            WIDTH,
            initial_indent="    ",
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        return f"{self.name} : {self.type_words}\n{text}".rstrip()


def documented(cls: type, written: str | None) -> None:
    """Give a class its docstring: what is written by hand, and its declarations."""
    if written is None:  # nothing to add to; or Python runs without docstrings
        return
    summary, sections = split(inspect.cleandoc(written))
    twice = {"Parameters", "Attributes"} & sections.keys()
    if twice:
        raise TypeError(
            f"the docstring of {cls.__name__} has a section {twice.pop()!r}: say it where it is "
            f"declared, by doc=..."
        )
    for title, entries in (("Parameters", parameters(cls)), ("Attributes", attributes(cls))):
        text = "\n".join(entry.rendered() for entry in entries)
        if text:
            sections[title] = text
    order = [*SECTIONS, *(title for title in sections if title not in SECTIONS)]
    texts = [
        f"{title}\n{'-' * len(title)}\n{sections[title]}" for title in order if title in sections
    ]
    cls.__doc__ = "\n\n".join([summary, *texts]) + "\n"


def documented_like(other: Callable[..., Any], *more: Entry) -> Callable[[Method], Method]:
    """Give a method the docstring of another one, which has these parameters less."""

    def marked(method: Method) -> Method:
        if other.__doc__ is not None:  # or Python runs without docstrings
            before, returns, after = inspect.cleandoc(other.__doc__).partition("\n\nReturns\n")
            entries = (entry.rendered() for entry in more)
            method.__doc__ = "\n".join(["", before, *entries]) + returns + after + "\n"
        return method

    return marked


def split(text: str) -> tuple[str, dict[str, str]]:
    """What stands before the first section, and the sections."""
    summary, *rest = HEADING.split(text)
    return summary.strip(), dict(zip(rest[::2], (part.strip("\n") for part in rest[1::2])))


def ordered_fields(cls: Any) -> list[dataclasses.Field[Any]]:
    """The fields of a dataclass, the class' own first, then those of its bases; what all have comes last."""
    fields = {field.name: field for field in dataclasses.fields(cls)}
    names = [name for base in cls.__mro__ for name in inspect.get_annotations(base)]
    names.sort(key=lambda name: LAST.index(name) if name in LAST else -1)
    return [fields[name] for name in dict.fromkeys(names) if name in fields]


def parameters(cls: Any) -> Iterator[Entry]:
    """The parameters of a class; one that has no text has that of the base that declared it before."""
    for field in ordered_fields(cls):
        declarations = [
            base.__dict__["__dataclass_fields__"][field.name].metadata
            for base in cls.__mro__
            if field.name in base.__dict__.get("__dataclass_fields__", {})
        ]
        doc = next((found["doc"] for found in declarations if found.get("doc")), "")
        words = next((found["type_words"] for found in declarations if found.get("type_words")), "")
        if not words and "constraint" in field.metadata:
            words = field.metadata["constraint"].as_type()
        default = f'"{field.default}"' if isinstance(field.default, str) else repr(field.default)
        yield Entry(field.name, f"{words}, default={default}", in_one_line(doc))


def attributes(cls: type) -> Iterator[Entry]:
    """What learning gives, the class' own first."""
    inherited = [dict(vars(base)) for base in reversed(cls.__mro__)]
    effective = {name: found for names in inherited for name, found in names.items()}
    for name in dict.fromkeys(name for names in reversed(inherited) for name in names):
        found = effective[name]
        if isinstance(found, Fitted):
            yield Entry(name, found.type_words, in_one_line(found.doc))
        elif isinstance(found, property) and found.fget and hasattr(found.fget, "type_words"):
            yield Entry(name, found.fget.type_words, in_one_line(found.__doc__ or ""))


def in_one_line(text: str) -> str:
    return " ".join(text.split())


def show_own_first(cls: Any) -> None:
    """Let the signature list the parameters in the order of the documentation."""
    made = inspect.signature(cls.__init__)
    first, *rest = made.parameters.values()
    by_name = {parameter.name: parameter for parameter in rest}
    order = [by_name[field.name] for field in ordered_fields(cls)]
    cls.__init__.__signature__ = made.replace(parameters=[first, *order])
