"""The journal: a line of JSON a finished job, written at once, so that a run can be taken up again."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any

from onkel.datasets.lock import take
from onkel.evaluate.job import Job
from onkel.evaluate.results import Record

START = b'{"key": "'


class Journal:
    """Finished jobs in a file, or nowhere (`path` None).

    Records are found by `Job.key`, which knows nothing of versions: after a change of the code or
    the data begin a new file. A last line that was cut off is dropped; other damage is an error.
    """

    def __init__(self, path: str | Path | None) -> None:
        self.path = None if path is None else Path(path)
        self._file: Any = None
        self._records: dict[str, Record] = {}

    def __enter__(self) -> Journal:
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = open(self.path, "a+b")
            try:
                self._lock()
                self._read()
            except BaseException:
                self._file.close()
                raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def find(self, job: Job) -> Record | None:
        """The record of a job that succeeded before, with the label of now."""
        found = self._records.get(job.key)
        if found is None or found.failure is not None:
            return None
        return Record(**vars(found) | {"job": job})

    def write(self, record: Record) -> None:
        """Append a record, safely on disk when this returns."""
        if self._file is None:
            return
        line = json.dumps({"key": record.job.key} | record.to_dict()) + "\n"
        self._file.write(line.encode())
        self._file.flush()
        os.fsync(self._file.fileno())

    def _lock(self) -> None:
        if not take(self._file):
            raise RuntimeError(f"another run is writing to {self.path}: give each its own")

    def _read(self) -> None:
        self._file.seek(0)
        content = self._file.read()
        whole = content.rfind(b"\n") + 1
        for number, line in enumerate(content[:whole].splitlines(), 1):
            try:
                facts = json.loads(line)
                key = facts.pop("key")
                self._records[key] = Record.from_dict(facts)
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(
                    f"{self.path}, line {number}: no record of a job ({error}). "
                    "Remove the line, or begin a new journal"
                ) from None
        rest = content[whole:]
        if rest:
            if not (rest.startswith(START) or START.startswith(rest)):
                raise ValueError(f"{self.path} is no journal of onkel: give another file")
            self._file.truncate(whole)
