"""The fixed form of a learner: sums of kernel values or of waves, and a constant; and their scores as operators."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from onkel.engine import layout
from onkel.engine.explicit import NystromMachine
from onkel.engine.growth import with_features
from onkel.engine.machine import Machine
from onkel.engine.ridge.machine import RidgeMachine
from onkel.engine.together import Together
from onkel.estimators.batch import BatchClassifier
from onkel.io.errors import NotExportable
from onkel.io.onnx.graph import Graph, check_size
from onkel.io.onnx.kernels import check_kernel, kernel_values
from onkel.kernels.geometry import is_shift_invariant
from onkel.maps.fourier import Frequencies


class Expansion(NamedTuple):
    """Kernel values with vectors; both they and the rows less an offset."""

    kernel: Any
    vectors: Any  # (vectors, features), dense or CSR
    coef: np.ndarray  # (outputs, vectors)
    offset: np.ndarray | None = None


class Waves(NamedTuple):
    """Sines and cosines of frequencies."""

    frequencies: np.ndarray  # (features, frequencies)
    coef: np.ndarray  # (outputs, sines and cosines)


class Form(NamedTuple):
    """What scores are the sum of."""

    terms: list[Expansion | Waves]
    intercept: np.ndarray  # (outputs,)


def form_of(learner: Any, width: int) -> Form:
    """The form of a learner that has learned, for rows of so many features; of more it knows, the rest is 0."""
    if isinstance(learner, BatchClassifier):
        matrix: Any = learner._kernel_function()
        outputs = len(learner.dual_coef_)
        return Form([centred(matrix.kernel, matrix.V, learner.dual_coef_)], np.zeros(outputs))
    machine = learner._machine
    if not isinstance(machine, (Machine, Together, RidgeMachine)):
        raise NotExportable(
            f"{type(learner).__name__} is of several learners, which cannot be written as ONNX: export its leader_."
        )
    if width > machine.shape.n_features:
        machine = with_features(machine, width)
    if isinstance(machine, RidgeMachine) and not isinstance(machine.map, Frequencies):
        term = centred(machine.kernel, machine.map.landmarks, machine.dual_coef())
        return Form([term], machine.output_intercept())
    frequencies = frequencies_of(machine)
    if frequencies is not None:
        waves = Waves(frequencies.matrix(), machine.output_coef())
        return Form([waves], machine.output_intercept())
    return Form(expansions_of(machine), machine.output_intercept())


def frequencies_of(machine: Any) -> Frequencies | None:
    """Those of a machine on Fourier features."""
    found = getattr(machine, "map", None) or getattr(machine, "frequencies", None)
    return found if isinstance(found, Frequencies) else None


def expansions_of(machine: Any) -> list[Expansion | Waves]:
    """The kernel expansion of a machine, or of each of several."""
    if isinstance(machine, Together):
        weights = [machine._weights_of(number)[0] for number in range(len(machine.machines))]
        return [expansion_of(each, coef) for each, coef in zip(machine.machines, weights)]
    return [expansion_of(machine, machine.output_coef())]


def expansion_of(machine: Any, coef: np.ndarray) -> Expansion:
    held = machine.before if isinstance(machine, NystromMachine) else machine
    vectors = layout.vectors_of(held.store, held.n, machine.shape.n_features)
    return Expansion(machine.kernel, vectors, machine.as_expansion(coef), machine.offset)


def centred(kernel: Any, vectors: Any, coef: np.ndarray) -> Expansion:
    """Vectors as they are, moved next to the origin where the kernel does not mind."""
    if sparse.issparse(vectors) or not is_shift_invariant(kernel):
        return Expansion(kernel, vectors, coef)
    offset = np.median(vectors, axis=0)
    return Expansion(kernel, vectors - offset, coef, offset)


def form_scores(graph: Graph, rows: str, form: Form, width: int) -> str:
    """Scores (rows x outputs) of a form."""
    parts = [
        expansion_scores(graph, rows, term, width)
        if isinstance(term, Expansion)
        else wave_scores(graph, rows, term, width)
        for term in form.terms
    ]
    return graph.op("Add", graph.op("Sum", *parts), graph.numbers(form.intercept))


def expansion_scores(graph: Graph, rows: str, term: Expansion, width: int) -> str:
    check_kernel(term.kernel)
    outputs, size = term.coef.shape
    if not size:  # no row has become a vector so far
        return graph.op("MatMul", rows, graph.numbers(np.zeros((width, outputs))))
    if term.offset is not None:
        rows = less(graph, rows, term.offset[:width])
    values = kernel_values(graph, rows, term.kernel, dense(term.vectors, width))
    return graph.op("MatMul", values, graph.numbers(term.coef.T))


def less(graph: Graph, rows: str, offset: np.ndarray) -> str:
    """Rows less an offset, with all its digits: what single precision cannot hold of it is taken off after."""
    held = np.asarray(offset, graph.arithmetic).astype(float)
    rows = graph.op("Sub", rows, graph.numbers(held))
    rest = offset - held
    return graph.op("Sub", rows, graph.numbers(rest)) if rest.any() else rows


def wave_scores(graph: Graph, rows: str, term: Waves, width: int) -> str:
    waves = sines_and_cosines(graph, rows, term.frequencies[:width])
    return graph.op("MatMul", waves, graph.numbers(term.coef.T))


def sines_and_cosines(graph: Graph, rows: str, frequencies: np.ndarray) -> str:
    """(sin Ux, cos Ux) / sqrt(D)."""
    turns = graph.op("MatMul", rows, graph.numbers(frequencies))
    waves = graph.op("Concat", graph.op("Sin", turns), graph.op("Cos", turns), axis=1)
    return graph.op("Mul", waves, graph.numbers(1.0 / np.sqrt(frequencies.shape[1])))


def dense(vectors: Any, width: int) -> np.ndarray:
    """The first columns of vectors, as an array of double precision."""
    check_size(8 * vectors.shape[0] * width)
    some = vectors[:, :width]
    return np.asarray(some.toarray() if sparse.issparse(some) else some, np.float64)
