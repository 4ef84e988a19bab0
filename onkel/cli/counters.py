"""The command line: columns that count the rows of a file, which only its first rows in their order tell."""

from __future__ import annotations

from collections.abc import Callable

from onkel.cli.options import Source


def without_counters(source: Source, note: Callable[[str], None]) -> Source:
    """The source without columns that count its rows, as `describe` has it; columns that the user named stay.

    Rows in random order, or without those that have no label, would not tell.
    """
    from onkel.cli.survey import opened
    from onkel.tables.encoder import MISSING, TableEncoder
    from onkel.tables.kinds import counts_the_rows

    if source.is_pipe or not source.is_table or source.columns is not None:
        return source
    ignored = source.ignore or []
    first = next(iter(opened(source, labels="raw", columns=None, ignore=ignored, raw=True)), None)
    if first is None:
        return source
    cells = first.X[: TableEncoder().look].cells
    named = [*ignored, *(source.categorical or [])]
    counters = [
        name
        for name, column in cells.items()
        if name not in named and counts_the_rows(column, frozenset(MISSING))
    ]
    if not 0 < len(counters) < len(cells):
        return source
    note(f"left out, as it counts the rows: {', '.join(counters)}")
    return source._replace(ignore=[*ignored, *counters])
