"""Arrays behind one pointer: read and written in place, with code left out where a trait is missing."""

from __future__ import annotations

import gc
import sys
from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba.extending import typeof_impl

from onkel.compiled.pointers import Pointer, where


class Sheet(NamedTuple):
    matrix: np.ndarray
    counts: np.ndarray
    empty: np.ndarray


def sheet() -> Sheet:
    return Sheet(np.arange(6.0).reshape(2, 3), np.zeros(2, np.int64), np.zeros((0, 4)))


@numba.njit
def work_on(pointer):
    pointer.matrix[1, 2] += 10.0
    for row in pointer.matrix:
        pointer.counts[0] += row.size
    return pointer.matrix.sum(), pointer.empty.shape[1]


def tripled(pointer, amount):
    return 3.0 * amount


@where("doubles", otherwise=tripled)
def grown(pointer, amount):
    return 2.0 * amount


@where("counts")
def count(pointer):
    pointer.counts[1] += 1


@numba.njit
def traits_of(pointer, amount):
    count(pointer)
    return grown(pointer, amount)


def test_arrays_are_shared_with_compiled_code() -> None:
    arrays = sheet()
    assert work_on(Pointer(arrays)) == (25.0, 4)
    assert arrays.matrix[1, 2] == 15.0
    assert arrays.counts[0] == 6


def test_a_pointer_keeps_its_arrays_alive() -> None:
    pointer = Pointer(sheet())
    gc.collect()
    assert work_on(pointer)[0] == 25.0


def test_types_tell_pointers_apart() -> None:
    plain = Pointer(sheet())._numba_type_
    assert plain is Pointer(sheet())._numba_type_
    assert plain != Pointer(sheet(), doubles=True)._numba_type_
    single = sheet()._replace(matrix=np.zeros((2, 3), np.float32))
    assert plain != Pointer(single)._numba_type_


@pytest.mark.parametrize("doubles", [True, False])
@pytest.mark.parametrize("counts", [True, False])
def test_a_trait_chooses_the_code(doubles: bool, counts: bool) -> None:
    arrays = sheet()
    pointer = Pointer(arrays, doubles=doubles, counts=counts)
    assert traits_of(pointer, 1.5) == (3.0 if doubles else 4.5)
    assert arrays.counts[1] == counts


def test_only_arrays() -> None:
    with pytest.raises(AttributeError):
        Pointer(Sheet([1.0], [2], [3]))


def test_the_documented_way_to_the_type_is_open() -> None:
    """Where Numba does not look at the object itself, it asks what is registered for its class."""
    pointer = Pointer(sheet(), doubles=True)
    assert numba.typeof(pointer) is pointer._numba_type_
    assert typeof_impl.dispatch(Pointer)(pointer, None) is pointer._numba_type_


@pytest.mark.parametrize(
    "matrix", [np.zeros((4, 6))[:, ::2], np.zeros((3, 2)).T, np.broadcast_to(1.0, (2, 3))]
)
def test_arrays_must_be_contiguous_and_writable(matrix: np.ndarray) -> None:
    with pytest.raises(TypeError, match="Sheet must hold contiguous arrays"):
        Pointer(sheet()._replace(matrix=matrix))
    matrix = np.ascontiguousarray(matrix)
    matrix.flags.writeable = False
    with pytest.raises(TypeError, match="that can be written to"):
        Pointer(sheet()._replace(matrix=matrix))


@numba.njit
def kept(pointer):
    return [pointer.matrix, pointer.matrix][1].sum()


def test_references_are_not_leaked() -> None:
    arrays = sheet()
    before = sys.getrefcount(arrays.matrix)
    for _ in range(10):
        kept(Pointer(arrays))
        work_on(Pointer(arrays))
    after = sys.getrefcount(arrays.matrix)  # an assert would hold it once more
    assert after == before


@numba.njit
def lacking(pointer):
    return pointer.weights


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(numba.TypingError, match="weights"):
        lacking(Pointer(sheet()))
