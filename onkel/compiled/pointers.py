"""Many arrays handed to compiled code as one pointer.

Dozens of arrays in the argument list of every inner function would take seconds to compile. Here a
table holds each array as Numba lays it out, and compiled code reads from it what it asks for. The
arrays are borrowed: the Python object keeps them alive, and compiled code counts no references.

A pointer has traits, which are known when code is compiled: what only some need is left out elsewhere.
"""

from __future__ import annotations

import ctypes
import hashlib
import inspect
from collections.abc import Callable
from functools import cache
from itertools import accumulate
from typing import Any

import numba
import numpy as np
from numba import _helperlib, types
from numba.core import cgutils
from numba.core.datamodel import default_manager
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
from numba.np.numpy_support import from_dtype

from onkel.compiled.decorators import INNER_OPTIONS

#: Words of an array in Numba's layout, but for its shape and strides.
HEAD_WORDS = 5
WORD_BYTES = 8
#: Numba's own function that writes an array so laid out to an address.
lay_out = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)(
    _helperlib.c_helpers["adapt_ndarray"]  # type: ignore[attr-defined]
)
PARTS_OF_ARRAYS = ("meminfo", "parent", "nitems", "itemsize", "data", "shape", "strides")
if default_manager.lookup(types.Array(types.float64, 2, "C"))._fields != PARTS_OF_ARRAYS:
    raise ImportError(
        f"Numba {numba.__version__} lays out arrays in another way than onkel knows: install an "
        f"earlier Numba, or a later onkel."
    )


class PointerType(types.Type):
    """The type of a pointer to arrays of these names and types."""

    def __init__(
        self, name: str, fields: tuple[tuple[str, types.Array], ...], traits: tuple[str, ...]
    ) -> None:
        self.fields, self.traits = dict(fields), traits
        sizes = [WORD_BYTES * (HEAD_WORDS + 2 * kind.ndim) for _, kind in fields]
        *offsets, self.size = accumulate(sizes, initial=0)
        self.offsets = dict(zip(self.fields, offsets, strict=True))
        # The name becomes a part of the name of every function that takes it: short is quick.
        digest = hashlib.sha256(str((fields, traits)).encode()).hexdigest()
        super().__init__(name=f"{name}_{digest[:12]}")


class Pointer:
    """What Python hands to compiled code, of contiguous arrays; it keeps them alive."""

    __slots__ = ("_numba_type_", "address", "arrays", "table")

    def __init__(self, arrays: Any, **traits: bool) -> None:
        dtypes, ndims = [array.dtype for array in arrays], [array.ndim for array in arrays]
        held = tuple([trait for trait, holds in traits.items() if holds])
        record: Any = type(arrays)
        kind = pointer_type(record, tuple(dtypes), tuple(ndims), held)
        self._numba_type_ = kind
        self.arrays = arrays
        self.table = (ctypes.c_char * kind.size)()
        self.address = ctypes.addressof(self.table)
        places = [self.address + offset for offset in kind.offsets.values()]
        if not all([array.flags.carray for array in arrays]) or any(map(lay_out, arrays, places)):
            raise TypeError(
                f"{record.__name__} must hold contiguous arrays that can be written to."
            )

    def __reduce__(self) -> Any:
        raise TypeError("A pointer cannot be copied: make another one of the copied arrays.")


@cache
def pointer_type(
    record: Any, dtypes: tuple[np.dtype, ...], ndims: tuple[int, ...], traits: tuple[str, ...]
) -> PointerType:
    arrays = [
        types.Array(from_dtype(dtype), ndim, "C") for dtype, ndim in zip(dtypes, ndims, strict=True)
    ]
    return PointerType(record.__name__, tuple(zip(record._fields, arrays, strict=True)), traits)


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
    place = cgutils.pointer_add(builder, value, pointer.offsets[name])
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
