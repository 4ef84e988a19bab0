"""A machine with more outputs, or of wider rows: a copy, so that who reads the old one sees it whole.

The copy goes on as if it had known from the start: of what it did not know it had learned nothing, which is zeros.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from onkel.engine import layout as kinds
from onkel.engine.explicit import FourierMachine, NystromMachine
from onkel.engine.side_by_side import SideBySide
from onkel.model.questions import with_exact_types


def with_outputs(machine: Any, task: Any, mixture: np.ndarray) -> Any:
    """The machine with outputs that are mixtures (new x old) of its own, for another task.

    Its observer and class weights stay as they are.
    """
    if hasattr(machine, "with_outputs"):
        return machine.with_outputs(task, mixture)
    grown = copy(machine)
    if isinstance(grown, SideBySide):
        grown.change_machines(lambda each: with_outputs(each, task, mixture), task)
        return grown
    model = grown.model
    now = model.now.copy()
    now["squared_norm"] *= float(np.square(mixture[:, 0], dtype=float).sum())
    sources, new = mixture.argmax(axis=1), ~mixture.any(axis=1)

    def mixed(outputs: np.ndarray, axis: int) -> np.ndarray:
        """Those that stay are picked, which costs less than to multiply them."""
        if not outputs.shape[axis]:
            return outputs
        if mixture.shape[1] == 1:
            pair = np.tensordot(mixture, outputs, (1, axis))
            return np.ascontiguousarray(np.moveaxis(pair, 0, axis))
        picked = np.take(outputs, sources, axis)
        np.moveaxis(picked, axis, 0)[new] = 0.0
        return picked

    grown.model = model._replace(
        now=now,
        coef=mixed(model.coef, 0),
        corrections=mixed(model.corrections, 1),
        intercept=mixed(model.intercept, 0),
        intercept_sums=mixed(model.intercept_sums, 1),
    )
    grown.parts = machine.parts._replace(task=with_exact_types(task))
    grown.shape = machine.shape._replace(n_outputs=len(mixture))
    if isinstance(grown, NystromMachine):
        grown.before = with_outputs(machine.before, task, mixture)
    return grown


def fitting(machine: Any, X: Any) -> Any:
    """The machine for rows as wide as these: itself, if it is."""
    wide = X.shape[1] > machine.shape.n_features
    return with_features(machine, X.shape[1]) if wide else machine


def with_features(machine: Any, n_features: int) -> Any:
    """The machine for rows of so many features: its vectors are 0 in the new ones."""
    if hasattr(machine, "with_features"):
        return machine.with_features(n_features)
    grown = copy(machine)
    if isinstance(grown, SideBySide):
        grown.change_machines(lambda each: with_features(each, n_features))
        return grown
    shape = machine.shape
    layout = kinds.widened_layout(shape.layout, n_features)
    grown.shape = shape._replace(n_features=n_features, layout=layout)
    grown.store = kinds.widened_store(grown.store, shape, grown.shape, machine.n)
    if machine.offset is not None:
        grown.offset = kinds.enlarged(machine.offset, n_features, (0,))
    if isinstance(grown, FourierMachine):
        grown.frequencies = grown.frequencies.widened(n_features)
    if isinstance(grown, NystromMachine):
        grown.before = with_features(machine.before, n_features)
    return grown
