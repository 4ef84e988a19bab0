"""Model files that the command line wrote when scaling was kept beside the learner: they become pipelines."""

from __future__ import annotations

import math
from typing import Any

from onkel.estimators.regressor import OnlineRegressor
from onkel.io.requirements import require
from onkel.tables.held import Progress
from onkel.tables.pipeline import StreamPipeline
from onkel.tables.scaler import Scaler

#: Where such files keep it, among the extras.
KEY = "preparation"


def whole_pipeline(model: Any, extras: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The learner together with the scaling that its file keeps apart, and the other extras.

    Of the former the names of target and columns stay extras: these models take columns by their places.
    """
    if KEY not in extras:
        return model, extras
    kept = dict(extras[KEY])
    named = {"target": kept.get("target"), "columns": kept.get("feature_names")}
    extras = {key: value for key, value in extras.items() if key != KEY} | named
    mean, spread = float(kept["target_mean"]), float(kept["target_spread"])
    if (mean, spread) != (0.0, 1.0):
        require(isinstance(model, OnlineRegressor), "targets of classes have no unit")
        require(math.isfinite(mean) and 0 < spread < math.inf, "its targets have no unit")
        model.target_mean_, model.target_scale_ = mean, spread
        model.scale_targets = True  # from the next ``fit`` on, by what that one is given
    if kept["scaler"] is None:
        return model, extras
    scaler = Scaler.from_state(kept["scaler"])
    whole = StreamPipeline([("scaler", scaler), ("learner", model)])
    whole._progress = Progress(scaler.count)  # there is nothing left to look at first
    return whole, extras
