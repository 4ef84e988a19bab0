"""Model files: whether what was read can be one model. Compiled code trusts sizes, so they are checked here."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from onkel.calibration import Calibrator, ResidualQuantiles
from onkel.engine.explicit import FourierMachine, NystromMachine
from onkel.engine.layout import empty_store
from onkel.engine.machine import BLOCK_ROWS, NOISE, Machine
from onkel.estimators.checks import LARGEST_SEED
from onkel.estimators.class_weight import ClassWeights
from onkel.estimators.look import LOOK_ROWS, FirstRows
from onkel.estimators.parameters import validate_parameters
from onkel.io.errors import ModelFileError
from onkel.maps.fourier import Frequencies
from onkel.model.vectors import PoolStore
from onkel.tasks import MultiClass

LAYOUTS = ("dense", "hollow", "columns", "pool")


def check_model(model: Any) -> None:
    """Raise where parameters, sizes or counts of a learner contradict each other."""
    validate_parameters(model)
    if "_machine" in model.__dict__:
        require(isinstance(model._machine, Machine), "it has no machine")
        check_machine(model._machine)
        shape = model._machine.shape
        require(shape.n_features == model.n_features_in_, "its number of features is not one")
        require(shape.n_outputs == model._n_outputs(), "its classes do not fit its outputs")
        require(type(model._machine.parts.task) is type(model._task()), "its task is another one")
        classes = "classes_" in model.__dict__
        fresh = Calibrator(shape.n_outputs) if classes else ResidualQuantiles()
        check_observer(model._machine.observer, fresh)
        check_class_weights(model)
    elif "_look" in model.__dict__:
        require(isinstance(model._look, FirstRows), "it has no first rows")
        check_first_rows(model, model._look)
        check_class_weights(model)
    elif "dual_coef_" in model.__dict__:
        check_expansion(model)
    elif "frequencies_" in model.__dict__:
        require(isinstance(model.frequencies_, Frequencies), "it has no frequencies")
        dtype = model.frequencies_.pool.dtype
        require(dtype in NOISE, "its kind of data is unknown")
        check_frequencies(model.frequencies_, model.n_components, model.n_features_in_, dtype)


def check_observer(found: Any, fresh: Any) -> None:
    """What learned from the scores: of the kind that fits the model, or none."""
    if found is None:
        return
    require(type(found) is type(fresh), "its probabilities or intervals are of another kind")
    require(vars(found).keys() == vars(fresh).keys(), "its calibration is incomplete")
    for name, expected in vars(fresh).items():
        same_kind(vars(found)[name], expected, name)
        require(np.isfinite(vars(found)[name]).all(), "its calibration is no numbers")


def check_class_weights(model: Any) -> None:
    weights = vars(model).get("_class_weights")
    if weights is not None:
        require(isinstance(weights, ClassWeights), "its class weights are none")
        each = np.zeros(len(model.classes_))
        same_kind(weights.factors, each, "class weights")
        same_kind(weights.counts, each[: len(weights.counts)], "class counts")
        require(len(weights.counts) in (0, len(each)), "its class counts are not one a class")


def require(holds: Any, otherwise: str) -> None:
    if not holds:
        raise ModelFileError(f"its parts contradict each other: {otherwise}")


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
    if isinstance(model._task(), MultiClass):
        numbered = np.isin(targets, np.arange(model._n_outputs()))
        require(numbered.all(), "its rows are of unknown classes")


def check_machine(machine: Machine) -> None:
    """Sizes and counts, and all that hangs on the machine."""
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


def same_kind(found: Any, expected: np.ndarray, name: str) -> None:
    same = isinstance(found, np.ndarray) and (found.dtype, found.shape) == (
        expected.dtype,
        expected.shape,
    )
    require(same and found.flags.c_contiguous, f"{name} is of another size or type")


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
