"""A class of river's for a learner of onkel: the same parameters, river's methods."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from onkel.estimators.classifier import OnlineClassifier
from onkel.estimators.documentation import Entry, parameters, split
from onkel.estimators.online import OnlineLearner
from onkel.estimators.regressor import OnlineRegressor
from onkel.river.anomaly import AnomalyDetector
from onkel.river.classifier import Classifier
from onkel.river.model import Model
from onkel.river.regressor import Regressor

SEED = Entry(
    "seed",
    "int or None, default=None",
    "Seed of all random draws: the same seed gives the same model. None: another one every time.",
)
ATTRIBUTES = f"""Attributes
----------
features_ : list
    {Model.features_.__doc__}
learner_ : estimator
    {Model.learner_.__doc__}"""
LABELS = """>>> for x in range(-20, 20):
...     model.learn_one({{"x": x / 10}}, "left" if x < 0 else "right")
>>> model.predict_one({{"x": 1.5}}), sorted(model.predict_proba_one({{"x": 1.5}}))
('right', ['left', 'right'])"""
NUMBERS = """>>> for x in range(-20, 20):
...     model.learn_one({{"x": x / 10}}, x / 10)
>>> model.predict_one({{"x": -1.5}}) < model.predict_one({{"x": 1.5}})
True"""
ODD = """>>> for x in range(-20, 20):
...     model.learn_one({{"x": x / 10}})
>>> model.score_one({{"x": 1.5}}) < model.score_one({{"x": 9.5}})
True"""
#: Of what kind a learner is, and an example of that.
KINDS: dict[type, tuple[type[Any], str]] = {
    OnlineClassifier: (Classifier, LABELS),
    OnlineRegressor: (Regressor, NUMBERS),
    OnlineLearner: (AnomalyDetector, ODD),
}


def is_online(learner: type) -> bool:
    """Whether a learner learns row by row."""
    return issubclass(learner, OnlineLearner)


def made_for(learner: Any, module: str) -> type:
    """The class for this learner, which will be found in that module."""
    kind, example = next(found for base, found in KINDS.items() if issubclass(learner, base))
    signature = signature_of(learner)

    def begin(self: Any, **given: Any) -> None:
        bound = signature.bind(self, **given)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            if name != "self":
                setattr(self, name, value)
        self._begin()

    begin.__signature__ = signature  # type: ignore[attr-defined]
    members = {"__init__": begin, "__module__": module, "_learner_class": learner}
    made = type(learner.__name__, (kind,), members)
    made.__doc__ = documentation(learner, example.format())
    return made


def signature_of(learner: Any) -> inspect.Signature:
    """The learner's parameters, without those of ``fit``; the seed is called as river calls it."""
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    taken = [
        parameter
        for name, parameter in inspect.signature(learner).parameters.items()
        if name not in Model._not_taken
    ]
    seed = inspect.Parameter("seed", inspect.Parameter.KEYWORD_ONLY, default=None)
    return inspect.Signature([itself, *taken, seed])


def documentation(learner: Any, example: str) -> str:
    """The learner's docstring, with what is different here."""
    name = learner.__name__
    summary, sections = split(inspect.getdoc(learner) or "")
    first, *rest = summary.split("\n\n")
    texts = [
        first,
        f"It learns as :class:`onkel.{name}` does by ``partial_fit``, and is a model of river's.",
        *rest,
        "Parameters\n----------\n" + "\n".join(entry.rendered() for entry in taken_by(learner)),
        ATTRIBUTES,
    ]
    if "References" in sections:
        texts.append("References\n----------\n" + sections["References"])
    texts.append(
        f"Examples\n--------\n>>> from onkel.river import {name}\n>>> model = {name}(seed=0)\n{example}"
    )
    return "\n\n".join(texts) + "\n"


def taken_by(learner: Any) -> Iterator[Entry]:
    """The documentation of the parameters."""
    yield from (entry for entry in parameters(learner) if entry.name not in Model._not_taken)
    yield SEED
