"""The report: comparisons as tables of ready-made cells. The template only lays them out.

An explanation is no column: it stands below its row, across the table.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from onkel.report.digits import NOTHING, counted, decimals_for, plain, rounded
from onkel.report.page import Comparison, ComparisonRow

# word and symbol for each agreement, as colour is never the only sign
AGREEMENTS = {
    "std": ("within 3 std", "✓"),
    "percent": ("within 10 %", "≈"),
    "differs": ("differs", "≠"),
    "absent": ("no data", "∅"),
    "failed": ("failed", "✗"),
}
WORST_FIRST = ("differs", "percent", "std", "absent", "failed")  # the order of sorting


class Cell(NamedTuple):
    text: str
    aside: str = ""  # beside it, smaller
    key: float | None = None  # what a column of numbers is sorted by
    bar: float | None = None  # in per cent of the cell
    best: bool = False  # of its column and data set


class Column(NamedTuple):
    name: str
    heading: str
    group: str  # heading above, shared with neighbours
    numeric: bool
    cell: Callable[[ComparisonRow], Cell]
    better: int = 0  # 1: higher, -1: lower


class Table(NamedTuple):
    anchor: str
    title: str
    note: str
    columns: list[Column]
    groups: list[tuple[str, int]]  # heading, columns it spans
    rows: list[tuple[ComparisonRow, list[Cell]]]
    tally: list[tuple[str, str, str, int]]  # agreement, word, symbol, how many


def _decimals(row: ComparisonRow) -> int:
    """The same for both figures of a row, so that they can be compared at a glance."""
    if row.unit == "%":
        return 2
    return decimals_for(row.ours, row.theirs)


def _figure(whose: str) -> Callable[[ComparisonRow], Cell]:
    def cell(row: ComparisonRow) -> Cell:
        value, std, decimals = getattr(row, whose), getattr(row, f"{whose}_std"), _decimals(row)
        if value is None:
            return Cell(NOTHING)
        return Cell(
            plain(value, decimals), "" if std is None else f"± {plain(std, decimals)}", value
        )

    return cell


def _signed(value: float) -> str:
    return plain(value, 1 if abs(value) < 100 else 0, signed=True)


def _percent(row: ComparisonRow) -> Cell:
    value = row.difference_percent
    return Cell(NOTHING) if value is None else Cell(f"{_signed(value)} %", key=value)


def _deviations(row: ComparisonRow) -> Cell:
    value = row.difference_std
    return Cell(NOTHING) if value is None else Cell(_signed(value), key=value)


def _agreement(row: ComparisonRow) -> Cell:
    if row.agrees is None:
        return Cell(NOTHING)
    return Cell(AGREEMENTS[row.agrees][0], key=WORST_FIRST.index(row.agrees))


def _number(field: str, text: Callable[[float | None], str]) -> Callable[[ComparisonRow], Cell]:
    def cell(row: ComparisonRow) -> Cell:
        value = getattr(row, field)
        return Cell(text(value), key=value)

    return cell


COLUMNS = (
    Column("dataset", "Data set", "", False, lambda row: Cell(row.dataset)),
    Column("algorithm", "Algorithm", "", False, lambda row: Cell(row.algorithm)),
    Column("metric", "Metric", "", False, lambda row: Cell(row.metric)),
    Column("ours", "ours", "Result", True, _figure("ours")),
    Column("theirs", "theirs", "Result", True, _figure("theirs")),
    Column("difference_percent", "in %", "Difference", True, _percent),
    Column("difference_std", "in std", "Difference", True, _deviations),
    Column("agrees", "Agreement", "", True, _agreement),
    Column("ours_seconds", "ours", "Seconds", True, _number("ours_seconds", rounded)),
    Column("theirs_seconds", "theirs", "Seconds", True, _number("theirs_seconds", rounded)),
    Column("ours_size", "ours", "Size", True, _number("ours_size", counted)),
    Column("theirs_size", "theirs", "Size", True, _number("theirs_size", counted)),
)
ALWAYS = ("algorithm", "metric", "ours")


def table_of(comparison: Comparison, number: int) -> Table:
    """The comparison with columns, headings and cells; columns without a single value are left out."""
    columns = _columns(comparison)
    largest = _largest_sizes(comparison)
    cells = [[_cell(column, row, largest) for column in columns] for row in comparison.rows]
    rows = list(zip(comparison.rows, with_best_marked(comparison.rows, columns, cells)))
    counts: Counter[str] = Counter(row.agrees for row in comparison.rows if row.agrees is not None)
    tally = [(key, *told, counts[key]) for key, told in AGREEMENTS.items() if counts[key]]
    return Table(
        f"table-{number}", comparison.title, comparison.note, columns, _groups(columns), rows, tally
    )


def _columns(comparison: Comparison) -> list[Column]:
    """The columns that hold something; one that is alone in its group has the group's name."""
    kept = [
        column._replace(better=comparison.better.get(column.name, 0))
        for column in COLUMNS
        if column.name in ALWAYS
        or any(getattr(row, column.name) not in (None, "") for row in comparison.rows)
    ]
    at = next((i for i, c in enumerate(kept) if c.group in ("Seconds", "Size")), len(kept))
    kept[at:at] = _figure_columns(comparison)
    members = Counter(column.group for column in kept)

    def named(column: Column) -> Column:
        if not column.group or members[column.group] > 1:
            return column
        heading = column.group if column.heading == "ours" else f"{column.group}, {column.heading}"
        return column._replace(heading=heading, group="")

    return [named(column) for column in kept]


