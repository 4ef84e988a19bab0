"""Chunks into rows, stores made and enlarged: the one place that knows which kind of data it is."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from onkel.model.vectors import (
    ColumnStore,
    CsrRows,
    DenseRows,
    DenseStore,
    PoolStore,
    WideRows,
)

#: Sparse data of more features than this is kept as sparse vectors, not feature by feature.
WIDE = 1024
POOL_START = 1024
#: Entries of a table of vectors: a dense one is faster than a sparse one, but larger.
LARGEST_DENSE = 1 << 24
#: Dense rows of so many features, at most this share of them not 0, are hollow. So many rows tell.
HOLLOW_FEATURES, HOLLOW_SHARE, HOLLOW_ROWS = 32, 0.25, 32


def layout_for(X: Any) -> str:
    if not sparse.issparse(X):
        return "dense"
    return "columns" if X.shape[1] <= WIDE else "pool"


def is_hollow(X: np.ndarray) -> bool:
    """Whether dense rows are so empty that they are learned faster like sparse ones."""
    if X.shape[0] < HOLLOW_ROWS or X.shape[1] < HOLLOW_FEATURES:
        return False
    return bool(np.count_nonzero(X) <= HOLLOW_SHARE * X.size)


def is_large(V: Any) -> bool:
    """Whether sparse vectors, made dense, would take too much room."""
    return V.shape[0] * V.shape[1] > LARGEST_DENSE


def as_layout(X: Any, layout: str, dtype: np.dtype) -> Any:
    """The chunk as the model stores its vectors, whatever form it came in."""
    if layout in ("dense", "hollow"):
        X = X.toarray() if sparse.issparse(X) else X
        return np.ascontiguousarray(X, dtype)
    X = sparse.csr_matrix(X, dtype=dtype)
    if not X.has_sorted_indices:
        X = X.sorted_indices()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def picked(X: Any, rows: Any) -> Any:
    """These rows, by a slice or by their numbers."""
    numbered = isinstance(X, np.ndarray) and not isinstance(rows, slice)
    return X.take(rows, axis=0) if numbered else X[rows]  # NumPy takes faster than it indexes


def norms_of(X: Any, city_block: bool) -> np.ndarray:
    """Sums of absolute values, or of squares, of every row."""
    if sparse.issparse(X):
        totals = (abs(X) if city_block else X.multiply(X)).sum(axis=1)
        return np.asarray(totals, dtype=X.dtype).ravel()
    if city_block:
        return np.abs(X).sum(axis=1)
    return np.einsum("ij,ij->i", X, X)


def rows_of(X: Any, layout: str, norms: np.ndarray, block: int) -> Any:
    """Rows as compiled code reads them, of types that depend on the layout alone."""
    if layout == "dense":
        return DenseRows(unlocked(X), norms)
    if layout == "hollow" and not sparse.issparse(X):
        entries = compressed(X)
    else:
        entries = unlocked(X.data), X.indices.astype(np.int64), X.indptr.astype(np.int64)
    if layout in ("columns", "hollow"):
        return CsrRows(*entries, norms, np.zeros((X.shape[1], min(block, X.shape[0])), X.dtype))
    return WideRows(*entries, norms, np.zeros(X.shape[1], X.dtype))


def unlocked(array: np.ndarray) -> np.ndarray:
    """The array, or a copy of one that must not be written: to compiled code that is another type."""
    return array if array.flags.writeable else array.copy()


def compressed(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The entries that are not 0, as the data, indices and indptr of CSR; faster than by SciPy."""
    n_rows, n_features = X.shape
    places = np.flatnonzero(X != 0)
    indptr = np.searchsorted(places, np.arange(n_rows + 1) * n_features)
    return X.ravel()[places], places % n_features, indptr


def empty_store(layout: str, capacity: int, n_features: int, dtype: np.dtype) -> Any:
    norms = np.zeros(capacity, dtype)
    if layout == "dense":
        return DenseStore(np.zeros((capacity, n_features), dtype), norms)
    if layout in ("columns", "hollow"):
        return ColumnStore(np.zeros((n_features, capacity), dtype), norms)
    ends = np.zeros((2, capacity), np.int64)
    return PoolStore(
        np.zeros(POOL_START, dtype),
        np.zeros(POOL_START, np.int64),
        ends[0].copy(),
        ends[1].copy(),
        norms,
        np.zeros(2, np.int64),
    )


def store_of(V: Any, layout: str, norms: np.ndarray) -> Any:
    """A store that holds these vectors, dense or CSR, and has no room for more."""
    if layout == "pool":
        V = as_layout(V, layout, V.dtype)
        indices, indptr = V.indices.astype(np.int64), V.indptr.astype(np.int64)
        start, stop = indptr[:-1].copy(), indptr[1:].copy()
        return PoolStore(V.data, indices, start, stop, norms, np.zeros(2, np.int64))
    V = V.toarray() if sparse.issparse(V) else V
    if layout == "dense":
        return DenseStore(np.ascontiguousarray(V), norms)
    return ColumnStore(np.ascontiguousarray(V.T), norms)


