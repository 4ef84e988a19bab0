"""Model files: whether what was read can be a learner that is watched."""

from __future__ import annotations

import numpy as np

from onkel.drift import Adwin, Drift, DriftAware
from onkel.drift.contest import Contest, begun
from onkel.drift.detector import check_detector
from onkel.estimators.classifier import OnlineClassifier
from onkel.estimators.regressor import OnlineRegressor
from onkel.io.consistency import check_model
from onkel.io.requirements import check_adwin, require, same_kind


def check_watched(model: DriftAware) -> None:
    """Raise where the learners, the detector or the counts contradict each other."""
    check_model(model.learner)
    if model.detector is not None:
        check_detector(model.detector)
    if "learner_" not in vars(model):
        return
    for learner in (model.learner_, *([] if model._fresh is None else [model._fresh])):
        known = isinstance(learner, (OnlineClassifier, OnlineRegressor))
        require(known and type(learner) is type(model.learner_), "a learner is of another kind")
        check_model(learner)
        require(learner.n_features_in_ == model.n_features_in_, "its rows are of another width")
    require((model._fresh is None) == (model._contest is None), "a fresh learner has no contest")
    if model._contest is not None:
        require(type(model._contest) is Contest, "its contest is none")
        same_kind(model._contest.sums, begun(False).sums, "contest")
    same_kind(model._sums, np.zeros(4), "sums")
    require(all(type(drift) is Drift for drift in model.drifts_), "its drifts are none")
    check_detector(model._detector)
    if isinstance(model._detector, Adwin):
        check_adwin(model._detector)
