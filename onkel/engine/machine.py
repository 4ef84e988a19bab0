"""How a learner is moved through a chunk: memory grown, blocks evaluated and walked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from onkel.compiled.decorators import direct
from onkel.engine import layout as kinds
from onkel.engine.ahead import Ahead, desks_ahead
from onkel.engine.answers import Answers
from onkel.engine.block_scores import score_block
from onkel.engine.filling import Desk, Filling, width_of, with_scratch_of_its_own
from onkel.engine.knowledge import (
    BLOCK_ROWS,
    FIRST_CAPACITY,
    FOREVER,
    NOISE,
    Recipe,
    Shape,
)
from onkel.engine.tiles import InTiles, may_be_shared, workspace_beside
from onkel.engine.walk import Block, Composition, fill, walk
from onkel.model.questions import compiled_for, is_own, with_distinct_names
from onkel.model.state import (
    LOG_ENTRIES_A_ROW,
    WRONGS,
    Workspace,
    model_pointer,
    workspace_pointer,
)
from onkel.model.tile import Tile
from onkel.model.vectors import apply_log
from onkel.parallel.interrupts import Uninterrupted

__all__ = [
    "BLOCK_ROWS", "FIRST_CAPACITY", "FOREVER", "NOISE", "NO_TRACE", "Machine", "Recipe", "Shape",
]  # fmt: skip

NO_TRACE = np.zeros((0, 0))


class Machine(Answers):
    """Learns rows with a recipe; everything it knows is in arrays."""

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

    def blank(self) -> Machine:
        """A machine of the same parts for the same data, that has learned nothing."""
        made = Machine(self.kernel, self.parts.task, self.recipe, self.shape, self.parts.seed)
        made.offset = self.offset
        return made

    def resumed(self, go_on: Callable[[Machine], Machine]) -> Machine:
        """What goes on after a pause."""
        return go_on(self)

    def has_features_of(self, other: Machine) -> bool:
        """Whether the weights of both are of the same features; of vectors they are, whichever these are."""
        return type(self) is type(other) and self.recipe.pause_at == FOREVER

    def lay_out_beside(self, other: Machine) -> None:
        """Be ready to walk what another machine with the same features evaluates."""
        if other._handles is None:
            other._lay_out()
        if self._handles is None or self._workspace is not other._workspace:
            self._lay_out(other._workspace)

    def learn(
        self,
        X: Any,
        targets: np.ndarray,
        weights: np.ndarray,
        trace: np.ndarray = NO_TRACE,
    ) -> int:
        """Learn the rows in order; return how many (fewer than all only when it pauses).

        ``trace`` (rows x C) gets the output model's scores before each update, unless it is empty. The
        observer is told the weights as they are given.
        """
        told = weights
        if self.class_weights is not None:
            weights = self.class_weights.applied(targets, weights)
        if self._handles is None:
            with Uninterrupted(), self.lock.writing:
                self._lay_out()
        if self._workspace.log_state[0]:
            raise RuntimeError(
                "An error came between what was learned and the vectors that it is about: the model is not "
                "usable any more. Load it from a file, or fit anew."
            )
        if self._walk is None:
            self._walk = walk if self._own else compiled_for(walk, *self.parts[:5])
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
        position, limit = 0, self.recipe.pause_at
        while position < len(targets) and self.n < limit:
            if self.n >= self.capacity:
                with Uninterrupted(), self.lock.writing:
                    self._grow()
                    self._lay_out()
            if position > 0 and self._kernel_part is None:
                kernel = self._kernel_for(X[position:], self.store, self.n)
            with Uninterrupted() as interrupts, self.evaluation(X, rows, kernel) as evaluation:
                while position < len(targets) and self.n < min(limit, self.capacity):
                    block = Block(position, min(self.block_rows, len(targets) - position))
                    lesson = targets, weights, trace, told
                    position += self._learn_block(evaluation, rows, block, *lesson)
                    interrupts.let_through()
                    if self._kernel_part is None:
                        break  # a function has told what one block needs
        self._fill = self._fill_for(kernel, rows)
        self._is_done_with(kernel)
        return position

    def evaluation(self, X: Any, rows: Any, kernel: Any) -> Filling:
        """Who evaluates the blocks of these rows, in as many threads as are allowed."""
        desk = Desk(kernel, rows, self._handles[2])
        if not self.recipe.n_map_features:
            return self._evaluation_of_kernel(desk, X.shape[0])
        n_rows, size = X.shape[0], self._multiplications(width_of(rows))
        others = desks_ahead(n_rows, self.block_rows, size) - 1
        if others == 0:
            return Filling(self._fill, desk)
        desks = [desk, *(self._desk_for_another_block(X, desk) for _ in range(others))]
        return Ahead(self._fill, desks, self.store, self.n, n_rows, self._take_back)

    def _evaluation_of_kernel(self, desk: Desk, n_rows: int) -> Filling:
        at_once = min(n_rows, self.block_rows)
        if self._kernel_part is None or not may_be_shared(desk.rows, at_once, self.capacity):
            return Filling(self._fill, desk)
        if self._beside is None:
            self._beside = workspace_pointer(*workspace_beside(self._workspace))
        return InTiles(self._fill, (desk, desk._replace(workspace=self._beside)), n_rows)

    def _desk_for_another_block(self, X: Any, desk: Desk) -> Desk:
        """A desk with features of its own, in room that was used before if there is some: fresh memory is slow."""
        room = self._take_workspace(self.block_rows, self.n).arrays
        own = {name: getattr(room, name) for name in ("values", "diagonal", "buffer")}
        workspace = workspace_pointer(*desk.workspace.arrays._replace(**own))
        kernel = self._kernel_for(X, self.store, self.n)
        return Desk(kernel, with_scratch_of_its_own(desk.rows), workspace)

    def _take_back(self, desks: list[Desk]) -> None:
        for desk in desks:
            self._spares.append(desk.workspace)
            self._is_done_with(desk.kernel)

    def _fill_for(self, kernel: Any, rows: Any) -> Any:
        """What was just called, as machine code if it was compiled: the types stay the same from now on."""
        if self._kernel_part is None:
            return self._fill
        workspace, nothing = self._handles[2], Tile(0, 0, 0, 0, True)
        return direct(self._fill, kernel, self.store, rows, nothing, workspace)

    def _learn_block(
        self,
        evaluation: Filling,
        rows: Any,
        block: Block,
        targets: np.ndarray,
        weights: np.ndarray,
        trace: np.ndarray,
        told: np.ndarray,
    ) -> int:
        """Evaluate some rows and learn them; return how many."""
        workspace = evaluation.of(block, self.store, self.n)
        parts, model, _ = self._handles
        walking = parts, model, workspace, targets, weights, trace, block, self.recipe.pause_at
        t, done = self.t, 0

        def walk_block() -> int:
            if self._workspace.block_scores.size:
                score_block(self.model, workspace.arrays, block.rows)
            return self._walk(*walking)

        with self.lock.writing:
            try:
                done = evaluation.walked(walk_block)
            finally:  # whatever happened, the rest follows
                self._follow_log(evaluation, rows)
                if self.observer is not None or self.class_weights is not None:
                    seen = slice(block.first, block.first + self.t - t)
                    self._let_follow(trace[seen], targets[seen], told[seen])
        self._walk = direct(self._walk, *walking)  # the types stay the same from now on
        if self._workspace.log_state[2]:
            self._refuse_budget(int(self._workspace.log_state[2]))
        return done

    def _let_follow(self, scores: np.ndarray, targets: np.ndarray, told: np.ndarray) -> None:
        """Let those beside the model take in rows that were learned."""
        if self.observer is not None:
            self.observer.observe(scores, targets, told)
        if self.class_weights is not None:
            self.class_weights = self.class_weights.after(targets)

    def _refuse_budget(self, wrong: int) -> None:
        self._handles = None
        raise RuntimeError(
            f"The budget {type(self.recipe.budget).__name__} {WRONGS[wrong]} for one row. A row may "
            f"append one vector, and change at most {LOG_ENTRIES_A_ROW} stored vectors in all (each "
            f"append, replace, move_last or note counts). The model is not usable any more."
        )

    def _lay_out(self, workspace: Workspace | None = None) -> None:
        """Lay out a workspace, unless one is given, and point compiled code to it and to the model."""
        self.model, self.store = kinds.writable(self.model), kinds.writable(self.store)
        self._score = None  # it may have been that of a store which must not be written
        if workspace is None:
            workspace = self.new_workspace(self.block_rows, learning=True)
        self._workspace, self._beside = workspace, None
        parts = Composition._make([*map(with_distinct_names, self.parts[:5]), *self.parts[5:]])
        self._own = all(is_own(part) for part in self.parts[:5])
        self._handles = parts, model_pointer(*self.model), workspace_pointer(*self._workspace)

    def _follow_log(self, evaluation: Filling, rows: Any) -> None:
        """Let the stored vectors follow the walk, where nobody looks at them."""
        try:
            evaluation.expect_change(self._workspace.log[: self._workspace.log_state[0], 1])
        finally:
            self._apply_log(rows)

    def _apply_log(self, rows: Any) -> None:
        """Let the stored vectors follow the walk, giving a pool more room as often as it takes."""
        while self._workspace.log_state[0] and not apply_log(self.store, rows, self._handles[2]):
            longest = int(np.diff(rows.indptr).max())
            self.store = kinds.compacted_pool(self.store, self.capacity, longest)
