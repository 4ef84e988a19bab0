"""Model files: whether what was read can be one model. Compiled code trusts sizes, so they are checked here."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from onkel.calibration import Calibrator, ResidualQuantiles, ScoreSample
from onkel.calibration.sample import SCORES_KEPT
from onkel.engine.explicit import FourierMachine, NystromMachine
from onkel.engine.layout import empty_store
from onkel.engine.machine import BLOCK_ROWS, NOISE, Machine
from onkel.engine.mixture import Mixture
from onkel.engine.ridge.landmarks import LandmarkMap
from onkel.engine.ridge.machine import RidgeMachine
from onkel.engine.ridge.statistics import Statistics
from onkel.engine.together import Together
from onkel.estimators.checks import LARGEST_SEED
from onkel.estimators.class_weight import ClassWeights
from onkel.estimators.look import LOOK_ROWS, FirstRows
from onkel.estimators.parameters import validate_parameters
from onkel.io.races import check_race
from onkel.io.requirements import require, same_kind
from onkel.maps.fourier import Frequencies
from onkel.model.vectors import PoolStore
from onkel.race.machine import RaceMachine
from onkel.tasks import MultiClass

LAYOUTS = ("dense", "hollow", "columns", "pool")


def check_model(model: Any) -> None:
    """Raise where parameters, sizes or counts of a learner contradict each other."""
    validate_parameters(model)
    if "_machine" in model.__dict__:
        machine = model._machine
        ridge = isinstance(machine, RidgeMachine)
        if isinstance(machine, RaceMachine):
            check_race(model, check_any)
        else:
            check_any(machine)
        shape = model._machine.shape
        require(shape.n_features == model.n_features_in_, "its number of features is not one")
        require(shape.n_outputs == model._n_outputs(), "its classes do not fit its outputs")
        task = model._machine.task if ridge else model._machine.parts.task
        require(type(task) is type(model._task()), "its task is another one")
        check_observer(model._machine.observer, observer_like(model))
        check_labels(model)
        check_class_weights(model)
    elif "_look" in model.__dict__:
        require(isinstance(model._look, FirstRows), "it has no first rows")
        check_first_rows(model, model._look)
        check_labels(model)
    elif "dual_coef_" in model.__dict__:
        check_expansion(model)
    elif "frequencies_" in model.__dict__:
        require(isinstance(model.frequencies_, Frequencies), "it has no frequencies")
        dtype = model.frequencies_.pool.dtype
        require(dtype in NOISE, "its kind of data is unknown")
        check_frequencies(model.frequencies_, model.n_components, model.n_features_in_, dtype)


def check_any(machine: Any) -> None:
    """A machine of whatever kind."""
    ridge, together = isinstance(machine, RidgeMachine), isinstance(machine, Together)
    (check_ridge if ridge else check_together if together else check_machine)(machine)


def check_observer(found: Any, fresh: Any) -> None:
    """What learned from the scores: of the kind that fits the model, or none."""
    if found is None:
        return
    require(type(found) is type(fresh), "its probabilities or intervals are of another kind")
    require(vars(found).keys() == vars(fresh).keys(), "its calibration is incomplete")
    for name, expected in vars(fresh).items():
        same_kind(vars(found)[name], expected, name)
        require(np.isfinite(vars(found)[name]).all(), "its calibration is no numbers")


def observer_like(model: Any) -> Any:
    """An observer of the kind and size that the model has, if it has one."""
    if "classes_" in model.__dict__:
        return Calibrator(model._machine.shape.n_outputs)
    found = model._machine.observer
    if not hasattr(type(model), "offset_"):
        machine = model._machine
        line = getattr(machine, "predicts_by_line", False) and machine.recipe.intercept
        return ResidualQuantiles(follows=line)
    fresh = ScoreSample(0)
    if isinstance(found, ScoreSample):
        fresh.scores = np.zeros(min(int(found.seen[0]), SCORES_KEPT))
        fresh.exact = np.zeros(min(len(found.exact), 1))
    return fresh


def check_labels(model: Any) -> None:
    """Labels in the order of their appearance, which rows of the look are numbered by."""
    labels = vars(model).get("_appeared")
    if labels is None:
        return
    require(isinstance(labels, np.ndarray) and labels.ndim == 1, "its labels are none")
    known = labels[: len(model.classes_)]
    require(np.array_equal(np.sort(known), model.classes_), "its classes are not its labels")
    require(type(vars(model).get("_alone", 0)) is int, "its rows of one class are not counted")


def check_class_weights(model: Any) -> None:
    weights = model._machine.class_weights
    if weights is not None:
        require(isinstance(weights, ClassWeights), "its class weights are none")
        require("classes_" in model.__dict__, "it has class weights, and no classes")
        each = np.zeros(len(model.classes_))
        same_kind(weights.factors, each, "class weights")
        same_kind(weights.counts, each[: len(weights.counts)], "class counts")
        require(len(weights.counts) in (0, len(each)), "its class counts are not one a class")
        require(weights.given is None or type(weights.given) is dict, "its class weights are none")


def check_expansion(model: Any) -> None:
    """A batch classifier: coefficients of vectors."""
    classes = len(model.classes_)
    outputs, n = model.dual_coef_.shape
    require(outputs == (1 if classes == 2 else classes), "its classes do not fit its outputs")
    require(model.support_vectors_.shape == (n, model.n_features_in_), "its vectors do not fit")
    require(model.n_support_ == n, "its number of vectors is not one")
    check_observer(vars(model).get("_calibrator"), Calibrator(outputs))


def check_first_rows(model: Any, look: FirstRows) -> None:
    """A learner that still keeps the first rows of a stream."""
    validate_parameters(type(model)(**look.parameters))
    X, targets, weights = look.rows()
    require(type(look.seed) is int and 0 <= look.seed < LARGEST_SEED, "its seed is none")
    require(look.n_rows < LOOK_ROWS, "it has more than the first rows")
    require(X.dtype in NOISE and X.shape == (look.n_rows, model.n_features_in_), "its rows are odd")
    same_kind(targets, np.zeros(look.n_rows), "targets")
    same_kind(weights, np.zeros(look.n_rows), "weights")
    numbers = X.data if sparse.issparse(X) else X
    require(all(np.isfinite(a).all() for a in (numbers, targets, weights)), "its rows are odd")
    require((weights > 0).all(), "its weights are not above 0")
    if "_appeared" in model.__dict__ or isinstance(model._task(), MultiClass):
        numbered = np.isin(targets, np.arange(len(model.classes_)))
        require(numbered.all(), "its rows are of unknown classes")


def check_together(together: Together) -> None:
    """Machines of one shape that learn side by side, and what is known of their voices."""
    machines, mixture = together.machines, together.mixture
    require(isinstance(machines, list) and machines, "it has no machines")
    for machine in machines:
        check_machine(machine)
        require(machine.shape == machines[0].shape, "its machines are of several shapes")
        require(machine.averages == machines[0].averages, "its machines have several outputs")
    fresh = Together(machines)
    require(isinstance(mixture, Mixture), "it has no mixture")
    check_observer(mixture, fresh.mixture)
    same_kind(together.waiting, fresh.waiting, "waiting")
    same_kind(together.ahead, fresh.ahead, "ahead")
    counted = [machine.t - mixture.t for machine in machines]
    require(counted == together.ahead.tolist() and min(counted) >= 0, "its rows do not add up")
    require(max(counted) <= BLOCK_ROWS, "its rows do not add up")


def check_machine(machine: Machine) -> None:
    """Sizes and counts, and all that hangs on the machine."""
    require(isinstance(machine, Machine), "it has no machine")
    shape, recipe, parts = machine.shape, machine.recipe, machine.parts
    require(shape.layout in LAYOUTS and shape.dtype in NOISE, "its kind of data is unknown")
    require(machine.model.coef.shape[:1] == (shape.n_outputs,), "its outputs are not one number")
    # A machine made afresh of the same parts has the right types, and says which sizes there are.
    fresh = Machine(machine.kernel, parts.task, recipe, shape, parts.seed)
    machine.parts, machine.kernel, machine.block_rows = fresh.parts, fresh.kernel, BLOCK_ROWS
    machine._handles = None
    check_state(machine, fresh._empty_model(machine.capacity))
    check_store(machine)
    if machine.offset is not None:
        same_kind(machine.offset, np.zeros(shape.n_features, shape.dtype), "offset")
    if isinstance(machine, FourierMachine):
        n_components = recipe.n_map_features // 2
        check_frequencies(machine.frequencies, n_components, shape.n_features, shape.dtype)
    if isinstance(machine, NystromMachine):
        check_machine(machine.before)
        landmarks = machine.before.n, recipe.n_map_features
        require(machine.transform.shape == landmarks, "its transform is of another size")
        require(machine.before.shape == shape, "its landmarks are of another kind")


def check_landmarks(found: LandmarkMap, shape: Any) -> None:
    """Landmarks, and the triangle that makes features of their kernel values."""
    n_landmarks, size = found.landmarks.shape[0], len(found.order)
    require(found.landmarks.shape == (n_landmarks, shape.n_features), "its landmarks do not fit")
    same_kind(found.order, np.zeros(size, np.int64), "order of landmarks")
    require(0 <= found.order.min() and found.order.max() < n_landmarks, "it has other landmarks")
    same_kind(found.triangle, np.zeros((size, size), shape.dtype), "triangle")


def check_ridge(machine: RidgeMachine) -> None:
    """The statistics of ridge regression, and the weights that follow from them."""
    shape, known, counts = machine.shape, machine.statistics, machine.counts
    require(shape.layout in LAYOUTS and shape.dtype in NOISE, "its kind of data is unknown")
    if isinstance(machine.map, Frequencies):
        n_components = machine.map.pool.shape[1]
        check_frequencies(machine.map, n_components, shape.n_features, shape.dtype)
    else:
        require(isinstance(machine.map, LandmarkMap), "it has no features")
        check_landmarks(machine.map, shape)
    size = machine.map.n_map_features
    blank = Statistics.none(size, shape.n_outputs, machine.settings.intercept)
    kept: dict[str, Any] = dict(zip(known._fields, zip(known, blank)))
    kept["weights"] = machine.coef, blank.cross
    if machine.inverse is not None:
        kept["inverse"] = machine.inverse, blank.gram
    for name, (found, expected) in kept.items():
        if isinstance(expected, np.ndarray):
            same_kind(found, expected, name)
            require(np.isfinite(found).all(), f"its {name} are no numbers")
    require(known.centred == blank.centred, "its statistics are of another kind")
    require(min(known.rows, known.weight, *counts) >= 0, "its counts are impossible")
    require(machine.strength > 0 and machine.faded > 0, "its regularization is none")


def check_state(machine: Machine, blank: Any) -> None:
    for name, expected, found in zip(blank._fields, blank, machine.model):
        same_kind(found, expected, name)
    now, features = machine.model.now[0], machine.recipe.n_map_features
    require(0 <= now["n"] <= machine.capacity and now["t"] >= 0, "its counts are impossible")
    require(not features or now["n"] == features, "its number of features is not one")
    require(0 <= now["output_average"] < max(1, len(machine.model.sums)), "its output is unknown")
    require(now["follows_norm"] == blank.now[0]["follows_norm"], "its norm is not followed")
    require(np.isfinite(machine.model.coef).all(), "its coefficients are no numbers")
    require(np.isfinite(machine.model.diagonal).all(), "its kernel values are no numbers")


def check_store(machine: Machine) -> None:
    shape, store = machine.shape, machine.store
    slots = 0 if machine.recipe.n_map_features else machine.capacity
    blank = empty_store(shape.layout, slots, shape.n_features, shape.dtype)
    require(type(store) is type(blank), "its vectors are of another kind")
    pooled = ("data", "indices") if isinstance(store, PoolStore) else ()
    for name, expected, found in zip(blank._fields, blank, store):
        if name in pooled:  # as long as it takes
            expected = np.zeros(len(store.data), expected.dtype)
        same_kind(found, expected, name)
    if isinstance(store, PoolStore):
        used, n = store.used[0], machine.n
        require(0 <= used <= len(store.data), "its pool is shorter than what is in it")
        live = store.indices[:used]
        require(((live >= 0) & (live < shape.n_features)).all(), "its vectors leave the features")
        starts, stops = store.start[:n], store.stop[:n]
        orderly = (starts >= 0) & (starts <= stops) & (stops <= used)
        require(orderly.all(), "its vectors leave their pool")


def check_frequencies(
    frequencies: Any, n_components: int, n_features: int, dtype: np.dtype
) -> None:
    known = frequencies.size
    same_kind(frequencies.pool, np.zeros((known, n_components), dtype), "frequencies")
    same_kind(frequencies.rows, np.zeros(n_features, np.int32), "rows of frequencies")
    rows = frequencies.rows
    require(((rows >= -1) & (rows < known)).all(), "its frequencies are not all there")
