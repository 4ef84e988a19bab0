"""Tiles of a block, and those of the next one that are evaluated ahead: nothing old is ever taken for new."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import onkel
from onkel.engine import tiles
from onkel.engine.filling import Desk
from onkel.engine.tiles import InTiles, workspace_beside
from onkel.engine.walk import Block
from onkel.engine.workspace import new_workspace
from onkel.io import save
from onkel.model.state import workspace_pointer
from onkel.model.tile import Tile
from onkel.model.vectors import DenseRows
from onkel.parallel import crew
from onkel.parallel.crew import Allowing
from tests.patience import FOR_AN_ANSWER

ROWS, BLOCK, VECTORS = 24, 8, 1024  # four tiles of 256

LEARNERS = {
    "ring": lambda **n: onkel.BSGDClassifier(budget=600, maintenance="removal", **n),
    "merging": lambda **n: onkel.BSGDClassifier(budget=600, maintenance="merging", **n),
    "anywhere": lambda **n: onkel.RBPClassifier(budget=300, **n),
    "growing": lambda **n: onkel.OGDClassifier(**n),
    "cells": lambda **n: onkel.AVMClassifier(diameter=0.05, **n),
    "many classes": lambda **n: onkel.BSGDClassifier(budget=600, maintenance="removal", **n),
}
#: Those whose vectors become no more, or hardly, and where a block changes few of them.
STEADY = ("ring", "cells", "many classes")


@pytest.fixture(autouse=True)
def _no_block_is_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "WORTH_SHARING", 1)


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many tiles of vectors were taken that helpers had begun before, block by block."""
    counts: list[int] = []
    of = InTiles.of

    def noted(self: InTiles, block: Block, store: Any, n: int) -> Any:
        wanted = set(tiles.tiles_of(block, n))
        counts.append(sum(not tile.inside for tile in self._ahead & wanted))
        return of(self, block, store, n)

    monkeypatch.setattr(InTiles, "of", noted)
    return counts


