"""Kernel values of rows with vectors, as operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import helper

from onkel.io.errors import NotExportable
from onkel.io.onnx.graph import TYPES, Graph
from onkel.kernels import (
    Laplacian,
    Linear,
    Matern32,
    Matern52,
    Polynomial,
    RationalQuadratic,
    Rbf,
    Sigmoid,
)
from onkel.kernels.geometry import CITY_BLOCK, PRODUCTS, geometry_of, is_part
from onkel.kernels.matern import FARTHEST


def kernel_values(graph: Graph, rows: str, kernel: Any, vectors: np.ndarray) -> str:
    """The kernel's values (rows x vectors)."""
    check_kernel(kernel)
    measure = {PRODUCTS: products, CITY_BLOCK: city_block}.get(kernel.geometry, squared_distances)
    return VALUES[type(kernel)](graph, measure(graph, rows, vectors), kernel)


def check_kernel(kernel: Any) -> None:
    """Refuse a kernel that is no formula of standard operators."""
    if type(kernel) in VALUES:
        return
    names = ", ".join(cls.__name__ for cls in VALUES)
    if is_part(kernel) and geometry_of(kernel) is not None:
        what = f"kernel={kernel!r} is a part of your own"
    else:
        what = f"kernel={kernel!r} is a function"
    raise NotExportable(
        f"{what}: its code cannot be written as ONNX operators. Kernels that can are {names} of "
        f"onkel.kernels, by name or as parts."
    )


def products(graph: Graph, rows: str, vectors: np.ndarray) -> str:
    return graph.op("MatMul", rows, graph.numbers(vectors.T))


def squared_distances(graph: Graph, rows: str, vectors: np.ndarray) -> str:
    r"""Of rows near the origin: :math:`|x|^2 + |v|^2 - 2 x v`, and no less than 0."""
    norms = np.einsum("ij,ij->i", vectors, vectors)
    own = graph.row_sums(graph.op("Mul", rows, rows))
    mixed = graph.op("MatMul", rows, graph.numbers(-2.0 * vectors.T))
    sums = graph.op("Add", graph.op("Add", mixed, graph.numbers(norms)), own)
    return graph.op("Max", sums, graph.numbers(0.0))


def city_block(graph: Graph, rows: str, vectors: np.ndarray) -> str:
    """Summed feature by feature, so that no more than the result is in memory."""
    kind = TYPES[graph.arithmetic]
    name = graph.new_name("feature")
    so_far, row, vector, away, size, total, axis = (
        f"{name}_{part}" for part in ("so_far", "row", "vector", "away", "size", "total", "axis")
    )
    body = helper.make_graph(
        [
            helper.make_node("Unsqueeze", [row, axis], [f"{row}_column"]),
            helper.make_node("Sub", [f"{row}_column", vector], [away]),
            helper.make_node("Abs", [away], [size]),
            helper.make_node("Add", [so_far, size], [total]),
        ],
        name,
        [
            helper.make_tensor_value_info(so_far, kind, [None, len(vectors)]),
            helper.make_tensor_value_info(row, kind, [None]),
            helper.make_tensor_value_info(vector, kind, [len(vectors)]),
        ],
        [helper.make_tensor_value_info(total, kind, [None, len(vectors)])],
        [helper.make_tensor(axis, TYPES["int64"], [1], [1])],
    )
    nothing = graph.op("MatMul", rows, graph.numbers(np.zeros(vectors.shape[::-1])))
    columns = graph.op("Transpose", rows, perm=[1, 0])
    each = graph.numbers(vectors.T)
    return graph.op("Scan", nothing, columns, each, body=body, num_scan_inputs=2)


# -- values of what a kernel is a function of ------------------------------------------------------


def falling(graph: Graph, measured: str, factor: float) -> str:
    """exp(-factor g)."""
    return graph.op("Exp", graph.op("Mul", measured, graph.numbers(-factor)))


def line(graph: Graph, measured: str, kernel: Any) -> str:
    """gamma g + coef0."""
    turned = graph.op("Mul", measured, graph.numbers(kernel.gamma))
    return graph.op("Add", turned, graph.numbers(kernel.coef0))


def exponential(graph: Graph, measured: str, kernel: Any) -> str:
    return falling(graph, measured, kernel.gamma)


def itself(graph: Graph, measured: str, kernel: Any) -> str:
    return measured


def power(graph: Graph, measured: str, kernel: Any) -> str:
    return graph.op("Pow", line(graph, measured, kernel), graph.numbers(kernel.degree))


def tanh(graph: Graph, measured: str, kernel: Any) -> str:
    return graph.op("Tanh", line(graph, measured, kernel))


def scaled_distance(graph: Graph, measured: str, factor: float) -> str:
    """The root of factor g, but no more than where exp of minus it is 0."""
    root = graph.op("Sqrt", graph.op("Mul", measured, graph.numbers(factor)))
    return graph.op("Min", root, graph.numbers(FARTHEST))


def matern32(graph: Graph, measured: str, kernel: Any) -> str:
    z = scaled_distance(graph, measured, 6.0 * kernel.gamma)
    rising = graph.op("Add", z, graph.numbers(1.0))
    return graph.op("Mul", rising, falling(graph, z, 1.0))


def matern52(graph: Graph, measured: str, kernel: Any) -> str:
    z = scaled_distance(graph, measured, 10.0 * kernel.gamma)
    square = graph.op("Mul", graph.op("Mul", z, z), graph.numbers(1.0 / 3.0))
    rising = graph.op("Add", graph.op("Add", z, square), graph.numbers(1.0))
    return graph.op("Mul", rising, falling(graph, z, 1.0))


def rational_quadratic(graph: Graph, measured: str, kernel: Any) -> str:
    base = graph.op("Mul", measured, graph.numbers(kernel.gamma / kernel.alpha))
    base = graph.op("Add", base, graph.numbers(1.0))
    return graph.op("Pow", base, graph.numbers(-kernel.alpha))


VALUES: dict[type, Callable[[Graph, str, Any], str]] = {
    Rbf: exponential,
    Laplacian: exponential,
    Matern32: matern32,
    Matern52: matern52,
    RationalQuadratic: rational_quadratic,
    Polynomial: power,
    Linear: itself,
    Sigmoid: tanh,
}
