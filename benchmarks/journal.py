"""Results that take long, kept in a file of comma separated values: what was measured is not measured again."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.report import Options


class Journal:
    """Lines of a CSV file, found by some of their columns.

    Parameters
    ----------
    path : Path
        The file; it is made with the first line.
    columns : tuple of str
        All columns, in their order in the file.
    key : tuple of str
        Those that tell one line from another.
    fresh : bool
        Measure again what the file has already; the new line takes the place of the old one.
    """

    def __init__(
        self, path: Path, columns: tuple[str, ...], key: tuple[str, ...], fresh: bool = False
    ) -> None:
        self.path, self.columns, self.key, self.fresh = path, columns, key, fresh
        self.measured_now: set[tuple[str, ...]] = set()
        self.lines = self.read()

    def read(self) -> dict[tuple[str, ...], dict[str, str]]:
        if not self.path.exists():
            return {}
        with self.path.open(encoding="utf-8", newline="") as file:
            return {self.key_of(line): line for line in csv.DictReader(file)}

    def key_of(self, line: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(str(line[name]) for name in self.key)

    def result(
        self, key: Mapping[str, Any], measure: Callable[[], Mapping[str, Any]]
    ) -> dict[str, str]:
        """The line of this key: from the file or, if it is not there, measured and written at once."""
        wanted = self.key_of(key)
        if wanted in self.lines and (not self.fresh or wanted in self.measured_now):
            return self.lines[wanted]
        line = {**key, **measure()}
        self.lines = self.read()  # others may have written meanwhile
        self.lines[wanted] = {name: str(line[name]) for name in self.columns}
        self.measured_now.add(wanted)
        self.write()
        return self.lines[wanted]

    def write(self) -> None:
        """The whole file anew: sorted, so that versions of it can be compared."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, self.columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.lines[key] for key in sorted(self.lines))


def kept_in(
    path: Path, columns: tuple[str, ...], key: tuple[str, ...], options: Options
) -> Journal:
    """The journal of a section: with ``--all`` measured anew, and of fewer rows than usual a passing one."""
    if options.rows is not None:
        return Journal(Path(tempfile.mkdtemp()) / path.name, columns, key)
    return Journal(path, columns, key, options.everything)