def enlarged(array: np.ndarray, capacity: int, axes: tuple[int, ...]) -> np.ndarray:
    """A copy with room for ``capacity`` slots along these axes; an empty array stays empty."""
    if array.size == 0:
        return array
    shape = list(array.shape)
    for axis in axes:
        shape[axis] = capacity
    larger = np.zeros(shape, array.dtype)
    larger[tuple(slice(length) for length in array.shape)] = array
    return larger


def writable(arrays: Any) -> Any:
    """The same NamedTuple of arrays, with copies of those that others share: a model from a memory map."""
    return arrays._make([np.require(array, requirements=("C", "A", "W")) for array in arrays])


def copied(arrays: Any) -> Any:
    """The same NamedTuple of arrays, all of them copies."""
    return arrays._make([array.copy() for array in arrays])


def enlarged_store(store: Any, capacity: int) -> Any:
    norms = enlarged(store.norms, capacity, (0,))
    if isinstance(store, DenseStore):
        return DenseStore(enlarged(store.vectors, capacity, (0,)), norms)
    if isinstance(store, ColumnStore):
        return ColumnStore(enlarged(store.columns, capacity, (1,)), norms)
    return store._replace(
        start=enlarged(store.start, capacity, (0,)),
        stop=enlarged(store.stop, capacity, (0,)),
        norms=norms,
    )


def widened_layout(layout: str, n_features: int) -> str:
    """How rows are learned that were learned so, when they have become so wide."""
    return "pool" if layout == "columns" and n_features > WIDE else layout


def widened_store(store: Any, old: Any, new: Any, n: int) -> Any:
    """The first n vectors of a store, as wide and in the layout as a new shape has them."""
    if old.layout != new.layout:
        return pooled(vectors_of(store, n, old.n_features), store.norms)
    if isinstance(store, DenseStore):
        return store._replace(vectors=widened(store.vectors, new.n_features))
    if isinstance(store, ColumnStore):
        return store._replace(columns=widened(store.columns.T, new.n_features).T.copy())
    return store


def widened(X: Any, n_features: int) -> Any:
    """The rows with columns of zeros up to so many features."""
    if sparse.issparse(X):
        return sparse.csr_matrix((X.data, X.indices, X.indptr), (X.shape[0], n_features))
    wider = np.zeros((X.shape[0], n_features), X.dtype)
    wider[:, : X.shape[1]] = X
    return wider


def pooled(V: Any, norms: np.ndarray) -> PoolStore:
    """A store for as many vectors as there are norms; it holds these."""
    n, empty = V.shape[0], empty_store("pool", len(norms), V.shape[1], V.dtype)
    start, stop = empty.start, empty.stop
    start[:n], stop[:n] = V.indptr[:-1], V.indptr[1:]
    longest = int(np.diff(V.indptr).max(initial=0))
    used = np.array([V.nnz, longest], np.int64)
    held = PoolStore(V.data, V.indices.astype(np.int64), start, stop, norms, used)
    return compacted_pool(held, n, longest)


def compacted_pool(store: PoolStore, n: int, longest_row: int) -> PoolStore:
    """The vectors in use moved together, with room for as much again."""
    pieces = [slice(a, b) for a, b in zip(store.start[:n], store.stop[:n], strict=True)]
    lengths = store.stop[:n] - store.start[:n]
    live = int(lengths.sum())
    longest = max(int(store.used[1]), longest_row)
    size = max(POOL_START, 2 * live + 8 * longest)
    data, indices = np.zeros(size, store.data.dtype), np.zeros(size, np.int64)
    start, stop = np.zeros_like(store.start), np.zeros_like(store.stop)
    if pieces:
        data[:live] = np.concatenate([store.data[piece] for piece in pieces])
        indices[:live] = np.concatenate([store.indices[piece] for piece in pieces])
        stop[:n] = np.cumsum(lengths)
        start[:n] = stop[:n] - lengths
    used = np.array([live, longest], np.int64)
    return PoolStore(data, indices, start, stop, store.norms, used)


def vectors_of(store: Any, n: int, n_features: int) -> Any:
    """The first n vectors as a matrix of the user's kind: dense, or CSR."""
    if isinstance(store, DenseStore):
        return store.vectors[:n].copy()
    if isinstance(store, ColumnStore):
        return sparse.csr_matrix(store.columns[:, :n].T)
    tight = compacted_pool(store, n, 0)
    indptr = np.concatenate([[0], tight.stop[:n]])
    live = int(indptr[-1])
    return sparse.csr_matrix((tight.data[:live], tight.indices[:live], indptr), (n, n_features))