def rows_for(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows in three chunks' worth; labels that can be learned, but for a few."""
    rng = np.random.default_rng(0)
    if name == "cells":
        X = 0.06 * rng.integers(-150, 150, size=(3000, 1))  # as many cells
        return X, (np.sin(X[:, 0]) > 0).astype(int)
    X = rng.normal(size=(3000, 6)) * (rng.random((3000, 6)) < 0.7)
    if name == "many classes":
        return X, rng.integers(0, 70, 3000)
    flipped = rng.random(3000) < np.where(np.arange(3000) < 700, 0.5, 0.0)
    y = (X[:, 0] > 0).astype(int)
    X[:, 0] += 4 * y
    return X, y ^ flipped


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("name", LEARNERS)
def test_the_same_model_with_many_vectors(
    name: str, form: Any, tmp_path: Path, taken: list[int]
) -> None:
    X, y = rows_for(name)
    files = []
    for n_jobs in (1, 2, 3):
        model = LEARNERS[name](n_jobs=n_jobs, gamma=1.0, random_state=0)
        for part in np.array_split(np.arange(3000), [1300, 1301]):
            model.partial_fit(form(X[part]), y[part], classes=np.unique(y))
        assert len(model.support_vectors_ if form is np.asarray else model.dual_coef_.T) > 256
        save(model, tmp_path / "model", compressed=False)
        files.append((tmp_path / "model").read_bytes())
    assert files[0] == files[1] == files[2]
    assert (sum(taken) > 0) >= (name in STEADY)


class Noted:
    """Takes the place of the compiled function: a value is how often its vector has changed."""

    def __init__(self) -> None:
        self.done: Counter[Tile] = Counter()
        self.changed = threading.Condition()

    def __call__(self, kernel: Any, store: np.ndarray, rows: Any, tile: Tile, room: Any) -> None:
        columns = slice(tile.begin, tile.end)
        room.arrays.values[: tile.rows, columns] = store[columns]
        with self.changed:
            self.done[tile] += 1
            self.changed.notify_all()

    def waits_for(self, *wanted: Tile) -> None:
        with self.changed:
            assert self.changed.wait_for(
                lambda: all(self.done[tile] for tile in wanted), FOR_AN_ANSWER
            )


def in_tiles(fill: Noted, n_rows: int = ROWS) -> InTiles:
    workspace = new_workspace(BLOCK, VECTORS, np.float64, 1, BLOCK)
    rooms = [workspace_pointer(*room) for room in (workspace, workspace_beside(workspace))]
    rows = DenseRows(np.zeros((ROWS, 3)), np.zeros(ROWS))
    here, there = (Desk(None, rows, room) for room in rooms)
    return InTiles(fill, (here, there), n_rows)


def tile(first: int, number: int) -> Tile:
    return Tile(first, BLOCK, 256 * number, 256 * (number + 1), False)


def inside(first: int) -> Tile:
    return Tile(first, BLOCK, 0, 0, True)


def test_what_a_walk_left_alone_is_evaluated_ahead_once() -> None:
    fill, store = Noted(), np.zeros(VECTORS)
    with Allowing(lambda: 2), in_tiles(fill) as evaluation:
        evaluation.of(Block(0, BLOCK), store, VECTORS)
        fill.waits_for(inside(BLOCK), *[tile(BLOCK, number) for number in range(4)])
        evaluation.expect_change(np.array([300]))
        room = evaluation.of(Block(BLOCK, BLOCK), store, VECTORS)
        assert [fill.done[tile(BLOCK, number)] for number in range(4)] == [1, 2, 1, 1]
        ahead = [tile(2 * BLOCK, number) for number in (0, 2, 3)]
        fill.waits_for(inside(2 * BLOCK), *ahead)
        assert not fill.done[tile(2 * BLOCK, 1)]
        assert (room.arrays.values == 0).all()
        evaluation.expect_change(np.array([5, 1000]))
        store[[5, 1000]] += 1
        room = evaluation.of(Block(2 * BLOCK, BLOCK), store, VECTORS)
        assert (room.arrays.values == store).all()
        assert [fill.done[tile(2 * BLOCK, number)] for number in range(4)] == [2, 1, 1, 2]
    assert fill.done[inside(BLOCK)] == fill.done[inside(2 * BLOCK)] == 1


def test_what_changed_longest_ago_is_not_begun() -> None:
    """Where the oldest vectors give way, they are the next."""
    fill, store = Noted(), np.zeros(VECTORS)
    with Allowing(lambda: 2), in_tiles(fill, 9 * BLOCK) as evaluation:
        evaluation._helpers = 0  # nobody is called
        for number, slot in enumerate((700, 1000, 100, 300)):
            evaluation.of(Block(BLOCK * number, BLOCK), store, VECTORS)
            evaluation.expect_change(np.array([slot]))
        evaluation.of(Block(4 * BLOCK, BLOCK), store, VECTORS)
        assert list(evaluation._job._left) == [
            inside(5 * BLOCK), *(tile(5 * BLOCK, number) for number in (0, 3))
        ]  # fmt: skip


def second_block(fill: Noted, evaluation: InTiles) -> None:
    """Ask for a block whose workspace is the helpers'; from then on the caller does nothing itself."""
    store = np.zeros(VECTORS)
    for first in (0, BLOCK):
        evaluation.of(Block(first, BLOCK), store, VECTORS)
        assert evaluation.walked(lambda first=first: first + 7) == first + 7
        evaluation.expect_change(np.array([300]))
    evaluation.of(Block(2 * BLOCK, BLOCK), store, VECTORS)
    assert evaluation.walked(threading.get_ident) == threading.get_ident()
    evaluation._job._take = lambda: False  # type: ignore[method-assign]


def test_helpers_walk_what_they_filled() -> None:
    fill = Noted()
    with Allowing(lambda: 2), in_tiles(fill, 4 * BLOCK) as evaluation:
        second_block(fill, evaluation)
        evaluation.of(Block(3 * BLOCK, BLOCK), np.zeros(VECTORS), VECTORS)
        assert evaluation.walked(threading.get_ident) != threading.get_ident()


def test_an_error_of_a_walk_comes_to_who_asked() -> None:
    fill = Noted()

    def walk() -> int:
        raise KeyError("within a walk")

    with pytest.raises(KeyError, match="within a walk"):
        with Allowing(lambda: 2), in_tiles(fill, 4 * BLOCK) as evaluation:
            second_block(fill, evaluation)
            evaluation.of(Block(3 * BLOCK, BLOCK), np.zeros(VECTORS), VECTORS)
            evaluation.walked(walk)


def test_an_error_elsewhere_waits_for_the_end_of_a_walk() -> None:
    """Then the vectors follow what was walked: not before."""
    fill = Noted()
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def walk() -> int:
        begun.set()
        assert go_on.wait(FOR_AN_ANSWER)
        ended.set()
        return 0

    def fails() -> bool:
        assert begun.wait(FOR_AN_ANSWER)
        threading.Timer(0.1, go_on.set).start()
        raise MemoryError

    with pytest.raises(MemoryError):
        with Allowing(lambda: 2), in_tiles(fill, 4 * BLOCK) as evaluation:
            second_block(fill, evaluation)
            evaluation.of(Block(3 * BLOCK, BLOCK), np.zeros(VECTORS), VECTORS)
            evaluation._job._take = fails  # type: ignore[method-assign]
            try:
                evaluation.walked(walk)
            finally:
                assert ended.is_set()


def test_who_has_no_help_does_everything_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other callers have all threads."""
    fill, store = Noted(), np.zeros(VECTORS)
    with Allowing(lambda: 2), in_tiles(fill) as evaluation:
        monkeypatch.setattr(crew._crew, "callers", {*crew._crew.callers, -1})
        for first in range(0, ROWS, BLOCK):
            evaluation.of(Block(first, BLOCK), store, VECTORS)
            evaluation.expect_change(np.array([0]))
    assert fill.done == {Tile(first, BLOCK, 0, VECTORS, True): 1 for first in (0, 8, 16)}


def test_a_block_that_was_not_expected() -> None:
    """The walk may end early, and with more vectors than before."""
    fill, store = Noted(), np.zeros(VECTORS)
    with Allowing(lambda: 2), in_tiles(fill) as evaluation:
        for first, n in ((0, 900), (BLOCK, 900), (11, 900), (19, 1024)):
            room = evaluation.of(Block(first, min(BLOCK, ROWS - first)), store, n)
            assert (room.arrays.values[: ROWS - first, :n] == store[:n]).all()
            evaluation.expect_change(np.arange(n))
            store += 1


@pytest.mark.parametrize("jump", [(2 * BLOCK + 3, VECTORS), (2 * BLOCK, VECTORS - 256)])
def test_what_was_begun_for_another_block_is_not_taken(jump: tuple[int, int]) -> None:
    """Neither where the walk ended early, nor where vectors are fewer."""
    fill, store = Noted(), np.zeros(VECTORS)
    first, n = jump
    with Allowing(lambda: 2), in_tiles(fill) as evaluation:
        for begin in (0, BLOCK):
            evaluation.of(Block(begin, BLOCK), store, VECTORS)
            evaluation.expect_change(np.array([300]))
        fill.waits_for(*[tile(2 * BLOCK, number) for number in (0, 2, 3)])
        room = evaluation.of(Block(first, ROWS - first), store, n)
        assert (room.arrays.values[: ROWS - first, :n] == store[:n]).all()
        assert not evaluation._ahead


@pytest.mark.parametrize(
    "model",
    [
        onkel.BSGDClassifier(maintenance="removal", budget=90, kernel="polynomial", degree=2),
        onkel.AVMClassifier(diameter=0.2, gamma=1.0),
        onkel.AVMClassifier(diameter=0.2, gamma=1.0, cells="box"),
    ],
    ids=["products", "spheres", "boxes"],
)
def test_a_block_has_all_that_is_filled_for_itself(model: Any) -> None:
    """What is evaluated ahead writes nowhere where the walk reads."""
    X = np.random.default_rng(0).normal(size=(600, 3))
    learned = model.fit(X, (X[:, 0] * X[:, 1] > 0).astype(int))._machine
    walked = learned._workspace
    for name, array in workspace_beside(walked)._asdict().items():
        shared = np.shares_memory(array, getattr(walked, name))
        assert shared == (name not in tiles.OF_A_BLOCK and array.size > 0)
    before = {name: array.copy() for name, array in walked._asdict().items()}
    rows = learned._rows(3 * X[:128], 128)
    tile = Tile(0, 128, 0, learned.n, True)
    learned._fill(learned._kernel_part, learned.store, rows, tile, workspace_pointer(*walked))
    filled = {name for name in before if not np.array_equal(before[name], getattr(walked, name))}
    assert {"values", "block_values"} <= filled <= {*tiles.OF_A_BLOCK, "buffer"}


def test_few_vectors_are_left_to_one_thread() -> None:
    fill, store = Noted(), np.zeros(VECTORS)
    with Allowing(lambda: 2), in_tiles(fill) as evaluation:
        for first in range(0, ROWS, BLOCK):
            evaluation.of(Block(first, BLOCK), store, tiles.TILE)
            evaluation.expect_change(np.array([0]))
    assert fill.done == {Tile(first, BLOCK, 0, tiles.TILE, True): 1 for first in (0, 8, 16)}
