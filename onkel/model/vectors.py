"""Rows that arrive and vectors that are kept: dense, sparse, and very wide sparse.

Three pairs of a row type and a store type answer the same questions, so that no kernel and no
algorithm knows about sparsity:

* dense rows, and vectors as the rows of a matrix: one matrix product;
* CSR rows, and vectors *feature by feature* (d x capacity): one sweep per non-zero; so are dense rows
  learned that are mostly zeros;
* CSR rows of very many features, and vectors as sparse rows in a pool: memory goes with the non-zeros.

``norms`` holds what the kernel's geometry needs: squared norms, or sums of absolute values.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner, jit
from onkel.compiled.views import as_matrix, rows_between
from onkel.model.questions import blend, copy, lacks_room, put
from onkel.model.state import COPY, PUT, Workspace


class DenseRows(NamedTuple):
    x: Array
    norms: Array

    def as_store(self, first: int, count: int) -> Any:
        x, norms = rows_between(self.x, first, count), rows_between(self.norms, first, count)
        return DenseStore(x, norms)


class DenseStore(NamedTuple):
    vectors: Array
    norms: Array

    def products(self, rows: Any, first: int, count: int, begin: int, end: int, flat: Array) -> Any:
        out = as_matrix(flat, count, end - begin)
        some = rows_between(self.vectors, begin, end - begin)
        np.dot(rows_between(rows.x, first, count), some.T, out)
        return out

    def manhattan(
        self, rows: Any, first: int, count: int, begin: int, end: int, flat: Array
    ) -> Any:
        out = as_matrix(flat, count, end - begin)
        for r in range(count):
            x = rows.x[first + r]
            for i in range(begin, end):
                total = abs(x[0] - self.vectors[i, 0])
                for j in range(1, x.size):
                    total += abs(x[j] - self.vectors[i, j])
                out[r, i - begin] = total
        return out

    def chebyshev(
        self, rows: Any, first: int, count: int, begin: int, end: int, out: Array
    ) -> None:
        for r in range(count):
            x = rows.x[first + r]
            for i in range(begin, end):
                largest = abs(x[0] - self.vectors[i, 0])
                for j in range(1, x.size):
                    gap = abs(x[j] - self.vectors[i, j])
                    largest = gap if gap > largest else largest
                out[r, i] = largest

    def lacks_room(self, rows: Any, row: int) -> Any:
        return False

    def put(self, slot: int, rows: Any, row: int) -> None:
        for j in range(rows.x.shape[1]):
            self.vectors[slot, j] = rows.x[row, j]
        self.norms[slot] = rows.norms[row]

    def copy(self, source: int, slot: int) -> None:
        for j in range(self.vectors.shape[1]):
            self.vectors[slot, j] = self.vectors[source, j]
        self.norms[slot] = self.norms[source]

    def blend(self, slot: int, other: Any, share: float) -> None:
        norm = 0.0
        for j in range(self.vectors.shape[1]):
            mixed = share * self.vectors[slot, j] + (1.0 - share) * self.vectors[other, j]
            self.vectors[slot, j] = mixed
            norm += mixed * mixed
        self.norms[slot] = norm


class CsrRows(NamedTuple):
    data: Array
    indices: Array
    indptr: Array
    norms: Array
    scratch: Array  # (d, rows of a block)

    def as_store(self, first: int, count: int) -> Any:
        for j in range(self.scratch.shape[0]):
            for r in range(count):
                self.scratch[j, r] = 0
        for r in range(count):
            for k in range(self.indptr[first + r], self.indptr[first + r + 1]):
                self.scratch[self.indices[k], r] = self.data[k]
        return ColumnStore(self.scratch, rows_between(self.norms, first, count))


class ColumnStore(NamedTuple):
    columns: Array  # (d, capacity)
    norms: Array

    def products(self, rows: Any, first: int, count: int, begin: int, end: int, flat: Array) -> Any:
        out = as_matrix(flat, count, end - begin)
        for r in range(count):
            sweep_products(rows, first + r, self.columns, begin, end, out[r])
        return out

    def manhattan(
        self, rows: Any, first: int, count: int, begin: int, end: int, flat: Array
    ) -> Any:
        n = end - begin
        out, norms = as_matrix(flat, count, n), rows_between(self.norms, begin, n)
        for r in range(count):
            total = out[r]
            for i in range(n):
                total[i] = norms[i]
            for k in range(rows.indptr[first + r], rows.indptr[first + r + 1]):
                x = rows.data[k]
                column = rows_between(self.columns[rows.indices[k]], begin, n)
                for i in range(n):
                    total[i] += abs(x - column[i]) - abs(column[i])
        return out

    def chebyshev(
        self, rows: Any, first: int, count: int, begin: int, end: int, out: Array
    ) -> None:
        for r in range(count):
            largest = rows_between(out[r], begin, end - begin)
            for i in range(end - begin):
                largest[i] = 0
            k, stop = rows.indptr[first + r], rows.indptr[first + r + 1]
            for j in range(self.columns.shape[0]):
                x = largest[0] * 0
                if k < stop and rows.indices[k] == j:
                    x = rows.data[k]
                    k += 1
                column = rows_between(self.columns[j], begin, end - begin)
                for i in range(end - begin):
                    gap = abs(x - column[i])
                    largest[i] = gap if gap > largest[i] else largest[i]

    def lacks_room(self, rows: Any, row: int) -> Any:
        return False

    def put(self, slot: int, rows: Any, row: int) -> None:
        for j in range(self.columns.shape[0]):
            self.columns[j, slot] = 0
        for k in range(rows.indptr[row], rows.indptr[row + 1]):
            self.columns[rows.indices[k], slot] = rows.data[k]
        self.norms[slot] = rows.norms[row]

    def copy(self, source: int, slot: int) -> None:
        for j in range(self.columns.shape[0]):
            self.columns[j, slot] = self.columns[j, source]
        self.norms[slot] = self.norms[source]

    def blend(self, slot: int, other: Any, share: float) -> None:
        norm = 0.0
        for j in range(self.columns.shape[0]):
            mixed = share * self.columns[j, slot] + (1.0 - share) * self.columns[j, other]
            self.columns[j, slot] = mixed
            norm += mixed * mixed
        self.norms[slot] = norm


@inner
def sweep_products(rows: Any, row: int, columns: Array, begin: int, end: int, total: Array) -> None:
    """One multiply-add sweep over the vectors per non-zero, four non-zeros at a time."""
    n = end - begin
    for i in range(n):
        total[i] = 0
    k, stop = rows.indptr[row], rows.indptr[row + 1]
    while k + 3 < stop:
        a, b, c, d = rows.data[k], rows.data[k + 1], rows.data[k + 2], rows.data[k + 3]
        u = rows_between(columns[rows.indices[k]], begin, n)
        v = rows_between(columns[rows.indices[k + 1]], begin, n)
        w = rows_between(columns[rows.indices[k + 2]], begin, n)
        x = rows_between(columns[rows.indices[k + 3]], begin, n)
        for i in range(n):
            total[i] += a * u[i] + b * v[i] + c * w[i] + d * x[i]
        k += 4
    while k < stop:
        a, u = rows.data[k], rows_between(columns[rows.indices[k]], begin, n)
        for i in range(n):
            total[i] += a * u[i]
        k += 1


class WideRows(NamedTuple):
    data: Array
    indices: Array
    indptr: Array
    norms: Array
    scratch: Array  # (d,), all zero between uses

    def as_store(self, first: int, count: int) -> Any:
        return PoolStore(
            self.data,
            self.indices,
            rows_between(self.indptr, first, count),
            rows_between(self.indptr, first + 1, count),
            rows_between(self.norms, first, count),
            np.zeros(2, np.int64),
        )


class PoolStore(NamedTuple):
    """Sparse vectors in a common pool; a slot is the stretch ``start .. stop`` of it."""

    data: Array
    indices: Array
    start: Array
    stop: Array
    norms: Array
    used: Array  # (2,): how much of the pool is in use, and the longest stretch

    def products(self, rows: Any, first: int, count: int, begin: int, end: int, flat: Array) -> Any:
        out = as_matrix(flat, count, end - begin)
        dense = rows.scratch
        for r in range(count):
            scatter(rows, first + r, dense)
            for i in range(begin, end):
                total = dense[0] * 0
                for k in range(self.start[i], self.stop[i]):
                    total += self.data[k] * dense[self.indices[k]]
                out[r, i - begin] = total
            unscatter(rows, first + r, dense)
        return out

    def manhattan(
        self, rows: Any, first: int, count: int, begin: int, end: int, flat: Array
    ) -> Any:
        out = as_matrix(flat, count, end - begin)
        dense = rows.scratch
        for r in range(count):
            scatter(rows, first + r, dense)
            for i in range(begin, end):
                total = rows.norms[first + r]
                for k in range(self.start[i], self.stop[i]):
                    x = dense[self.indices[k]]
                    total += abs(x - self.data[k]) - abs(x)
                out[r, i - begin] = total
            unscatter(rows, first + r, dense)
        return out

    def chebyshev(
        self, rows: Any, first: int, count: int, begin: int, end: int, out: Array
    ) -> None:
        for r in range(count):
            for i in range(begin, end):
                out[r, i] = sparse_chebyshev(self, rows, first + r, i)

    def lacks_room(self, rows: Any, row: int) -> Any:
        arriving = rows.indptr[row + 1] - rows.indptr[row]
        longest = max(self.used[1], arriving)
        self.used[1] = longest
        return self.used[0] + arriving + 2 * longest > self.data.size

    def put(self, slot: int, rows: Any, row: int) -> None:
        first, last = rows.indptr[row], rows.indptr[row + 1]
        begin = self.used[0]
        for k in range(first, last):
            self.data[begin + k - first] = rows.data[k]
            self.indices[begin + k - first] = rows.indices[k]
        self.start[slot], self.stop[slot] = begin, begin + last - first
        self.used[0] = begin + last - first
        self.norms[slot] = rows.norms[row]

    def copy(self, source: int, slot: int) -> None:
        self.start[slot], self.stop[slot] = self.start[source], self.stop[source]
        self.norms[slot] = self.norms[source]

    def blend(self, slot: int, other: Any, share: float) -> None:
        i, i_stop = self.start[slot], self.stop[slot]
        j, j_stop = self.start[other], self.stop[other]
        begin = self.used[0]
        end, norm = begin, 0.0
        while i < i_stop or j < j_stop:
            if j >= j_stop or (i < i_stop and self.indices[i] < self.indices[j]):
                feature, mixed = self.indices[i], share * self.data[i]
                i += 1
            elif i >= i_stop or self.indices[j] < self.indices[i]:
                feature, mixed = self.indices[j], (1.0 - share) * self.data[j]
                j += 1
            else:
                feature = self.indices[i]
                mixed = share * self.data[i] + (1.0 - share) * self.data[j]
                i += 1
                j += 1
            self.data[end], self.indices[end] = mixed, feature
            norm += mixed * mixed
            end += 1
        self.start[slot], self.stop[slot], self.used[0] = begin, end, end
        self.used[1] = max(self.used[1], end - begin)
        self.norms[slot] = norm


@inner
def sparse_chebyshev(store: Any, rows: Any, row: int, slot: int) -> Any:
    k, k_stop = rows.indptr[row], rows.indptr[row + 1]
    i, i_stop = store.start[slot], store.stop[slot]
    largest = 0.0
    while k < k_stop or i < i_stop:
        if i >= i_stop or (k < k_stop and rows.indices[k] < store.indices[i]):
            gap = float(rows.data[k])
            k += 1
        elif k >= k_stop or store.indices[i] < rows.indices[k]:
            gap = float(store.data[i])
            i += 1
        else:
            gap = float(rows.data[k]) - float(store.data[i])
            k += 1
            i += 1
        largest = max(largest, abs(gap))
    return largest


@inner
def scatter(rows: Any, row: int, dense: Array) -> None:
    for k in range(rows.indptr[row], rows.indptr[row + 1]):
        dense[rows.indices[k]] = rows.data[k]


@inner
def unscatter(rows: Any, row: int, dense: Array) -> None:
    for k in range(rows.indptr[row], rows.indptr[row + 1]):
        dense[rows.indices[k]] = 0


@jit
def apply_log(store: Any, rows: Any, workspace: Workspace) -> Any:
    """Do to the stored vectors what the log says; False if there was no room for all of it."""
    for entry in range(workspace.log_state[1], workspace.log_state[0]):
        kind, slot, source = (
            workspace.log[entry, 0],
            workspace.log[entry, 1],
            workspace.log[entry, 2],
        )
        if lacks_room(store, rows, source if kind == PUT else 0):
            return False
        if kind == PUT:
            put(store, slot, rows, source)
        elif kind == COPY:
            copy(store, source, slot)
        else:
            blend(store, slot, source, workspace.log_shares[entry])
        workspace.log_state[1] = entry + 1
    workspace.log_state[0], workspace.log_state[1] = 0, 0
    return True
