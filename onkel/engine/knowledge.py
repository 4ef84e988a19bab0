"""What a machine knows, all of it in arrays, and how rows and kernels are made ready for compiled code."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from onkel.balls import WholeSpace
from onkel.budgets import Unbounded
from onkel.budgets.declarations import declared_by, kept_for_norm, with_gamma
from onkel.engine import layout as kinds
from onkel.engine.filling import FUNCTION
from onkel.engine.lock import ModelLock
from onkel.engine.walk import Composition
from onkel.engine.workspace import new_workspace
from onkel.kernels.geometry import (
    CITY_BLOCK,
    for_blocks,
    geometry_of,
    is_part,
    is_shift_invariant,
)
from onkel.kernels.given import given_values
from onkel.model.questions import with_exact_types
from onkel.model.state import NOW, Model, Workspace

BLOCK_ROWS = 128
STRETCH_ROWS = 4096
FIRST_CAPACITY = 256
FOREVER = np.iinfo(np.int64).max
#: Rounding of a score, relative: a loss below it counts as none.
NOISE = {np.dtype(np.float64): 1e-13, np.dtype(np.float32): 1e-6}


#: Attributes of a machine that belong to a process, not to the model.
NOT_KEPT = (
    "lock",
    "_handles",
    "_workspace",
    "_beside",
    "_fill",
    "_walk",
    "_score",
    "_own",
    "_spare",
    "_kernel_part",
    "_turned",
    "_transform_in_order",
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


class Knowledge:
    """The state of a :class:`~onkel.engine.machine.Machine`."""

    #: Who is shown the output model's scores before each update; part of the model. See onkel.calibration.
    observer: Any = None
    #: Scores are put on the observer's line. (Ridge regression and mixtures weigh what they say themselves.)
    predicts_by_line = True
    #: What the weights of rows are multiplied with, by their class; part of the model, too.
    class_weights: Any = None
    #: The explicit features whose weights are learned, if others may learn on the same ones.
    feature_map: Any = None
    # Made when learning begins; neither copied nor saved.
    _handles: Any = None
    _workspace: Any = None
    _beside: Any = None
    _fill: Any = None
    _walk: Any = None
    _score: Any = None
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
    def loss(self) -> float:
        return float(self.model.now["loss"][0])

    @property
    def decay(self) -> float:
        return self.parts.decay

    @property
    def loss_part(self) -> Any:
        return self.recipe.loss

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

    def new_workspace(self, block: int, learning: bool, capacity: int | None = None) -> Workspace:
        """Room for blocks of so many rows; for learning with room for what happens inside one."""
        inside = block if learning and not self.recipe.n_map_features else 0
        declared = declared_by(self.recipe.budget)
        near = learning and bool(declared.reads_distances)
        marked = declared.keeps_for_norm is not None
        dtype, outputs = self.shape.dtype, self.shape.n_outputs
        capacity = capacity or self.capacity
        return new_workspace(
            block, capacity, dtype, outputs if learning else 0, inside, near, marked
        )

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

    def _multiplications(self, width: float) -> float:
        """What it takes to evaluate a row of so many features."""
        return self.n * (width + FUNCTION)

    def _kernel_for(self, X: Any, store: Any, n: int) -> Any:
        """The kernel as compiled code asks it about these rows and the first n vectors of a store."""
        if self._kernel_part is not None:
            return self._kernel_part
        vectors = kinds.vectors_of(store, n, self.shape.n_features)
        return given_values(self.kernel, X, vectors, self.shape.dtype)

    def _is_done_with(self, kernel: Any) -> None:
        """Nobody uses this kernel any more, nor the room that it may have for values on the way."""

    @property
    def _stretch_rows(self) -> int:
        """Rows that are made ready for compiled code at once."""
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
