"""Views in compiled code: what slices and reshape would give."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from onkel.compiled.views import as_matrix, rows_between


@numba.njit
def some_rows(array, first, count):
    return rows_between(array, first, count).copy()


@numba.njit
def folded(array, rows, columns):
    return as_matrix(array, rows, columns).copy()


@numba.njit
def write(array):
    rows_between(array, 1, 2)[0, 0] = 7.0
    return rows_between(array, 1, 2).T.shape


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("shape", [(5,), (5, 3), (5, 3, 2)])
@pytest.mark.parametrize(("first", "count"), [(0, 5), (1, 3), (4, 1), (2, 0), (5, 0)])
def test_rows(dtype: Any, shape: tuple[int, ...], first: int, count: int) -> None:
    array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    found = some_rows(array, first, count)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, array[first : first + count])


@pytest.mark.parametrize(("rows", "columns"), [(2, 3), (3, 2), (1, 6), (0, 4), (2, 0)])
def test_a_matrix_of_the_first_entries(rows: int, columns: int) -> None:
    array = np.arange(7.0)
    expected = array[: rows * columns].reshape(rows, columns)
    np.testing.assert_array_equal(folded(array, rows, columns), expected)


def test_views_share_memory() -> None:
    array = np.zeros((4, 3))
    assert write(array) == (3, 2)
    assert array[1, 0] == 7.0
