"""Many arrays handed to compiled code as one pointer.

Dozens of arrays in the argument list of every inner function would take seconds to compile. Here a
table holds each array as Numba lays it out, and compiled code reads from it what it asks for. The
arrays are borrowed: the Python object keeps them alive, and compiled code counts no references.
"""

from __future__ import annotations

import hashlib
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
    register_model,
    unbox,
)

#: Words of an array in Numba's layout, but for its shape and strides.
HEAD_WORDS = 5
WORD_BYTES = 8


class PointerType(types.Type):
    """The type of a pointer to arrays of these names and types."""

    def __init__(self, name: str, fields: tuple[tuple[str, types.Array], ...]) -> None:
        self.fields = dict(fields)
        sizes = [HEAD_WORDS + 2 * kind.ndim for kind in self.fields.values()]
        self.places = dict(zip(self.fields, accumulate(sizes, initial=0), strict=False))
        # The name becomes a part of the name of every function that takes it: short is quick.
        super().__init__(name=f"{name}_{hashlib.sha256(str(fields).encode()).hexdigest()[:12]}")


class Pointer:
    """What Python hands to compiled code; it keeps the arrays alive."""

    __slots__ = ("_numba_type_", "address", "arrays", "table")

    def __init__(self, arrays: Any) -> None:
        name, names = type(arrays).__name__, arrays._fields
        self._numba_type_ = pointer_type(name, names, tuple(map(typeof, arrays)))
        words: list[int] = []
        for array in arrays:
            words += (0, 0, array.size, array.itemsize, array.ctypes.data)
            words += array.shape + array.strides
        self.arrays = arrays
        self.table = np.array(words, np.int64)
        self.address = self.table.ctypes.data


@cache
def pointer_type(name: str, names: tuple[str, ...], kinds: tuple[types.Array, ...]) -> PointerType:
    return PointerType(name, tuple(zip(names, kinds, strict=True)))


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
