"""Many arrays handed to compiled code as one pointer.

Dozens of arrays in the argument list of every inner function would take seconds to compile. Here a
table holds each array as Numba lays it out, and compiled code reads from it what it asks for. The
arrays are borrowed: the Python object keeps them alive, and compiled code counts no references.

A pointer has traits, which are known when code is compiled: what only some need is left out elsewhere.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from functools import cache
from itertools import accumulate
from typing import Any

import numpy as np
from numba import typeof, types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    overload,
    register_model,
    unbox,
)

from onkel.compile import INNER_OPTIONS

#: Words of an array in Numba's layout, but for its shape and strides.
HEAD_WORDS = 5
WORD_BYTES = 8


class PointerType(types.Type):
    """The type of a pointer to arrays of these names and types."""

    def __init__(
        self, name: str, fields: tuple[tuple[str, types.Array], ...], traits: tuple[str, ...]
    ) -> None:
        self.fields, self.traits = dict(fields), traits
        sizes = [HEAD_WORDS + 2 * kind.ndim for kind in self.fields.values()]
        self.places = dict(zip(self.fields, accumulate(sizes, initial=0), strict=False))
        # The name becomes a part of the name of every function that takes it: short is quick.
        digest = hashlib.sha256(str((fields, traits)).encode()).hexdigest()
        super().__init__(name=f"{name}_{digest[:12]}")


class Pointer:
    """What Python hands to compiled code; it keeps the arrays alive."""

    __slots__ = ("_numba_type_", "address", "arrays", "table")

    def __init__(self, arrays: Any, **traits: bool) -> None:
        held = tuple(trait for trait, holds in traits.items() if holds)
        self._numba_type_ = pointer_type(type(arrays), tuple(map(typeof, arrays)), held)
        words: list[int] = []
        for array in arrays:
            words += (0, 0, array.size, array.itemsize, array.ctypes.data)
            words += array.shape + array.strides
        self.arrays = arrays
        self.table = np.array(words, np.int64)
        self.address = self.table.ctypes.data


@cache
def pointer_type(record: Any, kinds: tuple[types.Array, ...], traits: tuple[str, ...]) -> Any:
    return PointerType(record.__name__, tuple(zip(record._fields, kinds, strict=True)), traits)


def nothing(*arguments: Any) -> None:
    """What a function does where it is left out."""


def where(
    trait: str, otherwise: Callable[..., Any] = nothing, makes_arrays: bool = False
) -> Callable[..., Any]:
    """Compile a function of a pointer with this trait; of other pointers it is another one."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def chosen(*arguments: Any) -> Any:
            return function if trait in arguments[0].traits else otherwise

        chosen.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
        options = INNER_OPTIONS | {"_nrt": makes_arrays}
        overload(function, strict=False, jit_options=options)(chosen)
        return function

    return decorate


register_model(PointerType)(models.OpaqueModel)


@infer_getattr
class PointerAttributes(AttributeTemplate):
    key = PointerType

    def generic_resolve(self, pointer: PointerType, name: str) -> types.Array | None:
        return pointer.fields.get(name)


@lower_getattr_generic(PointerType)
def read_array(context: Any, builder: Any, pointer: PointerType, value: Any, name: str) -> Any:
    place = cgutils.pointer_add(builder, value, WORD_BYTES * pointer.places[name])
    kind = context.get_value_type(pointer.fields[name])
    array = builder.load(builder.bitcast(place, kind.as_pointer()))
    no_owner = cgutils.get_null_value(kind.elements[0])
    return builder.insert_value(array, no_owner, 0)


@unbox(PointerType)
def unbox_pointer(pointer: PointerType, thing: Any, c: Any) -> NativeValue:
    address = c.pyapi.object_getattr_string(thing, "address")
    value = c.pyapi.long_as_voidptr(address)
    c.pyapi.decref(address)
    return NativeValue(value)
