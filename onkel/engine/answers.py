"""What is asked of a machine: scores of rows, and what it has learned."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from onkel.compiled.decorators import direct
from onkel.engine import layout as kinds
from onkel.engine.block_scores import scores_by_products
from onkel.engine.filling import width_of
from onkel.engine.knowledge import Knowledge
from onkel.engine.walk import fill, output_scores
from onkel.engine.workspace import are_many
from onkel.kernels.geometry import is_part
from onkel.model.questions import compiled_for
from onkel.model.state import workspace_pointer
from onkel.model.tile import Tile
from onkel.parallel.crew import allowed_threads, is_worth_sharing, share

#: Into how many pieces a prediction is cut for each thread: who is done first takes one more.
PIECES_A_THREAD = 4


class Answers(Knowledge):
    """The side of a :class:`~onkel.engine.machine.Machine` that changes nothing."""

    def scores(self, X: Any) -> np.ndarray:
        """Scores (rows x C) of the output model, as it is at one moment."""
        return self.scores_and_observer(X)[0]

    def scores_and_observer(self, X: Any) -> tuple[np.ndarray, Any]:
        """The same, and a copy of the observer at that moment."""
        with self.lock.reading:
            scorer, observer = self.scorer_of(X), copy(self.observer)
            if X.shape[0] <= self._stretch_rows:
                return scorer(X), observer
        return scorer(X), observer

    def scorer_of(
        self, X: Any, weights: tuple[np.ndarray, np.ndarray] | None = None
    ) -> Callable[[Any], np.ndarray]:
        """How rows like these score by the output model as it is now, or with other coefficients and intercepts.

        For many rows it works on copies: who learns need not wait for all of a long prediction.
        """
        n, store = self.n, self.store
        coef, intercept = weights or (self._output_coef(), self._output_intercept())
        coef = np.ascontiguousarray(coef)
        if X.shape[0] > self._stretch_rows:
            store = kinds.copied(store)
        return lambda X: self._score_rows(X, n, coef, store) + intercept

    def observer_now(self) -> Any:
        """A copy of the observer, all of one moment."""
        with self.lock.reading:
            return copy(self.observer)

    def _score_rows(self, X: Any, n: int, coef: np.ndarray, store: Any) -> np.ndarray:
        """Scores of rows, in pieces that threads share; blocks begin at the same rows whatever the pieces."""
        n_rows = X.shape[0]
        out = np.zeros((n_rows, self.shape.n_outputs))
        block = min(self.block_rows, max(1, n_rows))  # a single row needs little room

        def work(first: int) -> None:
            part = slice(first, first + rows_at_once)
            self._score_piece(X[part], n, coef, store, block, out[part])

        size = n_rows * self._multiplications(width_of(X))
        rows_at_once = self._stretch_rows
        if self._can_share and is_worth_sharing(size) and n_rows > block:
            pieces = PIECES_A_THREAD * allowed_threads()
            rows_at_once = min(rows_at_once, block * math.ceil(n_rows / pieces / block))
        firsts = range(0, n_rows, rows_at_once)
        if n_rows and self._score is None and not are_many(len(coef)):
            work(firsts[0])  # which compiles
            firsts = firsts[1:]
        share(work, firsts, size if self._can_share else 0)
        return out

    def _score_piece(
        self, X: Any, n: int, coef: np.ndarray, store: Any, block: int, out: np.ndarray
    ) -> None:
        workspace = self._take_workspace(block, n)
        rows, kernel = self._rows(X, block), self._kernel_for(X, store, n)
        asking = kernel, store, rows, n, coef, workspace, out
        if are_many(len(coef)):
            scores_by_products(compiled_for(fill, kernel), *asking)
        elif self._score is None:
            score = compiled_for(output_scores, kernel)
            score(*asking)
            if self._kernel_part is not None:
                self._score = direct(score, *asking)
        else:
            self._score(*asking)
        self._spares.append(workspace)
        self._is_done_with(kernel)

    @property
    def _can_share(self) -> bool:
        """Whether threads may score side by side: a user's function is asked by one at a time."""
        return self._kernel_part is not None

    @property
    def _spares(self) -> list[Any]:
        """Workspaces of past predictions, and of blocks that were learned, that nobody uses."""
        return self.__dict__.setdefault("_spare", [])

    def _take_workspace(self, block: int, n: int, exactly: bool = False) -> Any:
        """Room for blocks of so many rows and n vectors or more: that of earlier ones, if it is free and fits."""
        try:
            spare = self._spares.pop()  # in one go: no two threads get the same
        except IndexError:
            spare = None
        if spare is not None:
            rows, capacity = spare.arrays.values.shape
            if rows >= block and (capacity == n or (capacity > n and not exactly)):
                return spare
        capacity = n if exactly else self.capacity
        return workspace_pointer(*self.new_workspace(block, learning=False, capacity=capacity))

    def gram_matrix(self) -> np.ndarray:
        """Kernel values of the support vectors among themselves."""
        vectors = kinds.vectors_of(self.store, self.n, self.shape.n_features)
        if not is_part(self.kernel):
            return np.asarray(self.kernel(vectors, vectors), float)
        norms = kinds.norms_of(vectors, city_block=self._city_block)
        rows = kinds.rows_of(vectors, self.shape.layout, norms, self.n)
        workspace = self.new_workspace(self.n, learning=False)
        kernel = self._kernel_for(vectors, self.store, self.n)
        compare, whole = compiled_for(fill, kernel), Tile(0, self.n, 0, self.n, False)
        compare(kernel, self.store, rows, whole, workspace_pointer(*workspace))
        return workspace.values[:, : self.n].astype(float)

    def output_coef(self) -> np.ndarray:
        """Coefficients (C x n) of the output model: the last one, or the average."""
        with self.lock.reading:
            return self._output_coef()

    def _output_coef(self) -> np.ndarray:
        model, now, n = self.model, self.model.now[0], self.n
        coef, (slope, _) = model.coef[:, :n], self._line
        if model.sums.size == 0:
            return slope * self.last_coef()
        average = now["output_average"]
        summed = coef * model.sums[average] - model.corrections[average, :, :n]
        return slope * summed / max(1.0, model.counts[average])

    @property
    def _line(self) -> Any:
        """What the observer makes of scores: so much of them, and so much more."""
        return (1.0, 0.0) if self.observer is None else self.observer.line

    def last_coef(self) -> np.ndarray:
        """Coefficients (C x n) of the last iterate, where no other thread learns."""
        return self.model.coef[:, : self.n] * self.model.now[0]["scale"]

    def last_intercept(self) -> np.ndarray:
        """Its intercepts (C); 0 where it has none."""
        return (
            self.model.intercept.copy() if self.recipe.intercept else np.zeros(self.shape.n_outputs)
        )

    @property
    def averages(self) -> bool:
        """Whether the output is not the last iterate, but an average."""
        return self.model.sums.size > 0

    def output_intercept(self) -> np.ndarray:
        """The intercepts (C) of the output model; 0 where it has none."""
        with self.lock.reading:
            return self._output_intercept()

    def _output_intercept(self) -> np.ndarray:
        model, average = self.model, self.model.now[0]["output_average"]
        slope, more = self._line
        if not self.recipe.intercept or model.sums.size == 0:
            return slope * self.last_intercept() + more
        return slope * model.intercept_sums[average] / max(1.0, model.counts[average]) + more

    def counters(self) -> Any:
        """The numbers that change from instance to instance, all of one moment."""
        with self.lock.reading:
            now = self.model.now[0].copy()
            said = None if self.observer is None else self.observer.squared_error
        if said is not None:
            now["squared_error"] = said
        return now

    @property
    def n_support(self) -> int:
        return self.n

    def dual_coef(self) -> np.ndarray:
        """Coefficients (C x n) of the kernel expansion that is the output."""
        return self.as_expansion(self.output_coef())

    def as_expansion(self, coef: np.ndarray) -> np.ndarray:
        """Coefficients of this machine as those of kernel values of its vectors."""
        return coef

    def vectors(self) -> Any:
        """The support vectors, as the user gave them."""
        with self.lock.reading:
            vectors = kinds.vectors_of(self.store, self.n, self.shape.n_features)
        if self.shape.layout == "hollow":
            vectors = vectors.toarray()
        return vectors if self.offset is None else vectors + self.offset
