"""A whole model as an ONNX model: inputs, steps, learner, outputs."""

from __future__ import annotations

from typing import Any

from onnx import checker, helper
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

import onkel
from onkel.drift import DriftAware
from onkel.estimators.batch import BatchClassifier
from onkel.estimators.online import OnlineLearner
from onkel.io.errors import NotExportable
from onkel.io.onnx.answers import Answer, Answers, answers_of
from onkel.io.onnx.graph import IR_VERSION, ML, ML_OPSET, OPSET, TYPES, Graph
from onkel.io.onnx.steps import STEPS, transformed, width_of
from onkel.io.onnx.tables import encoded, input_kinds
from onkel.tables import TableEncoder
from onkel.tables.steps import NOTHING

#: What a model may end in.
LEARNERS = (OnlineLearner, BatchClassifier, DriftAware)


def converted(model: Any, dtype: str, arithmetic: str) -> Any:
    """The model as ONNX: see :func:`onkel.io.to_onnx`."""
    steps = steps_of(model)
    graph = Graph(arithmetic)
    inputs, rows, width = begun(graph, steps, dtype)
    for step in [step for step in steps if type(step) in STEPS]:
        rows, width = transformed(graph, rows, step), width_of(step)
    answers = {"rows": Answer(rows, arithmetic, width)}
    if isinstance(steps[-1], LEARNERS):
        answers = answers_of(graph, rows, steps[-1], width)
    outputs = ended(graph, answers, dtype)
    body = helper.make_graph(
        graph.nodes(), type(steps[-1]).__name__, inputs, outputs, graph.tensors()
    )
    versions = [helper.make_opsetid("", OPSET)]
    if any(each.domain == ML for each in graph.operators):
        versions.append(helper.make_opsetid(ML, ML_OPSET))
    made = helper.make_model(
        body,
        producer_name="onkel",
        producer_version=onkel.__version__,
        opset_imports=versions,
        ir_version=IR_VERSION,
    )
    checker.check_model(made)
    return made


def steps_of(model: Any) -> list[Any]:
    """The steps of a fitted model, each of a kind that can be written."""
    pipeline = isinstance(model, Pipeline)
    steps = [step for _, step in model.steps if step not in NOTHING] if pipeline else [model]
    for number, step in enumerate(steps):
        last = number == len(steps) - 1
        if isinstance(step, LEARNERS) and last:
            check_is_fitted(step)
        elif isinstance(step, TableEncoder) and number == 0:
            check_is_fitted(step)
        elif type(step) in STEPS:
            check_is_fitted(step)
        else:
            raise refused(step, pipeline)
    return steps


def refused(step: Any, within_pipeline: bool) -> NotExportable:
    name = type(step).__name__
    if within_pipeline:
        return NotExportable(
            f"the step {name} is none that onkel writes as ONNX. For a Pipeline of other steps that ends in a model "
            f"of onkel call onkel.io.register_onnx_converters(), then skl2onnx.to_onnx(pipeline, X)."
        )
    return NotExportable(
        f"{name} is no model of onkel, and none of the steps that onkel writes as ONNX."
    )


def begun(graph: Graph, steps: list[Any], dtype: str) -> tuple[list[Any], str, int]:
    """The inputs, the rows of numbers that become of them, and how many columns these have."""
    first = steps[0]
    if not isinstance(first, TableEncoder):
        width = int(first.n_features_in_)
        described = helper.make_tensor_value_info("X", TYPES[dtype], [None, width])
        return [described], graph.cast("X", graph.arithmetic), width
    encoding = first._known()
    kinds = input_kinds(encoding, dtype)
    inputs = [
        helper.make_tensor_value_info(name, TYPES[kind], [None, 1], doc)
        for name, (kind, doc) in kinds.items()
    ]
    # A learner that comes next knows that columns which are not in use are 0.
    next_learns = len(steps) > 1 and isinstance(steps[1], LEARNERS)
    width = len(encoding.places.names) if next_learns else encoding.width
    return inputs, encoded(graph, encoding, {name: name for name in kinds}, width), width


def ended(graph: Graph, answers: Answers, dtype: str) -> list[Any]:
    """The outputs, under their names and in the type that is wanted."""
    outputs = []
    for name, answer in answers.items():
        kind = dtype if answer.kind in ("float32", "float64") else answer.kind
        last = answer.name if kind == answer.kind else graph.cast(answer.name, kind)
        graph.name_output(last, name)
        shape = [None, answer.columns] if answer.columns else [None]
        outputs.append(helper.make_tensor_value_info(name, TYPES[kind], shape))
    return outputs
