"""Views that compiled code takes of contiguous arrays.

Slices and ``reshape`` do the same for any array; here little is asked, and little is compiled.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array


def view(context: Any, builder: Any, kind: types.Array, data: Any, shape: tuple[Any, ...]) -> Any:
    """A contiguous array of this shape at this place, which another one owns."""
    made = make_array(kind)(context, builder)
    itemsize = context.get_constant(types.intp, context.get_abi_sizeof(data.type.pointee))
    strides = [itemsize]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    populate_array(made, data, shape, strides, itemsize, None)
    return made._getvalue()


@intrinsic
def rows_between(typing: Any, array: Any, first: Any, count: Any) -> Any:
    """``array[first : first + count]``, all of which must be there."""
    kind = types.Array(array.dtype, array.ndim, "C")

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        whole = make_array(array)(context, builder, values[0])
        rest = cgutils.unpack_tuple(builder, whole.shape)[1:]
        place = values[1]
        for length in rest:
            place = builder.mul(place, length)
        data = builder.gep(whole.data, [place])
        return view(context, builder, kind, data, (values[2], *rest))

    return kind(array, types.intp, types.intp), code


@intrinsic
def as_matrix(typing: Any, array: Any, rows: Any, columns: Any) -> Any:
    """``array[: rows * columns].reshape(rows, columns)`` of a 1-D array that is long enough."""
    kind = types.Array(array.dtype, 2, "C")

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        flat = make_array(array)(context, builder, values[0])
        return view(context, builder, kind, flat.data, (values[1], values[2]))

    return kind(array, types.intp, types.intp), code
