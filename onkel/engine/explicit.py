"""Machines whose model is a weight vector of explicit features: Fourier's, and Nystroem's."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from onkel.budgets import Explicit
from onkel.engine.filling import FUNCTION
from onkel.engine.layout import unlocked
from onkel.engine.machine import FOREVER, Machine, Recipe, Shape
from onkel.maps.features import FourierFeatures, NystromFeatures
from onkel.maps.fourier import Frequencies
from onkel.maps.nystrom import nystrom_transform
from onkel.model.vectors import ColumnStore, CsrRows, DenseStore


class FourierMachine(Machine):
    """Learns weights of random Fourier features; frequencies of a feature are drawn when it turns up."""

    def __init__(
        self, frequencies: Frequencies, task: Any, recipe: Recipe, shape: Shape, seed: int
    ) -> None:
        self.frequencies = frequencies
        n_map_features = 2 * frequencies.pool.shape[1]
        recipe = recipe._replace(budget=Explicit(), n_map_features=n_map_features)
        super().__init__(FourierFeatures(None), task, recipe, shape, seed)

    def blank(self) -> Machine:
        parts = self.parts
        made = FourierMachine(self.frequencies, parts.task, self.recipe, self.shape, parts.seed)
        made.offset = self.offset
        return made

    @property
    def feature_map(self) -> Frequencies:
        return self.frequencies

    @feature_map.setter
    def feature_map(self, same: Frequencies) -> None:
        self.frequencies = same

    def has_features_of(self, other: Machine) -> bool:
        return isinstance(other, FourierMachine) and self.frequencies.is_same(other.frequencies)

    def _rows(self, X: Any, block: int) -> Any:
        if not sparse.issparse(X):
            return super()._rows(X, block)
        pool_rows = self.frequencies.ensure(X.indices).astype(np.int64)
        indptr = X.indptr.astype(np.int64)
        return CsrRows(
            unlocked(X.data),
            pool_rows,
            indptr,
            np.zeros(X.shape[0], X.dtype),
            np.zeros((1, 1), X.dtype),
        )

    def _multiplications(self, width: float) -> float:
        return self.n / 2 * (width + 2 * FUNCTION)

    def _kernel_for(self, X: Any, store: Any, n: int) -> Any:
        if self.shape.layout == "dense":
            matrix = self._frequencies_as_rows()
            return FourierFeatures(DenseStore(matrix, np.zeros(0, matrix.dtype)))
        hollow = self.shape.layout == "hollow"
        pool = self.frequencies.matrix() if hollow else self.frequencies.pool
        return FourierFeatures(ColumnStore(pool, np.zeros(0, pool.dtype)))

    def _frequencies_as_rows(self) -> np.ndarray:
        """The frequencies, a row each: turned once, not for every row that is predicted."""
        matrix = self.frequencies.matrix()
        kept = vars(self).get("_turned")
        if kept is None or kept[0] is not matrix:
            kept = self._turned = matrix, np.ascontiguousarray(matrix.T)
        return kept[1]


class NystromMachine(Machine):
    """Learns weights of Nystroem features; the landmarks are the vectors of a kernel machine."""

    def __init__(self, before: Machine, rank: int) -> None:
        self.before = before
        self.transform, back = nystrom_transform(before.gram_matrix(), rank)
        recipe = before.recipe._replace(
            budget=Explicit(), n_map_features=self.transform.shape[1], pause_at=FOREVER
        )
        seed = before.parts.seed
        super().__init__(before.kernel, before.parts.task, recipe, before.shape, seed)
        self.offset, self.observer = before.offset, copy(before.observer)
        self.class_weights = before.class_weights
        n, features = before.n, self.transform.shape[1]
        old, new = before.model, self.model
        new.coef[:, :features] = old.coef[:, :n] @ back
        for a in range(old.sums.size):
            new.corrections[a, :, :features] = old.corrections[a, :, :n] @ back
        new.sums[:], new.counts[:] = old.sums, old.counts
        new.intercept[:], new.intercept_sums[:] = old.intercept, old.intercept_sums
        new.now[:] = old.now
        new.now["n"] = features
        new.now["squared_norm"] = np.square(new.coef * new.now["scale"]).sum()

    def _kernel_for(self, X: Any, store: Any, n: int) -> Any:
        before = self.before
        kernel = before._kernel_for(X, before.store, before.n)
        rows = max(1, min(self.block_rows, X.shape[0]))
        workspace = before._take_workspace(rows, before.n, exactly=True)
        return NystromFeatures(kernel, before.store, self._transform_in_order, workspace)

    def _is_done_with(self, kernel: Any) -> None:
        self.before._spares.append(kernel.workspace)

    @cached_property
    def _transform_in_order(self) -> np.ndarray:
        """The transform as compiled code takes it."""
        return np.ascontiguousarray(self.transform, self.shape.dtype)

    def _multiplications(self, width: float) -> float:
        return self.before.n * (width + FUNCTION + self.n)

    def blank(self) -> Machine:
        return self.before.blank()

    def emptied(self) -> NystromMachine:
        """A machine of the same landmarks that has learned nothing; observer and class weights are yet to come."""
        made = copy(self)
        made.model = self._empty_model(self.capacity)
        made.model.now["n"] = self.n
        made.observer = made.class_weights = None
        return made

    def has_features_of(self, other: Machine) -> bool:
        if not isinstance(other, NystromMachine) or self.transform.shape != other.transform.shape:
            return False
        apart = abs(self.vectors() - other.vectors())
        return apart.max() == 0.0 and np.array_equal(self.transform, other.transform)

    def vectors(self) -> Any:
        return self.before.vectors()

    @property
    def n_support(self) -> int:
        return self.before.n

    def as_expansion(self, coef: np.ndarray) -> np.ndarray:
        return coef @ self.transform.T
