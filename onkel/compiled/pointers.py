"""Many arrays handed to compiled code as one pointer.

Dozens of arrays in the argument list of every inner function would take seconds to compile. Here a
table holds where each array is and its shape, and compiled code reads from it what it asks for. The
arrays are borrowed: the Python object keeps them alive, and compiled code counts no references.

A pointer has traits, which are known when code is compiled: what only some need is left out elsewhere.
"""

from __future__ import annotations

import ctypes
import hashlib
from array import array
from collections.abc import Callable
from functools import cache
from itertools import accumulate
from typing import Any

import numpy as np
from llvmlite import ir
from numba import carray, from_dtype, types
from numba.extending import (
    NativeValue,
    intrinsic,
    models,
    overload_attribute,
    register_model,
    typeof_impl,
    unbox,
)

from onkel.compiled.decorators import INNER_OPTIONS, chosen_by_type

WORD = ir.IntType(64)
#: The memory of an array to ctypes, which refuses one that cannot be written to or is not contiguous.
Memory = ctypes.c_char * 0


class PointerType(types.Type):
    """The type of a pointer to a table of contiguous arrays with these names and types.

    The table holds, in words of 64 bits, the addresses of all arrays and then their shapes.
    """

    def __init__(
        self, name: str, fields: tuple[tuple[str, types.Array], ...], traits: tuple[str, ...]
    ) -> None:
        self.fields, self.traits = dict(fields), traits
        self.address_words = {name: word for word, name in enumerate(self.fields)}
        shape_words = accumulate([kind.ndim for _, kind in fields], initial=len(fields))
        self.shape_words = dict(zip(self.fields, shape_words))
        # The name becomes a part of the name of every function that takes it: short is quick.
        digest = hashlib.sha256(str((fields, traits)).encode()).hexdigest()
        super().__init__(name=f"{name}_{digest[:12]}")


class Pointer:
    """What Python hands to compiled code, of contiguous arrays; it keeps them alive."""

    # Numba finds a type so named in a fifth of the time that asking type_of_pointer takes it.
    __slots__ = ("_numba_type_", "address", "arrays", "table")

    def __init__(self, arrays: Any, **traits: bool) -> None:
        dtypes, ndims = [a.dtype for a in arrays], [a.ndim for a in arrays]
        held = tuple([trait for trait, holds in traits.items() if holds])
        record: Any = type(arrays)
        self._numba_type_ = pointer_type(record, tuple(dtypes), tuple(ndims), held)
        self.arrays = arrays
        try:
            words = [*map(ctypes.addressof, map(Memory.from_buffer, arrays))]
        except (TypeError, ValueError) as reason:
            raise TypeError(
                f"{record.__name__} must hold contiguous arrays that can be written to."
            ) from reason
        for each in arrays:
            words += each.shape
        self.table = array("q", words)
        self.address, _ = self.table.buffer_info()

    def __reduce__(self) -> Any:
        raise TypeError("A pointer cannot be copied: make another one of the copied arrays.")


@cache
def pointer_type(
    record: Any, dtypes: tuple[np.dtype, ...], ndims: tuple[int, ...], traits: tuple[str, ...]
) -> PointerType:
    for name in record._fields:
        declare_attribute(name)
    arrays = [
        types.Array(from_dtype(dtype), ndim, "C") for dtype, ndim in zip(dtypes, ndims, strict=True)
    ]
    return PointerType(record.__name__, tuple(zip(record._fields, arrays, strict=True)), traits)


@typeof_impl.register(Pointer)
def type_of_pointer(pointer: Pointer, context: Any) -> PointerType:
    return pointer._numba_type_


register_model(PointerType)(models.OpaqueModel)


@unbox(PointerType)
def unbox_pointer(kind: PointerType, pointer: Any, c: Any) -> NativeValue:
    address = c.pyapi.object_getattr_string(pointer, "address")
    value = c.pyapi.long_as_voidptr(address)
    c.pyapi.decref(address)
    return NativeValue(value)


@cache
def declare_attribute(name: str) -> None:
    """Let compiled code ask a pointer for the array of this name, if it has one."""

    @overload_attribute(PointerType, name, strict=False, jit_options=INNER_OPTIONS)
    def attribute(pointer: PointerType) -> Callable[..., Any] | None:
        if name not in pointer.fields:
            return None
        kind = pointer.fields[name]
        data = entry(pointer.address_words[name], types.CPointer(kind.dtype))
        shape = entry(pointer.shape_words[name], types.UniTuple(types.intp, kind.ndim))
        return lambda pointer: carray(data(pointer), shape(pointer))


def entry(word: int, kind: types.Type) -> Any:
    """A function of a pointer for what its table holds from this word on, taken as of this type."""

    @intrinsic
    def read(typing: Any, pointer: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            table = builder.bitcast(values[0], WORD.as_pointer())
            place = builder.gep(table, [WORD(word)])
            found = context.get_value_type(kind).as_pointer()
            return builder.load(builder.bitcast(place, found))

        return kind(pointer), code

    return read


def nothing(*arguments: Any) -> None:
    """What a function does where it is left out."""


def where(trait: str, otherwise: Callable[..., Any] = nothing) -> Callable[..., Any]:
    """Compile a function of a pointer with this trait; of other pointers it is another one."""

    def decorate(function: Callable[..., Any]) -> Any:
        def choose(pointer: PointerType, *others: Any) -> Callable[..., Any]:
            return function if trait in pointer.traits else otherwise

        return chosen_by_type(function, choose)

    return decorate
