"""What became of a table's columns, to print and to look at."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from onkel.tables.encoding import Described

HEADINGS = ("column", "kind", "gaps", "columns", "became")


class Description(tuple[Described, ...]):
    """One line for every column of the table; a tuple of `Described` that prints as a table."""

    __slots__ = ()

    def __new__(cls, lines: Iterable[Described]) -> Description:
        return super().__new__(cls, lines)

    def __repr__(self) -> str:
        lines = [HEADINGS] + [
            (each.column, each.kind, _share(each), str(each.columns), each.became) for each in self
        ]
        widths = [max(len(line[place]) for line in lines) for place in range(4)]
        return "\n".join(
            "  ".join([*(cell.ljust(width) for cell, width in zip(line, widths)), line[4]]).rstrip()
            for line in lines
        )

    def to_pandas(self) -> Any:
        """The same as a data frame (needs pandas)."""
        import pandas

        return pandas.DataFrame(list(self), columns=list(Described._fields))


def _share(described: Described) -> str:
    if not described.gaps:
        return "-"
    return f"{described.gaps / described.rows:.1%}" if described.rows else "?"
