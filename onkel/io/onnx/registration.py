"""Converters of onkel's learners and transformers, registered with skl2onnx."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import helper
from skl2onnx import update_registered_converter
from skl2onnx.common.data_types import Int64TensorType, guess_tensor_type
from skl2onnx.common.shape_calculator import (
    calculate_linear_classifier_output_shapes,
    calculate_linear_regressor_output_shapes,
)
from sklearn.base import ClassifierMixin, RegressorMixin, is_classifier, is_outlier_detector

import onkel
from onkel.drift import DriftAware
from onkel.io.errors import NotExportable
from onkel.io.onnx.answers import Answers, answers_of, settled
from onkel.io.onnx.graph import TYPES, Graph
from onkel.io.onnx.steps import transformed, width_of
from onkel.tables.scaler import Scaler
from onkel.transformers import Nystrom, RandomFourier

#: The precision that scores are computed in.
ARITHMETIC = "float64"
OPTIONS = {
    "zipmap": [True, False, "columns"],
    "nocl": [False],  # which skl2onnx asks for: labels are always kept
    "output_class_labels": [False, True],
    "raw_scores": [True, False],
}


def register() -> None:
    """Register all of them; once more changes nothing."""
    for name in onkel.__all__:
        cls = getattr(onkel, name)
        shapes, options = learner_shapes(cls)
        update_registered_converter(cls, alias_of(cls), shapes, convert_learner, options=options)
    for cls in (Scaler, Nystrom, RandomFourier):
        update_registered_converter(cls, alias_of(cls), transformer_shapes, convert_transformer)
    update_registered_converter(
        DriftAware, alias_of(DriftAware), watched_shapes, convert_learner,
        parser=parse_watched, options=OPTIONS,
    )  # fmt: skip


def alias_of(cls: type) -> str:
    return f"Onkel{cls.__name__}"


def learner_shapes(cls: type) -> tuple[Any, Any]:
    """How the outputs of a learner's kind look, and the options there are."""
    if issubclass(cls, ClassifierMixin):
        return calculate_linear_classifier_output_shapes, OPTIONS
    if issubclass(cls, RegressorMixin):
        return calculate_linear_regressor_output_shapes, None
    return outlier_shapes, None


def outlier_shapes(operator: Any) -> None:
    rows = operator.inputs[0].get_first_dimension()
    operator.outputs[0].type.shape = [rows]
    operator.outputs[1].type.shape = [rows, 1]


def transformer_shapes(operator: Any) -> None:
    rows, width = operator.inputs[0].get_first_dimension(), width_of(operator.raw_operator)
    operator.outputs[0].type.shape = [rows, width]


# -- a learner that is watched: the learner itself ------------------------------------------------


def parse_watched(scope: Any, model: Any, inputs: Any, custom_parsers: Any = None) -> Any:
    """The operator of the learner within, with the outputs of its kind."""
    operator = scope.declare_local_operator(alias_of(DriftAware), model)
    operator.inputs = inputs
    number = guess_tensor_type(inputs[0].type)
    kinds: dict[str, Any] = {"variable": number}
    if is_classifier(model):
        kinds = {"label": Int64TensorType(), "probabilities": number}
    for name, kind in kinds.items():
        operator.outputs.append(scope.declare_local_variable(name, kind))
    return operator.outputs


def watched_shapes(operator: Any) -> None:
    if is_classifier(operator.raw_operator):
        calculate_linear_classifier_output_shapes(operator)
    else:
        calculate_linear_regressor_output_shapes(operator)


# -- operators ------------------------------------------------------------------------------------


def convert_learner(scope: Any, operator: Any, container: Any) -> None:
    """Add a learner's operators to a container of skl2onnx."""
    learner, graph = operator.raw_operator, Graph(ARITHMETIC, scope.get_unique_variable_name)
    rows = graph.cast(operator.inputs[0].full_name, ARITHMETIC)
    answers = answers_of(graph, rows, learner, learner.n_features_in_)
    raw = is_classifier(learner) and container.get_options(learner, {}).get("raw_scores", False)
    deliver(graph, wanted(graph, answers, learner, raw), operator)
    pour(graph, container)


def wanted(graph: Graph, answers: Answers, learner: Any, raw: bool) -> list[str]:
    """The outputs that skl2onnx expects of a kind of learner."""
    if is_outlier_detector(learner):
        return [answers["label"].name, answers["scores"].name]
    if not is_classifier(learner):
        return [answers["variable"].name]
    label = answers["label"]
    name = graph.cast(label.name, "int64") if label.kind != "str" else label.name
    if not raw and "probabilities" not in answers:
        raise NotExportable(
            f"{type(settled(learner)).__name__} has no probabilities: learn it with probabilities=True, or convert "
            f"it with options={{'raw_scores': True, 'zipmap': False}}."
        )
    scores = answers["scores"]
    if raw and scores.columns == 1:
        return [name, graph.op("Concat", graph.op("Neg", scores.name), scores.name, axis=1)]
    return [name, scores.name if raw else answers["probabilities"].name]


def convert_transformer(scope: Any, operator: Any, container: Any) -> None:
    """Add a transformer's operators to a container of skl2onnx."""
    graph = Graph(ARITHMETIC, scope.get_unique_variable_name)
    rows = graph.cast(operator.inputs[0].full_name, ARITHMETIC)
    deliver(graph, [transformed(graph, rows, operator.raw_operator)], operator)
    pour(graph, container)


def deliver(graph: Graph, values: list[str], operator: Any) -> None:
    """Give values the names of an operator's outputs; numbers in the type of its input."""
    kind = "float64" if "Double" in type(operator.inputs[0].type).__name__ else "float32"
    for value, output in zip(values, operator.outputs):
        number = type(output.type).__name__ in ("FloatTensorType", "DoubleTensorType")
        graph.name_output(graph.cast(value, kind) if number else value, output.full_name)


def pour(graph: Graph, container: Any) -> None:
    for name, array in graph.constants.items():
        words = array.dtype == object
        kind = TYPES["str"] if words else helper.np_dtype_to_tensor_dtype(array.dtype)
        content = [word.encode() for word in array.ravel()] if words else np.ravel(array).tolist()
        container.add_initializer(name, kind, list(array.shape), content)
    for each in graph.operators:
        container.add_node(
            each.kind, list(each.inputs), [each.output], op_domain=each.domain, **each.attributes
        )
