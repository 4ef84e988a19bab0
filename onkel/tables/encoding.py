"""What the encoder knows: the features, where they are, and how rows become numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from onkel.tables.column import Column
from onkel.tables.feature import Feature, Settings
from onkel.tables.kinds import Empty, feature_of, feature_said
from onkel.tables.places import Cells, Places
from onkel.tables.reading import Reading, read
from onkel.tables.table import Table

#: Rows of which a smaller share is not zero are better off sparse.
DENSE_ENOUGH = 0.3


class Rules(NamedTuple):
    """The encoder's parameters, checked."""

    settings: Settings
    missing: tuple[str, ...]
    kinds: dict[str, str]
    strict: bool  # a cell of another kind is an error, not a gap
    fixed_width: bool
    sparse: bool | None  # None: the first rows decide
    dtype: str


class Described(NamedTuple):
    """A column: its kind, its gaps among the rows, how many columns it became, and how."""

    column: str
    kind: str
    gaps: int
    rows: int
    columns: int
    became: str


class UnexpectedCell(ValueError):  # noqa: N818 - as plain as its message
    """A cell that is not of its column's kind."""

    def __init__(self, column: str, row: int, cell: Any, kind: str) -> None:
        self.column, self.row, self.cell, self.kind = column, row, cell, kind
        super().__init__(
            f"column {column!r}, row {row}: {cell!r} is not a {kind}, as the column's cells should be. If it stands "
            f'for a gap, add it to missing=, or let all such cells be gaps with unexpected="gap"; if the column '
            f'holds names, pass kinds={{{column!r}: "word"}}.'
        )

    def __reduce__(self) -> Any:
        return type(self), (self.column, self.row, self.cell, self.kind)


class Encoding:
    """Features learned block by block; the first block settles kinds, width and sparsity."""

    def __init__(self, rules: Rules, names: list[str]) -> None:
        self.rules, self.names = rules, names
        self.places = Places()
        self.features: dict[str, Feature] = {}
        self.gap_places: dict[str, int] = {}  # columns with gaps in the first block have a mark
        self.gap_counts = dict.fromkeys(names, 0)
        self.rows, self.width = 0, 0
        self.other_gaps = -1  # the mark of all other gaps
        self.sparse = False

    @property
    def is_decided(self) -> bool:
        """Whether the kinds of all columns are known."""
        empty = any(isinstance(feature, Empty) for feature in self.features.values())
        return bool(self.features) and not empty

    @property
    def left_out(self) -> set[str]:
        """The columns that become nothing."""
        return {name for name, feature in self.features.items() if not feature.is_used}

    def learn(self, block: Table) -> None:
        """Take rows in; what a block is made of is for `schedule` to say."""
        first = not self.features
        for name in self.names:
            column = block.cells[name]
            if first or isinstance(self.features[name], Empty):
                self._settle(name, column, first)
            feature = self.features[name]
            if not feature.is_used:  # it is left out, and not even read
                continue
            reading = self._read(feature, block, self.rows)
            feature.learn(reading, self.places, self.rules.settings)
            self.gap_counts[name] += int(reading.gaps.sum())
        self.rows += len(block)
        if first:
            self._finish_first(block)
        if not self.rules.fixed_width:
            self.width = len(self.places.names)

    def _settle(self, name: str, column: Column, first: bool) -> None:
        missing = frozenset(self.rules.missing)
        feature = feature_of(name, column, missing, self.rules.kinds.get(name))
        self.features[name] = feature
        reading = read(column, feature.reads, missing)
        feature.settle(reading, self.places, self.rules.settings)
        if first and reading.gaps.any() and feature.is_used:
            self.gap_places[name] = self.places.give(name, "=<gap>")

    def _finish_first(self, block: Table) -> None:
        self.other_gaps = self.places.give("", "<other gaps>")
        rooms = [feature.room(self.rules.settings) for feature in self.features.values()]
        self.width = sum(rooms) + len(self.gap_places) + 1
        if self.rules.sparse is not None:
            self.sparse = self.rules.sparse
            return
        rows = self._cells(block).csr(self.width, "float32")
        self.sparse = rows.nnz <= DENSE_ENOUGH * len(block) * self.width

    def encode(self, table: Table) -> Any:
        """The rows as numbers, by what is known now."""
        cells = self._cells(table)
        form = cells.csr if self.sparse else cells.dense
        return form(self.width, self.rules.dtype)

    def _cells(self, table: Table, before: int = 0) -> Cells:
        cells = Cells(len(table))
        others = np.zeros(len(table), bool)
        for name, feature in self.features.items():
            if not feature.is_used:
                continue
            reading = self._read(feature, table, before)
            feature.put(reading, cells)
            if name in self.gap_places:
                cells.mark_rows(self.gap_places[name], reading.gaps)
            else:
                others |= reading.gaps
        cells.mark_rows(self.other_gaps, others)
        return cells

    def check(self, table: Table, before: int = 0) -> None:
        """Raise a ValueError for cells that are not of their column's kind; `before` it were so many rows."""
        features = list(self.features.values())
        if not features:  # then only what the user says is known
            features = [feature_said(name, kind) for name, kind in self.rules.kinds.items()]
        for feature in features:
            if feature.is_used:
                self._read(feature, table, before)

    def _read(self, feature: Feature, table: Table, before: int) -> Reading:
        key = (feature.name, feature.reads, self.rules.missing)
        reading = table.readings.get(key)
        if reading is None:
            missing = frozenset(self.rules.missing)
            reading = read(table.cells[feature.name], feature.reads, missing)
            table.readings[key] = reading
        if reading.odd >= 0 and self.rules.strict:
            cell = table.cells[feature.name].cell(reading.odd)
            raise UnexpectedCell(feature.name, before + reading.odd + 1, cell, feature.kind)
        return reading

    def describe(self) -> Iterator[Described]:
        """What became of every column."""
        for name, feature in self.features.items():
            own = name in self.gap_places
            marks = "; gaps have a mark of their own" if own else ""
            taken = self.places.owners.count(name)
            gaps = self.gap_counts[name]
            yield Described(name, feature.kind, gaps, self.rows, taken, feature.summary() + marks)
