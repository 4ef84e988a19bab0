"""Transformers of numbers as operators: onkel's, and scikit-learn's plain ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import decomposition, preprocessing

from onkel.engine.matrix import KernelMatrix
from onkel.io.errors import NotExportable
from onkel.io.onnx.forms import centred, dense, sines_and_cosines
from onkel.io.onnx.graph import Graph
from onkel.io.onnx.kernels import kernel_values
from onkel.tables.scaler import Scaler
from onkel.transformers import Nystrom, RandomFourier


def transformed(graph: Graph, rows: str, step: Any) -> str:
    """The rows as a step gives them."""
    write = STEPS.get(type(step))
    if write is None:
        raise NotExportable(
            f"the step {type(step).__name__} is none that onkel writes as ONNX. Make it a step of scikit-learn's "
            f"Pipeline, call onkel.io.register_onnx_converters(), and convert that by skl2onnx.to_onnx."
        )
    return write(graph, rows, step)


def width_of(step: Any) -> int:
    """How many columns a step gives."""
    if isinstance(step, (Nystrom, RandomFourier)):
        return int(step._n_features_out)
    return int(getattr(step, "n_components_", step.n_features_in_))


def affine(graph: Graph, rows: str, offset: Any, factor: Any, bottom: Any = None) -> str:
    """(x - offset) * factor + bottom; what is None is left out."""
    for kind, value in (("Sub", offset), ("Mul", factor), ("Add", bottom)):
        if value is not None:
            rows = graph.op(kind, rows, graph.numbers(value))
    return rows


def clipped(graph: Graph, rows: str, low: Any, high: Any) -> str:
    return graph.op("Clip", rows, graph.numbers(low), graph.numbers(high))


def scaled(graph: Graph, rows: str, scaler: Scaler) -> str:
    shifts = bool(scaler._shifts)
    offset, factor = scaler._offsets_and_factors(shifts)
    bottom = scaler._bottom if shifts else None
    rows = affine(graph, rows, offset if shifts else None, factor, bottom)
    if scaler.clip and scaler.to != "unit_variance":
        rows = clipped(graph, rows, bottom if shifts else -1.0, 1.0)
    return rows


def standardized(graph: Graph, rows: str, scaler: Any) -> str:
    return affine(graph, rows, scaler.mean_ if scaler.with_mean else None, inverse(scaler.scale_))


def in_range(graph: Graph, rows: str, scaler: Any) -> str:
    rows = affine(graph, rows, None, scaler.scale_, scaler.min_)
    return clipped(graph, rows, *scaler.feature_range) if scaler.clip else rows


def by_largest(graph: Graph, rows: str, scaler: Any) -> str:
    rows = affine(graph, rows, None, inverse(scaler.scale_))
    return clipped(graph, rows, -1.0, 1.0) if getattr(scaler, "clip", False) else rows


def robust(graph: Graph, rows: str, scaler: Any) -> str:
    return affine(graph, rows, scaler.center_, inverse(scaler.scale_))


def inverse(scale: Any) -> Any:
    return None if scale is None else 1.0 / scale


def normalized(graph: Graph, rows: str, step: Any) -> str:
    """Every row divided by its norm; a row of zeros stays so."""
    sizes = graph.op("Abs", rows)
    if step.norm == "max":
        norms = graph.op("ReduceMax", sizes, axes=[1], keepdims=1)
    elif step.norm == "l1":
        norms = graph.row_sums(sizes)
    else:
        norms = graph.op("Sqrt", graph.row_sums(graph.op("Mul", rows, rows)))
    is_zero = graph.op("Equal", norms, graph.numbers(0.0))
    return graph.op("Div", rows, graph.op("Where", is_zero, graph.numbers(1.0), norms))


def principal(graph: Graph, rows: str, step: Any) -> str:
    rows = graph.op("Sub", rows, graph.numbers(step.mean_))
    axes = step.components_.T
    if step.whiten:
        least = np.finfo(step.explained_variance_.dtype).eps
        axes = axes / np.maximum(np.sqrt(step.explained_variance_), least)
    return graph.op("MatMul", rows, graph.numbers(axes))


def fourier(graph: Graph, rows: str, step: RandomFourier) -> str:
    return sines_and_cosines(graph, rows, step.frequencies_.matrix())


def nystrom(graph: Graph, rows: str, step: Nystrom) -> str:
    landmarks = KernelMatrix(step._kernel, step.components_)
    term = centred(landmarks.kernel, landmarks.V, np.zeros((0, 0)))
    if term.offset is not None:
        rows = graph.op("Sub", rows, graph.numbers(term.offset))
    values = kernel_values(graph, rows, term.kernel, dense(term.vectors, step.n_features_in_))
    return graph.op("MatMul", values, graph.numbers(step.normalization_))


STEPS: dict[type, Callable[[Graph, str, Any], str]] = {
    Scaler: scaled,
    RandomFourier: fourier,
    Nystrom: nystrom,
    preprocessing.StandardScaler: standardized,
    preprocessing.MinMaxScaler: in_range,
    preprocessing.MaxAbsScaler: by_largest,
    preprocessing.RobustScaler: robust,
    preprocessing.Normalizer: normalized,
    decomposition.IncrementalPCA: principal,
}
