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
    "anywhere": lambda **n: onkel.RBPClassifier(budget=600, **n),
    "growing": lambda **n: onkel.OGDClassifier(**n),
    "cells": lambda **n: onkel.AVMClassifier(diameter=0.3, **n),
    "many classes": lambda **n: onkel.OGDClassifier(loss="hinge", **n),
}


@pytest.fixture(autouse=True)
def _no_block_is_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "WORTH_SHARING", 1)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("name", LEARNERS)
def test_the_same_model_with_many_vectors(name: str, form: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 6)) * (rng.random((3000, 6)) < 0.7)
    y = rng.integers(0, 70 if name == "many classes" else 2, 3000)
    files = []
    for n_jobs in (1, 2, 3):
        model = LEARNERS[name](n_jobs=n_jobs, gamma=1.0, random_state=0)
        for part in np.array_split(np.arange(3000), [1300, 1301]):
            model.partial_fit(form(X[part]), y[part], classes=np.unique(y))
        assert len(model.support_vectors_ if form is np.asarray else model.dual_coef_.T) > 256
        save(model, tmp_path / "model", compressed=False)
        files.append((tmp_path / "model").read_bytes())
    assert files[0] == files[1] == files[2]


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


def in_tiles(fill: Noted) -> InTiles:
    workspace = new_workspace(BLOCK, VECTORS, np.float64, 1, BLOCK)
    rooms = [workspace_pointer(*room) for room in (workspace, workspace_beside(workspace))]
    rows = DenseRows(np.zeros((ROWS, 3)), np.zeros(ROWS))
    here, there = (Desk(None, rows, room) for room in rooms)
    return InTiles(fill, (here, there), ROWS)


def tile(first: int, number: int) -> Tile:
    return Tile(first, BLOCK, 256 * number, 256 * (number + 1), False)


def inside(first: int) -> Tile:
    return Tile(first, BLOCK, 0, 0, True)


def test_what_a_walk_left_alone_is_evaluated_ahead_once() -> None:
    fill, store = Noted(), np.zeros(VECTORS)
    with Allowing(lambda: 2), in_tiles(fill) as evaluation:
        evaluation.of(Block(0, BLOCK), store, VECTORS)
        fill.waits_for(inside(BLOCK))  # but no vectors: who knows whether there will be as many
        assert not fill.done[tile(BLOCK, 0)]
        evaluation.expect_change(np.array([300]))
        room = evaluation.of(Block(BLOCK, BLOCK), store, VECTORS)
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


def test_a_block_that_was_not_expected() -> None:
    """The walk may end early, and with more vectors than before."""
    fill, store = Noted(), np.zeros(VECTORS)
    with Allowing(lambda: 2), in_tiles(fill) as evaluation:
        for first, n in ((0, 900), (BLOCK, 900), (11, 900), (19, 1024)):
            room = evaluation.of(Block(first, min(BLOCK, ROWS - first)), store, n)
            assert (room.arrays.values[: ROWS - first, :n] == store[:n]).all()
            evaluation.expect_change(np.arange(n))
            store += 1


def test_few_vectors_are_left_to_one_thread() -> None:
    fill, store = Noted(), np.zeros(VECTORS)
    with Allowing(lambda: 2), in_tiles(fill) as evaluation:
        for first in range(0, ROWS, BLOCK):
            evaluation.of(Block(first, BLOCK), store, tiles.TILE)
            evaluation.expect_change(np.array([0]))
    assert fill.done == {Tile(first, BLOCK, 0, tiles.TILE, True): 1 for first in (0, 8, 16)}
