"""What a kernel is a function of, and how a block of its values is made.

A kernel is a ``NamedTuple`` of its parameters with ``value(g)``, where g is the one number that its
geometry gives of two rows, and with declarations::

    class Cauchy(NamedTuple):
        gamma: float
        geometry = "squared_distances"

        def value(self, g):
            return 1.0 / (1.0 + self.gamma * g)

``geometry`` is "products" (g = x.v), "squared_distances" (g = |x - v|^2) or "city_block" (g = |x - v|_1).
What follows from it is not declared again: with distances a shift of the data changes nothing, and
k(x, x) = value(0), else value(|x|^2). A kernel may also declare

* ``positive_definite = False``: then what projects, or follows norms, refuses it; and so does what divides by
  k(x, x), or compares vectors by it, unless it declares ``nonnegative_diagonal = True``: no k(x, x) < 0;
* ``gaussian = True``: it is exp(-gamma |x - v|^2), so that two vectors can be merged;
* ``rate_quantile(u)``, where value(g) is the mean of exp(-s g) over a random rate s >= 0: the quantile
  function of s. Then the kernel has Fourier features.

The loops below are compiled once for a kernel, its geometry, and a kind of rows and vectors.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner
from onkel.compiled.views import rows_between
from onkel.model.questions import (
    as_store,
    chebyshev,
    compare,
    compare_with_itself,
    manhattan,
    products,
    value,
    with_distinct_names,
    with_exact_types,
)
from onkel.model.state import Workspace
from onkel.model.tile import TILE, Tile

PRODUCTS, SQUARED_DISTANCES, CITY_BLOCK = "products", "squared_distances", "city_block"
#: Which distances a budget may want beside kernel values.
SQUARED, LARGEST_COORDINATE = "squared", "largest_coordinate"


#: Rows that are compared at once with those before them.
STRIP = 32


@inner
def evaluate_tile(kernel: Any, store: Any, rows: Any, tile: Tile, workspace: Workspace) -> None:
    """Values of rows with vectors; of a row with those before it in the block, if it may enter the support set."""
    flat = workspace.buffer
    for begin in range(tile.begin, tile.end, TILE):
        compare(
            kernel, store, rows, tile.first, tile.rows, begin, min(begin + TILE, tile.end),
            flat, workspace.values, workspace.distances,
        )  # fmt: skip
    if tile.inside:
        compare_with_itself(kernel, rows, tile.first, tile.rows, workspace.diagonal)
        if workspace.block_values.size > 0:
            block = as_store(rows, tile.first, tile.rows)
            for r in range(0, tile.rows, STRIP):
                count = min(STRIP, tile.rows - r)
                values = rows_between(workspace.block_values, r, count)
                distances = rows_between(workspace.block_distances, r, count)
                compare(
                    kernel,
                    block,
                    rows,
                    tile.first + r,
                    count,
                    0,
                    r + count,
                    flat,
                    values,
                    distances,
                )


class FromProducts(NamedTuple):
    """Blocks of a kernel that is a function of inner products."""

    kernel: Any

    def evaluate(self, store: Any, rows: Any, tile: Tile, workspace: Workspace) -> None:
        evaluate_tile(self, store, rows, tile, workspace)

    def compare(
        self, store: Any, rows: Any, first: int, count: int, begin: int, end: int,
        flat: Array, out: Array, distances: Array,
    ) -> None:  # fmt: skip
        raw = products(store, rows, first, count, begin, end, flat)
        values_of_all(self.kernel, raw, begin, out)

    def compare_with_itself(self, rows: Any, first: int, count: int, diagonal: Array) -> None:
        for r in range(count):
            diagonal[r] = value(self.kernel, rows.norms[first + r])


class FromCityBlock(NamedTuple):
    """Blocks of a kernel that is a function of city-block distances."""

    kernel: Any

    def evaluate(self, store: Any, rows: Any, tile: Tile, workspace: Workspace) -> None:
        evaluate_tile(self, store, rows, tile, workspace)

    def compare(
        self, store: Any, rows: Any, first: int, count: int, begin: int, end: int,
        flat: Array, out: Array, distances: Array,
    ) -> None:  # fmt: skip
        raw = manhattan(store, rows, first, count, begin, end, flat)
        values_of_all(self.kernel, raw, begin, out)

    def compare_with_itself(self, rows: Any, first: int, count: int, diagonal: Array) -> None:
        fill_constant(self.kernel, count, diagonal)


class FromSquaredDistances(NamedTuple):
    """Blocks of a kernel that is a function of Euclidean distance; its squares where there is room."""

    kernel: Any

    def evaluate(self, store: Any, rows: Any, tile: Tile, workspace: Workspace) -> None:
        evaluate_tile(self, store, rows, tile, workspace)

    def compare(
        self, store: Any, rows: Any, first: int, count: int, begin: int, end: int,
        flat: Array, out: Array, distances: Array,
    ) -> None:  # fmt: skip
        raw = products(store, rows, first, count, begin, end, flat)
        own = rows_between(rows.norms, first, count)
        norms = rows_between(store.norms, begin, end - begin)
        values_of_distances(self.kernel, raw, own, norms, begin, out, distances)

    def compare_with_itself(self, rows: Any, first: int, count: int, diagonal: Array) -> None:
        fill_constant(self.kernel, count, diagonal)


class BesideLargestCoordinate(NamedTuple):
    """The same, with largest coordinate differences for distances: for cells that are cubes."""

    kernel: Any

    def evaluate(self, store: Any, rows: Any, tile: Tile, workspace: Workspace) -> None:
        evaluate_tile(self, store, rows, tile, workspace)

    def compare(
        self, store: Any, rows: Any, first: int, count: int, begin: int, end: int,
        flat: Array, out: Array, distances: Array,
    ) -> None:  # fmt: skip
        raw = products(store, rows, first, count, begin, end, flat)
        own = rows_between(rows.norms, first, count)
        norms = rows_between(store.norms, begin, end - begin)
        values_of_distances(self.kernel, raw, own, norms, begin, out, distances[:0])
        if distances.size > 0:  # a workspace for scoring has no room for them
            chebyshev(store, rows, first, count, begin, end, distances)

    def compare_with_itself(self, rows: Any, first: int, count: int, diagonal: Array) -> None:
        fill_constant(self.kernel, count, diagonal)


@inner
def values_of_all(kernel: Any, raw: Array, begin: int, out: Array) -> None:
    count, n = raw.shape
    for r in range(count):
        given, row = raw[r], rows_between(out[r], begin, n)
        for i in range(n):
            row[i] = value(kernel, given[i])


@inner
def fill_constant(kernel: Any, count: int, diagonal: Array) -> None:
    """k(x, x) of a kernel of distances."""
    own = value(kernel, diagonal.dtype.type(0))
    for r in range(count):
        diagonal[r] = own


@inner
def values_of_distances(
    kernel: Any,
    raw: Array,
    row_norms: Array,
    norms: Array,
    begin: int,
    out: Array,
    distances: Array,
) -> None:
    """Inner products to squared distances, clipped at 0, to kernel values."""
    two, zero = raw.dtype.type(2), raw.dtype.type(0)
    count, n = raw.shape
    for r in range(count):
        inner, row, own = raw[r], rows_between(out[r], begin, n), row_norms[r]
        if distances.size > 0:
            gaps = rows_between(distances[r], begin, n)
            for i in range(n):
                gap = own + norms[i] - two * inner[i]
                gaps[i] = gap if gap > zero else zero
            for i in range(n):
                row[i] = value(kernel, gaps[i])
        else:
            for i in range(n):
                gap = own + norms[i] - two * inner[i]
                row[i] = value(kernel, gap if gap > zero else zero)


GEOMETRIES: dict[str, Any] = {
    PRODUCTS: FromProducts,
    SQUARED_DISTANCES: FromSquaredDistances,
    CITY_BLOCK: FromCityBlock,
}


def is_part(kernel: Any) -> bool:
    """Whether it is a kernel part (or a map), not a function of two sets of rows."""
    return isinstance(kernel, tuple) and (hasattr(kernel, "value") or hasattr(kernel, "evaluate"))


def geometry_of(kernel: Any) -> str | None:
    """What the kernel is a function of; None for what is no kernel part."""
    found = getattr(kernel, "geometry", None)
    if found not in GEOMETRIES and hasattr(kernel, "value"):
        raise ValueError(
            f"kernel={kernel!r} must declare its geometry: {', '.join(map(repr, GEOMETRIES))}, "
            f"got {found!r}."
        )
    return found


def is_shift_invariant(kernel: Any) -> bool:
    """Whether a shift of all rows changes nothing."""
    return geometry_of(kernel) in (SQUARED_DISTANCES, CITY_BLOCK)


def is_positive_definite(kernel: Any) -> bool:
    """Whether no Gram matrix has a negative eigenvalue; of a function, that is taken on trust."""
    return bool(getattr(kernel, "positive_definite", True))


def has_nonnegative_diagonal(kernel: Any) -> bool:
    """Whether k(x, x) is negative for no row, as of every positive definite kernel."""
    return bool(getattr(kernel, "nonnegative_diagonal", is_positive_definite(kernel)))


def is_bounded_by_origin(kernel: Any) -> bool:
    """Whether a kernel of distances is a number at 0, and nowhere tried larger: else it is not definite."""
    try:
        own, *others = (float(kernel.value(g)) for g in (0.0, 0.01, 1.0, 100.0))
    except (ArithmeticError, ValueError):
        return False
    return math.isfinite(own) and all(abs(other) <= own for other in others)


def is_gaussian(kernel: Any) -> bool:
    """Whether it is exp(-gamma |x - v|^2)."""
    return bool(getattr(kernel, "gaussian", False))


def has_spectrum(kernel: Any) -> bool:
    """Whether frequencies can be drawn for it."""
    return is_shift_invariant(kernel) and hasattr(kernel, "rate_quantile")


def for_blocks(kernel: Any, dtype: Any, distances: str = "") -> Any:
    """The kernel as the engine asks it: its numbers in the precision of the rows, in its geometry.

    ``distances`` says which ones a budget reads beside the values.
    """
    if not hasattr(kernel, "value"):
        return kernel
    made = BesideLargestCoordinate if distances == LARGEST_COORDINATE else None
    return (made or GEOMETRIES[kernel.geometry])(in_precision(kernel, dtype))


def in_precision(kernel: Any, dtype: Any) -> Any:
    """The kernel with every float of this type: one of the other would halve the vector width."""
    kernel = with_distinct_names(with_exact_types(kernel))
    if np.dtype(dtype) == np.float64:
        return kernel
    kind = np.dtype(dtype).type
    floats = {name: kind(x) for name, x in kernel._asdict().items() if type(x) is float}
    return kernel._replace(**floats)
