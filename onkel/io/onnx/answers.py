"""What a learner makes of scores, as operators: labels, probabilities, numbers, outliers."""

from __future__ import annotations

from copy import copy
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_classifier, is_outlier_detector, is_regressor

from onkel.calibration import Calibrator
from onkel.drift import DriftAware
from onkel.estimators.look import at_one_moment
from onkel.io.errors import NotExportable
from onkel.io.onnx.forms import form_of, form_scores
from onkel.io.onnx.graph import Graph


class Answer(NamedTuple):
    """One of the outputs: its name, its type, and how many columns; 0 of a plain vector."""

    name: str
    kind: str
    columns: int


Answers = dict[str, Answer]


def settled(learner: Any) -> Any:
    """The learner that answers now, whatever another thread makes of it.

    Of a watched one it is that within, of a first look the provisional one.
    """
    now = at_one_moment(learner.learner_ if isinstance(learner, DriftAware) else learner)
    view = object.__new__(type(now))
    view.__dict__ = dict(vars(now))
    if "_machine" in vars(view):
        view._machine = copy(view._machine)
    return view


def answers_of(graph: Graph, rows: str, learner: Any, width: int) -> Answers:
    """All that a learner says of rows of so many features."""
    learner = settled(learner)
    scores = form_scores(graph, rows, form_of(learner, width), width)
    if is_classifier(learner):
        return classified(graph, scores, learner)
    if is_regressor(learner):
        told = graph.op("Mul", scores, graph.numbers(learner.target_scale_))
        told = graph.op("Add", told, graph.numbers(learner.target_mean_))
        return {"variable": Answer(told, graph.arithmetic, 1)}
    if is_outlier_detector(learner):
        return told_apart(graph, scores, learner)
    raise NotExportable(f"{type(learner).__name__} is no learner of onkel.")


def told_apart(graph: Graph, scores: str, learner: Any) -> Answers:
    """1 for inliers, -1 for outliers, and scores less what is normal enough."""
    scores = graph.op("Sub", scores, graph.numbers(learner.offset_))
    inside = graph.op("GreaterOrEqual", scores, graph.numbers(0.0))
    label = graph.op("Where", inside, *(graph.constant(np.int64(sign)) for sign in (1, -1)))
    label = flat(graph, label)
    return {"label": Answer(label, "int64", 0), "scores": Answer(scores, graph.arithmetic, 1)}


def classified(graph: Graph, scores: str, learner: Any) -> Answers:
    """The label, the probabilities if there are any, and the scores."""
    classes = learner.classes_
    if len(classes) == 2:
        place = flat(graph, graph.op("Greater", scores, graph.numbers(0.0)))
        place, outputs = graph.cast(place, "int64"), 1
    else:  # of a single class there is one score, whose place is 0
        learner_knows_a_class(learner)
        place, outputs = graph.op("ArgMax", scores, axis=1, keepdims=0), len(classes)
    labels, kind = labels_of(classes)
    label = graph.op("Gather", graph.constant(labels), place)
    answers = {"label": Answer(label, kind, 0)}
    if learner._has_calibrator():
        likely = probabilities(graph, scores, calibrator_of(learner), len(classes))
        answers["probabilities"] = Answer(likely, graph.arithmetic, len(classes))
    answers["scores"] = Answer(scores, graph.arithmetic, outputs)
    return answers


def learner_knows_a_class(learner: Any) -> None:
    """An error that says so if no class is known yet."""
    if hasattr(learner, "_knows_one"):
        learner._knows_one()


def calibrator_of(learner: Any) -> Calibrator:
    own = vars(learner).get("_calibrator")
    return learner._machine.observer if own is None else own


def probabilities(graph: Graph, scores: str, calibrator: Calibrator, n_classes: int) -> str:
    """A logistic function of the scores, or the softmax."""
    steep = graph.op("Mul", scores, graph.numbers(calibrator._slope))
    logits = graph.op("Add", steep, graph.numbers(calibrator.theta[1:]))
    if n_classes > 2:
        return graph.op("Softmax", logits, axis=1)
    if n_classes == 1:
        return graph.op("Exp", graph.op("Mul", scores, graph.numbers(0.0)))
    each = graph.op("Concat", graph.op("Neg", logits), logits, axis=1)
    return graph.op("Sigmoid", each)


def labels_of(classes: np.ndarray) -> tuple[np.ndarray, str]:
    """Labels in a type that ONNX has, and its name."""
    if classes.dtype.kind in "iu":
        return classes.astype(np.int64), "int64"
    if classes.dtype.kind == "b":
        return classes, "bool"
    if classes.dtype.kind == "f":
        return classes.astype(np.float64), "float64"
    if classes.dtype.kind == "U" or all(isinstance(label, str) for label in classes):
        return classes.astype(object), "str"
    raise NotExportable(
        f"labels of type {classes.dtype} have no type in ONNX: learn words or numbers."
    )


def flat(graph: Graph, column: str) -> str:
    """A column as a vector."""
    return graph.op("Squeeze", column, graph.constant(np.array([1], np.int64)))
