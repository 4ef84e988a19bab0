"""`onkel describe`: what is in a table's columns, and what they would become."""

from __future__ import annotations

from typing import Any

import numpy as np

from onkel.cli import options as o
from onkel.cli.errors import misuse
from onkel.cli.printing import counted_as, json_text
from onkel.cli.progress import Progress

#: More different cells of a column than this are not counted.
MOST_DISTINCT = 10_000


def describe(
    file: o.FileArgument,
    target: o.TargetOption = None,
    columns: o.ColumnsOption = None,
    ignore: o.IgnoreOption = None,
    categorical: o.CategoricalOption = None,
    format: o.FormatOption = None,
    skip_bad_lines: o.SkipOption = False,
    as_json: o.JsonOption = False,
    quiet: o.QuietOption = False,
) -> None:
    """Show the columns of a table: kinds, gaps, different cells, and what train would make of them.

    The table is read once, in bounded memory. With --target, the task that train would guess is told too.

    [bold]Examples[/bold]

    \b
    onkel describe flights.csv
    onkel describe flights.csv --target delay --categorical flight
    zcat log.csv.gz | onkel describe - --json
    """
    from onkel.cli.survey import opened
    from onkel.stream.opening import format_of

    format = format or o.Format(format_of(file, target="any"))  # a name that tells nothing is CSV
    source = o.table_source(
        file,
        target,
        format,
        None,
        skip_bad_lines,
        columns,
        ignore,
        categorical,
        o.Scale.unit_variance,
    )
    if not source.is_table:
        raise misuse(
            f"{source.name} is svmlight text: describe is for tables (CSV, Parquet, Arrow)"
        )
    labels = "none" if target is None else "raw"
    with Progress(quiet) as progress:
        stream = opened(
            source, labels=labels, columns=source.columns, ignore=source.ignore or [], raw=True
        )
        found = profiled(source, stream, progress)
    facts = found.facts() | {"skipped": stream.skipped}
    print(json_text(facts) if as_json else found.text(facts))


def profiled(source: o.Source, stream: Any, progress: Progress) -> Profile:
    """All rows of a stream of tables, looked at."""
    from onkel.cli.model import encoder_for
    from onkel.cli.survey import nothing_in

    found = Profile(encoder_for(source).set_params(unexpected="gap"))
    for X, y in stream:
        found.look_at(X, y if source.target is not None else None)
        progress.survey(found.rows)
    if not found.rows:
        raise nothing_in(source, stream)
    return found


class Profile:
    """Gaps and different cells of columns, and an encoder that learns them."""

    def __init__(self, encoder: Any) -> None:
        from onkel.cli.survey import Survey

        self.encoder = encoder
        self.rows = self.unlabelled = 0
        self.labels: Any = None
        self._survey = Survey()
        self.gaps: dict[str, int] = {}
        self.distinct: dict[str, set[int]] = {}

    def look_at(self, X: Any, y: Any) -> None:
        """Take some rows in."""
        self.rows += len(X)
        for name, column in X.cells.items():
            self._count(name, column)
        if y is not None:
            from onkel.cli.labels import is_gap

            gaps = is_gap(y)
            self.unlabelled += int(gaps.sum())
            self.labels = self._survey
            self._survey.look_at(y[~gaps])
        self.encoder.partial_fit(X)

    def _count(self, name: str, column: Any) -> None:
        from onkel.tables.reading import read

        cells = read(column, "word", frozenset(self.encoder.missing))
        self.gaps[name] = self.gaps.get(name, 0) + int(cells.gaps.sum())
        known = self.distinct.setdefault(name, set())
        if len(known) <= MOST_DISTINCT:  # hashes: words may be long
            known.update(hash(cells.words[code]) for code in np.unique(cells.values[~cells.gaps]))

    def facts(self) -> dict[str, Any]:
        """All of it, for programs."""
        columns = [
            {
                "column": each.column,
                "kind": each.kind,
                "gaps": self.gaps[each.column],
                "distinct": min(len(self.distinct[each.column]), MOST_DISTINCT),
                "distinct_is_least": len(self.distinct[each.column]) > MOST_DISTINCT,
                "columns": each.columns,
                "became": each.became,
            }
            for each in self.encoder.describe()
        ]
        facts: dict[str, Any] = {"rows": self.rows, "columns": columns}
        if self.labels is not None:
            from onkel.cli.labels import guessed

            guess = guessed(self.labels.labels())
            facts["target"] = {"unlabelled": self.unlabelled, **guess._asdict()}
        return facts

    def text(self, facts: dict[str, Any]) -> str:
        """The same for people."""
        rows = [("column", "kind", "gaps", "different", "columns", "became")]
        for each in facts["columns"]:
            more = "> " if each["distinct_is_least"] else ""
            gaps = f"{each['gaps'] / self.rows:.1%}" if each["gaps"] else "-"
            rows.append((each["column"], each["kind"], gaps, f"{more}{each['distinct']:,}",
                         str(each["columns"]), each["became"]))  # fmt: skip
        widths = [max(len(row[place]) for row in rows) for place in range(5)]
        lines = [
            "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[5]])
            for row in rows
        ]
        return "\n".join([*lines, self._closing(facts)])

    def _closing(self, facts: dict[str, Any]) -> str:
        parts = [counted_as(self.rows, "row")]
        if "target" in facts:
            target = facts["target"]
            parts.append(f"{counted_as(target['unlabelled'], 'row')} without a label")
            parts.append(f"{target['task']}: {target['why']}")
        if facts["skipped"]:
            parts.append(f"{counted_as(facts['skipped'], 'bad line')} left out")
        return "; ".join(parts)
