"""Views that compiled code takes of contiguous arrays.

Slices and ``reshape`` do the same for any array; here little is asked, and little is compiled. A view
does not keep its array alive: whoever takes one holds the array as long.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray, types
from numba.extending import intrinsic

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner


@intrinsic
def entries_at(typing: Any, address: Any, array: Any) -> Any:
    """A pointer to entries of the array's type at this address."""
    kind = types.CPointer(array.dtype)

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.inttoptr(values[0], context.get_value_type(kind))

    return kind(types.intp, array), code


@inner
def rows_between(array: Array, first: int, count: int) -> Any:
    """``array[first : first + count]``, all of which must be there."""
    start = np.intp(array.ctypes.data) + first * array.strides[0]
    return carray(entries_at(start, array), (count, *array.shape[1:]))


@inner
def as_matrix(array: Array, rows: int, columns: int) -> Any:
    """``array[: rows * columns].reshape(rows, columns)`` of a 1-D array that is long enough."""
    return carray(entries_at(np.intp(array.ctypes.data), array), (rows, columns))