def _figure_columns(comparison: Comparison) -> list[Column]:
    """A column for each further metric, in order of first appearance."""
    names = dict.fromkeys(name for row in comparison.rows for name in row.figures)
    return [
        Column(f"figure-{i}", name, "", True, _further(name), comparison.better.get(name, 0))
        for i, name in enumerate(names)
    ]


def _further(name: str) -> Callable[[ComparisonRow], Cell]:
    def cell(row: ComparisonRow) -> Cell:
        figure = row.figures.get(name)
        if figure is None:
            return Cell(NOTHING)
        decimals = 2 if name.endswith("(%)") else decimals_for(figure.value)
        if isinstance(figure.value, int):
            decimals = 0
        aside = "" if figure.std is None else f"± {plain(figure.std, decimals)}"
        return Cell(plain(figure.value, decimals), aside, figure.value)

    return cell


def with_best_marked(
    rows: list[ComparisonRow], columns: list[Column], cells: list[list[Cell]]
) -> list[list[Cell]]:
    """The cells, the best of each column marked, among rows of one data set and metric; equals all are."""
    marked = [list(line) for line in cells]
    for place, column in enumerate(columns):
        groups: dict[tuple[str, str], list[int]] = {}
        for i, row in enumerate(rows):
            if column.better and cells[i][place].key is not None:
                metric = row.metric if column.name == "ours" else ""
                groups.setdefault((row.dataset, metric), []).append(i)
        for group in groups.values():
            keys = {i: column.better * (cells[i][place].key or 0.0) for i in group}
            best = max(keys.values())
            if len(group) > 1 and min(keys.values()) < best:
                for i in group:
                    marked[i][place] = cells[i][place]._replace(best=keys[i] == best)
    return marked


def _largest_sizes(comparison: Comparison) -> dict[str, float]:
    largest: dict[str, float] = {}
    for row in comparison.rows:
        for size in (row.ours_size, row.theirs_size):
            if size is not None and math.isfinite(size):
                largest[row.dataset] = max(size, largest.get(row.dataset, 0.0))
    return largest


def _cell(column: Column, row: ComparisonRow, largest: dict[str, float]) -> Cell:
    """A size has a small bar beside it, as a share of the largest model on that data set."""
    cell = column.cell(row)
    if cell.key is not None and not math.isfinite(cell.key):
        return cell._replace(key=None)  # sorted with what is missing
    if not column.name.endswith("_size") or not cell.key or largest[row.dataset] <= 0:
        return cell
    return cell._replace(bar=round(100 * cell.key / largest[row.dataset], 1))


def _groups(columns: list[Column]) -> list[tuple[str, int]]:
    """Neighbouring columns under one heading; a column of its own has an empty one."""
    groups: list[tuple[str, int]] = []
    for column in columns:
        if groups and column.group and groups[-1][0] == column.group:
            groups[-1] = (column.group, groups[-1][1] + 1)
        else:
            groups.append((column.group, 1))
    return groups
