"""A learner's state and how it is moved through a chunk: memory grown, blocks learned, scores read."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from onkel.balls import WholeSpace
from onkel.budgets import Unbounded
from onkel.budgets.declarations import declared_by, kept_for_norm, with_gamma
from onkel.compiled.decorators import direct
from onkel.engine import layout as kinds
from onkel.engine.lock import ModelLock
from onkel.engine.walk import Block, Composition, fill, output_scores, walk
from onkel.engine.workspace import new_workspace
from onkel.kernels.geometry import (
    CITY_BLOCK,
    for_blocks,
    geometry_of,
    is_part,
    is_shift_invariant,
)
from onkel.kernels.given import given_values
from onkel.model.questions import compiled_for, is_own, with_distinct_names, with_exact_types
from onkel.model.state import (
    LOG_ENTRIES_A_ROW,
    NOW,
    WRONGS,
    Model,
    Workspace,
    model_pointer,
    workspace_pointer,
)
from onkel.model.vectors import apply_log

BLOCK_ROWS = 128
STRETCH_ROWS = 4096
#: From so many rows on it pays to look up machine code once, not for every block.
MANY_ROWS = 2048
FIRST_CAPACITY = 256
FOREVER = np.iinfo(np.int64).max
NO_TRACE = np.zeros((0, 0))
#: Rounding of a score, relative: a loss below it counts as none.
NOISE = {np.dtype(np.float64): 1e-13, np.dtype(np.float32): 1e-6}


#: Attributes of a machine that belong to a process, not to the model.
NOT_KEPT = (
    "lock",
    "_handles",
    "_workspace",
    "_fill",
    "_walk",
    "_own",
    "_spare",
    "_kernel_part",
    "_city_block",
)


class Recipe(NamedTuple):
    """What a named algorithm is made of: its parts, and which output it gives."""

    loss: Any
    rule: Any
    budget: Any = Unbounded()
    ball: Any = WholeSpace()
    average: float = 0.0  # share of the last iterates that the output averages: 0 none, 1 all
    pause_at: int = FOREVER  # support vectors
    n_map_features: int = 0  # of an explicit map, which then takes the place of the kernel
    intercept: bool = False
    decay: float = 1.0  # what an old term is multiplied with before each update


class Shape(NamedTuple):
    """The sizes and types of the data."""

    n_features: int
    n_outputs: int
    layout: str
    dtype: np.dtype


class Machine:
    """Learns rows with a recipe; everything it knows is in arrays."""

    #: Who is shown the output model's scores before each update; part of the model. See onkel.calibration.
    observer: Any = None
    # Made when learning begins; neither copied nor saved.
    _handles: Any = None
    _workspace: Any = None
    _fill: Any = None
    _walk: Any = None
    _own: bool = True

    def __init__(self, kernel: Any, task: Any, recipe: Recipe, shape: Shape, seed: int) -> None:
        self.lock = ModelLock()
        recipe = recipe._replace(budget=with_gamma(recipe.budget, kernel))
        self.recipe = recipe
        self.shape = shape
        self.kernel = with_exact_types(kernel) if is_part(kernel) else kernel
        self.offset: np.ndarray | None = None
        chosen = task, recipe.loss, recipe.rule, recipe.budget, recipe.ball
        self.parts = Composition._make(
            [
                *map(with_exact_types, chosen),
                float(recipe.average),
                seed,
                NOISE[shape.dtype],
                float(recipe.decay),
            ]
        )
        declared = declared_by(recipe.budget)
        size = recipe.n_map_features or (0 if declared.grows else declared.size)
        self.model = self._empty_model(size + 1 if size else FIRST_CAPACITY)
        self.model.now["n"] = recipe.n_map_features
        slots = 0 if recipe.n_map_features else self.capacity
        self.store = kinds.empty_store(shape.layout, slots, shape.n_features, shape.dtype)
        self.block_rows = BLOCK_ROWS

    @property
    def capacity(self) -> int:
        return int(self.model.coef.shape[1])

    @property
    def n(self) -> int:
        return int(self.model.now["n"][0])

    @property
    def t(self) -> int:
        return int(self.model.now["t"][0])

    @property
    def paused(self) -> bool:
        return self.n >= self.recipe.pause_at

    def _empty_model(self, capacity: int) -> Model:
        budget, ball = self.recipe.budget, self.recipe.ball
        declared, outputs = declared_by(budget), self.shape.n_outputs
        keeps = set(declared.keeps)
        follows_norm = getattr(ball, "needs_norm", True)
        if follows_norm:
            keeps |= set(kept_for_norm(budget, ball))
        share = self.parts.average  # a mean of the last ones takes two that start anew in turn
        averages = 0 if share == 0.0 else 1 if share == 1.0 else 2
        intercepts = outputs if self.recipe.intercept else 0

        def square(name: str) -> np.ndarray:
            side = capacity if name in keeps else 0
            return np.zeros((side, side))

        now = np.zeros(1, NOW)
        now["scale"], now["average_unit"] = 1.0, 1.0
        now["next_restart"], now["follows_norm"] = 1, follows_norm
        return Model(
            now=now,
            coef=np.zeros((outputs, capacity)),
            sums=np.zeros(averages),
            counts=np.full(averages, 0.0 if averages == 1 else -1.0),
            corrections=np.zeros((averages, outputs, capacity)),
            born=np.zeros(capacity, np.int64),
            diagonal=np.zeros(capacity),
            gram=square("gram"),
            distances=square("distances"),
            factor=square("factor"),
            slot_memory=np.zeros(capacity),
            rule_memory=np.array(getattr(self.recipe.rule, "memory", ()), float),
            budget_memory=np.array(declared.memory, float),
            intercept=np.zeros(intercepts),
            intercept_sums=np.zeros((averages if intercepts else 0, intercepts)),
        )

    def _grow(self) -> None:
        capacity = self.capacity + max(FIRST_CAPACITY, self.capacity // 2)
        old = self.model
        slots_last = {
            name: kinds.enlarged(getattr(old, name), capacity, (-1,))
            for name in ("coef", "corrections", "born", "diagonal", "slot_memory")
        }
        squares = {
            name: kinds.enlarged(getattr(old, name), capacity, (0, 1))
            for name in ("gram", "distances", "factor")
        }
        if old.corrections.size == 0:
            slots_last["corrections"] = np.zeros((0, self.shape.n_outputs, capacity))
        self._handles = None  # whatever interrupts this, no stale pointer is followed
        self.store = kinds.enlarged_store(self.store, capacity)
        self.model = old._replace(**slots_last, **squares)

    def new_workspace(self, block: int, learning: bool, capacity: int | None = None) -> Workspace:
        """Room for blocks of so many rows; for learning with room for what happens inside one."""
        inside = block if learning and not self.recipe.n_map_features else 0
        near = learning and bool(declared_by(self.recipe.budget).reads_distances)
        dtype, outputs = self.shape.dtype, self.shape.n_outputs
        capacity = capacity or self.capacity
        return new_workspace(block, capacity, dtype, outputs if learning else 0, inside, near)

    def _rows(self, X: Any, block: int) -> Any:
        """Rows for compiled code; dense ones moved next to the origin if the kernel does not mind."""
        if self.offset is not None:
            X = X - self.offset
        norms = kinds.norms_of(X, city_block=self._city_block)
        return kinds.rows_of(X, self.shape.layout, norms, block)

    def adapt_to(self, X: Any) -> None:
        """Settle what depends on the first rows: where dense data lies, and whether it is hollow."""
        if self.shape.layout != "dense":
            return
        X = X[:BLOCK_ROWS]
        if is_shift_invariant(self.kernel):
            self.offset = np.median(X, axis=0).astype(self.shape.dtype)
            X = X - self.offset
        if is_part(self.kernel) and kinds.is_hollow(X):
            self.shape = self.shape._replace(layout="hollow")
            self.store = kinds.empty_store(
                "hollow", len(self.store.norms), self.shape.n_features, self.shape.dtype
            )

    def learn(
        self,
        X: Any,
        targets: np.ndarray,
        weights: np.ndarray,
        trace: np.ndarray = NO_TRACE,
        observed_weights: np.ndarray | None = None,
    ) -> int:
        """Learn the rows in order; return how many (fewer than all only when it pauses).

        ``trace`` (rows x C) gets the output model's scores before each update, unless it is empty. The
        observer is told ``observed_weights``, if these are others.
        """
        told = weights if observed_weights is None else observed_weights
        if self._handles is None:
            with self.lock.writing:
                self._lay_out()
        self._fill, self._walk = None, walk if self._own else compiled_for(walk, *self.parts[:5])
        for first in range(0, len(targets), self._stretch_rows):
            chunk = slice(first, first + self._stretch_rows)
            lesson = X[chunk], targets[chunk], weights[chunk], trace[chunk], told[chunk]
            done = self._learn_stretch(*lesson)
            if self.paused:
                return first + done
        return len(targets)

    def _learn_stretch(
        self,
        X: Any,
        targets: np.ndarray,
        weights: np.ndarray,
        trace: np.ndarray,
        told: np.ndarray,
    ) -> int:
        rows, kernel = self._rows(X, self.block_rows), self._kernel_for(X, self.store, self.n)
        if self._fill is None:
            self._fill = compiled_for(fill, kernel)
        if self.observer is not None and trace.size == 0:
            trace = np.empty((len(targets), self.shape.n_outputs))
        position, n, limit = 0, self.n, self.recipe.pause_at
        while position < len(targets) and n < limit:
            if n >= self.capacity:
                with self.lock.writing:
                    self._grow()
                    self._lay_out()
            parts, model, workspace = self._handles
            block = Block(position, min(self.block_rows, len(targets) - position))
            filling = kernel, self.store, rows, block, n, workspace
            walking = parts, model, workspace, targets, weights, trace, block, limit
            self._fill(*filling)
            t = self.t
            with self.lock.writing:
                try:
                    done = self._walk(*walking)
                finally:  # an interrupt arrives when compiled code returns: the rest still follows
                    self._apply_log(rows)
                    if self.observer is not None:
                        seen = slice(position, position + self.t - t)
                        self.observer.observe(trace[seen], targets[seen], told[seen])
            if position == 0 and len(targets) >= MANY_ROWS:
                self._fill = direct(self._fill, *filling)
                self._walk = direct(self._walk, *walking)
            position, n = position + done, self.n
            if done < block.rows:
                if self._workspace.log_state[2]:
                    self._refuse_budget(int(self._workspace.log_state[2]))
                if self._kernel_part is None:
                    kernel = self._kernel_for(X[position:], self.store, n)
        return position

    def _refuse_budget(self, wrong: int) -> None:
        self._handles = None
        raise RuntimeError(
            f"The budget {type(self.recipe.budget).__name__} {WRONGS[wrong]} for one row. A row may "
            f"append one vector, and change at most {LOG_ENTRIES_A_ROW} stored vectors in all (each "
            f"append, replace, move_last or note counts). The model is not usable any more."
        )

    def _lay_out(self) -> None:
        """Lay out a workspace, and point compiled code to it and to the model."""
        self.model, self.store = kinds.writable(self.model), kinds.writable(self.store)
        self._workspace = self.new_workspace(self.block_rows, learning=True)
        parts = Composition._make([*map(with_distinct_names, self.parts[:5]), *self.parts[5:]])
        self._own = all(is_own(part) for part in self.parts[:5])
        self._handles = parts, model_pointer(*self.model), workspace_pointer(*self._workspace)

    def _apply_log(self, rows: Any) -> None:
        """Let the stored vectors follow the walk, giving a pool more room as often as it takes."""
        while self._workspace.log_state[0] and not apply_log(self.store, rows, self._handles[2]):
            longest = int(np.diff(rows.indptr).max())
            self.store = kinds.compacted_pool(self.store, self.capacity, longest)

    def _kernel_for(self, X: Any, store: Any, n: int) -> Any:
        """The kernel as compiled code asks it about these rows and the first n vectors of a store."""
        if self._kernel_part is not None:
            return self._kernel_part
        vectors = kinds.vectors_of(store, n, self.shape.n_features)
        return given_values(self.kernel, X, vectors, self.shape.dtype)

    def scores(self, X: Any) -> np.ndarray:
        """Scores (rows x C) of the output model, as it is at one moment."""
        return self.scores_and_observer(X)[0]

    def scores_and_observer(self, X: Any) -> tuple[np.ndarray, Any]:
        """The same, and a copy of the observer at that moment."""
        with self.lock.reading:
            n, coef, store = self.n, np.ascontiguousarray(self._output_coef()), self.store
            intercept, observer = self._output_intercept(), copy(self.observer)
            if X.shape[0] <= self._stretch_rows:
                return self._score_rows(X, n, coef, store) + intercept, observer
            store = kinds.copied(store)  # who learns need not wait for all of a long prediction
        return self._score_rows(X, n, coef, store) + intercept, observer

    def _score_rows(self, X: Any, n: int, coef: np.ndarray, store: Any) -> np.ndarray:
        out = np.zeros((X.shape[0], self.shape.n_outputs))
        block = min(self.block_rows, max(1, X.shape[0]))  # a single row needs little room
        workspace = self._take_workspace(block, n)
        for first in range(0, X.shape[0], self._stretch_rows):
            chunk = slice(first, first + self._stretch_rows)
            rows = self._rows(X[chunk], block)
            kernel = self._kernel_for(X[chunk], store, n)
            score = compiled_for(output_scores, kernel)
            score(kernel, store, rows, n, coef, workspace, out[chunk])
        self._spare = workspace
        return out

    def _take_workspace(self, block: int, n: int) -> Any:
        """Room to score blocks of so many rows: that of the last prediction, if it is free and fits."""
        spare = vars(self).pop("_spare", None)  # in one go: no two threads get the same
        if spare is not None:
            rows, capacity = spare.arrays.values.shape
            if rows == block and capacity >= n:
                return spare
        return workspace_pointer(*self.new_workspace(block, learning=False))

    @property
    def _stretch_rows(self) -> int:
        """Rows to hand to compiled code at once: an interrupt waits for them."""
        return self.block_rows if self._kernel_part is None else STRETCH_ROWS

    @cached_property
    def _kernel_part(self) -> Any:
        """The kernel for blocks of these rows; None where it is a user's function."""
        if not is_part(self.kernel):
            return None
        wanted = declared_by(self.recipe.budget).reads_distances
        return for_blocks(self.kernel, self.shape.dtype, wanted)

    @cached_property
    def _city_block(self) -> bool:
        return geometry_of(self.kernel) == CITY_BLOCK

    def gram_matrix(self) -> np.ndarray:
        """Kernel values of the support vectors among themselves."""
        vectors = kinds.vectors_of(self.store, self.n, self.shape.n_features)
        if not is_part(self.kernel):
            return np.asarray(self.kernel(vectors, vectors), float)
        norms = kinds.norms_of(vectors, city_block=self._city_block)
        rows = kinds.rows_of(vectors, self.shape.layout, norms, self.n)
        workspace = self.new_workspace(self.n, learning=False)
        kernel, block = self._kernel_for(vectors, self.store, self.n), Block(0, self.n)
        compare = compiled_for(fill, kernel)
        compare(kernel, self.store, rows, block, self.n, workspace_pointer(*workspace))
        return workspace.values[:, : self.n].astype(float)

    def output_coef(self) -> np.ndarray:
        """Coefficients (C x n) of the output model: the last one, or the average."""
        with self.lock.reading:
            return self._output_coef()

    def _output_coef(self) -> np.ndarray:
        model, now, n = self.model, self.model.now[0], self.n
        coef = model.coef[:, :n]
        if model.sums.size == 0:
            return coef * now["scale"]
        average = now["output_average"]
        summed = coef * model.sums[average] - model.corrections[average, :, :n]
        return summed / max(1.0, model.counts[average])

    def output_intercept(self) -> np.ndarray:
        """The intercepts (C) of the output model; 0 where it has none."""
        with self.lock.reading:
            return self._output_intercept()

    def _output_intercept(self) -> np.ndarray:
        model, average = self.model, self.model.now[0]["output_average"]
        if not self.recipe.intercept:
            return np.zeros(self.shape.n_outputs)
        if model.sums.size == 0:
            return model.intercept.copy()
        return model.intercept_sums[average] / max(1.0, model.counts[average])

    def counters(self) -> Any:
        """The numbers that change from instance to instance, all of one moment."""
        with self.lock.reading:
            return self.model.now[0].copy()

    @property
    def n_support(self) -> int:
        return self.n

    def dual_coef(self) -> np.ndarray:
        """Coefficients (C x n) of the kernel expansion that is the output."""
        return self.output_coef()

    def vectors(self) -> Any:
        """The support vectors, as the user gave them."""
        with self.lock.reading:
            vectors = kinds.vectors_of(self.store, self.n, self.shape.n_features)
        if self.shape.layout == "hollow":
            vectors = vectors.toarray()
        return vectors if self.offset is None else vectors + self.offset

    def __getstate__(self) -> dict[str, Any]:
        with self.lock.reading:
            kept = {name: value for name, value in self.__dict__.items() if name not in NOT_KEPT}
            arrays = {"model": kinds.copied(self.model), "store": kinds.copied(self.store)}
            if self.observer is not None:
                arrays["observer"] = copy(self.observer)
        return kept | arrays

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.lock = ModelLock()
