"""Machines whose model is a weight vector of explicit features: Fourier's, and Nystroem's."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from scipy import sparse

from onkel.budgets import Explicit
from onkel.engine.machine import FOREVER, Machine, Recipe, Shape
from onkel.maps.features import FourierFeatures, NystromFeatures
from onkel.maps.fourier import Frequencies
from onkel.maps.nystrom import nystrom_transform
from onkel.model.state import workspace_pointer
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

    def _rows(self, X: Any, block: int) -> Any:
        if not sparse.issparse(X):
            return super()._rows(X, block)
        pool_rows = self.frequencies.ensure(X.indices).astype(np.int64)
        indptr = X.indptr.astype(np.int64)
        return CsrRows(
            X.data, pool_rows, indptr, np.zeros(X.shape[0], X.dtype), np.zeros((1, 1), X.dtype)
        )

    def _kernel_for(self, X: Any, store: Any, n: int) -> Any:
        if self.shape.layout == "dense":
            matrix = np.ascontiguousarray(self.frequencies.matrix().T)
            return FourierFeatures(DenseStore(matrix, np.zeros(0, matrix.dtype)))
        hollow = self.shape.layout == "hollow"
        pool = self.frequencies.matrix() if hollow else self.frequencies.pool
        return FourierFeatures(ColumnStore(pool, np.zeros(0, pool.dtype)))


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
        workspace = before.new_workspace(self.block_rows, learning=False, capacity=before.n)
        transform = np.ascontiguousarray(self.transform, self.shape.dtype)
        return NystromFeatures(kernel, before.store, transform, workspace_pointer(*workspace))

    def vectors(self) -> Any:
        return self.before.vectors()

    @property
    def n_support(self) -> int:
        return self.before.n

    def dual_coef(self) -> np.ndarray:
        return self.output_coef() @ self.transform.T
