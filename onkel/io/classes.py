"""Model files: which classes may stand in one. Names in a file are looked up here, never imported."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import onkel
from onkel import balls, budgets, kernels, losses, rules, tasks
from onkel.budgets.merge import cost_table
from onkel.calibration import Calibrator, ResidualQuantiles, ScoreSample
from onkel.drift import Adwin, Drift, DriftAware
from onkel.drift.contest import Contest
from onkel.engine import explicit, machine, mixture, together, walk
from onkel.engine.ridge.knowledge import RidgeCounts, RidgeSettings
from onkel.engine.ridge.landmarks import LandmarkMap
from onkel.engine.ridge.machine import RidgeMachine
from onkel.engine.ridge.statistics import Statistics
from onkel.estimators import class_weight, look
from onkel.maps import features, fourier
from onkel.model import state, vectors
from onkel.race import RaceClassifier, RaceRegressor
from onkel.race.curves import Curves
from onkel.race.foreign import ForeignMachine
from onkel.race.machine import Judge, RaceMachine, Terms
from onkel.race.standings import Standings
from onkel.tables import (
    TableEncoder,
    column,
    dates,
    encoding,
    feature,
    held,
    kinds,
    numbers,
    pipeline,
    places,
    words,
)
from onkel.tables.scaler import Scaler
from onkel.tables.spread import Spread
from onkel.tables.table import Table
from onkel.transformers import Nystrom, RandomFourier

#: Rooms whose NamedTuples are parts of learners, or what they keep.
ROOMS: tuple[ModuleType, ...] = (
    kernels, losses, rules, budgets, balls, tasks, features, walk, machine, state, vectors,
    class_weight,
)  # fmt: skip

#: What ridge regression keeps.
IN_RIDGE = (Statistics, RidgeSettings, RidgeCounts)
#: What tables and pipelines keep.
IN_TABLES = (column.Column, encoding.Rules, feature.Settings, held.Progress, held.Rows)
#: And learners that are watched.
IN_DRIFT = (Drift, Contest)
#: And races.
IN_RACE = (Judge, Terms)


def _tuples() -> dict[str, Any]:
    found: dict[str, Any] = {}
    kept = IN_RIDGE, IN_TABLES, IN_DRIFT, IN_RACE
    for things in (*(vars(room).values() for room in ROOMS), *kept):
        for thing in things:
            own = getattr(thing, "__module__", "").startswith("onkel.")
            if own and isinstance(thing, type) and hasattr(thing, "_fields"):
                if found.setdefault(thing.__name__, thing) is not thing:
                    raise TypeError(f"two parts have the name {thing.__name__}")
    return found


LEARNERS: dict[str, Any] = {name: getattr(onkel, name) for name in onkel.__all__}
#: What stands before or around a learner.
BESIDE: dict[str, Any] = {
    cls.__name__: cls
    for cls in (
        pipeline.StreamPipeline, TableEncoder, RandomFourier, Nystrom, Scaler, DriftAware, RaceClassifier,
        RaceRegressor,
    )
}  # fmt: skip
#: Transformers of scikit-learn whose parameters and attributes are plain, and where they are.
FOREIGN = {
    "StandardScaler": "sklearn.preprocessing", "MinMaxScaler": "sklearn.preprocessing",
    "MaxAbsScaler": "sklearn.preprocessing", "RobustScaler": "sklearn.preprocessing",
    "Normalizer": "sklearn.preprocessing", "IncrementalPCA": "sklearn.decomposition",
    "HashingVectorizer": "sklearn.feature_extraction.text",
}  # fmt: skip
TUPLES = _tuples()
OBJECTS: dict[str, Any] = {
    cls.__name__: cls
    for cls in (
        machine.Machine,
        explicit.FourierMachine,
        explicit.NystromMachine,
        RidgeMachine,
        LandmarkMap,
        together.Together,
        mixture.Mixture,
        fourier.Frequencies,
        look.FirstRows,
        Calibrator,
        ResidualQuantiles,
        ScoreSample,
        Adwin,
        RaceMachine,
        ForeignMachine,
        Standings,
        Curves,
    )
}
#: Plain objects: all that they are is in their attributes.
PLAIN: dict[str, Any] = {
    cls.__name__: cls
    for cls in (
        encoding.Encoding, places.Places, numbers.Numbers, numbers.Booleans, words.Words, dates.Dates,
        kinds.LeftOut, kinds.Ignored, kinds.Empty, Spread, Table,
    )
}  # fmt: skip
#: Fields of parts that are the same in every model: they are made anew.
MADE_ANEW: dict[str, dict[str, Callable[[], Any]]] = {"Merge": {"table": cost_table}}
RECORDS = {"NOW": state.NOW}


def estimator_class(name: str) -> Any:
    """The learner or transformer of this name, if a file may hold it; else None."""
    if name in FOREIGN:
        return getattr(import_module(FOREIGN[name]), name)
    return LEARNERS.get(name) or BESIDE.get(name)


def name_in(known: dict[str, Any], thing: Any) -> str | None:
    """The name under which exactly this thing is known."""
    return next((name for name, value in known.items() if value is thing), None)
