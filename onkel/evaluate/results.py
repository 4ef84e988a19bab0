"""Results are data: records of finished jobs, a flat table of them, mean and standard deviation."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, overload

import numpy as np

from onkel.evaluate.job import Job

FORMAT = "onkel results 1"


@dataclass
class Record:
    """A finished job: what `Run` tells, and the versions that it was made with.

    Parameters
    ----------
    job : Job
        What was run.
    params : dict, default={}
        The job's parameters with formulas evaluated.
    metrics : dict, default={}
        As in `Run`.
    curve : dict, default={}
        As in `Run`.
    versions : dict, default={}
        Versions of Python, onkel and the libraries, and the kind of machine.
    date : str, default=""
        When it began, as ISO 8601 in UTC.
    failure : str or None, default=None
        What went wrong, if anything did.
    course : dict, default={}
        As in `Run`.
    diagrams : dict, default={}
        As in `Run`.
    """

    job: Job
    params: dict[str, Any] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)
    curve: dict[str, list[float]] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    date: str = ""
    failure: str | None = None
    course: dict[str, list[float]] = field(default_factory=dict)
    diagrams: dict[str, dict[str, list[float]]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Give the record as plain values for JSON.

        Returns
        -------
        dict
            What `from_dict` takes.
        """
        return {name: getattr(self, name) for name in self.__dataclass_fields__} | {
            "job": self.job.to_dict()
        }

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> Record:
        """Make a record of what `to_dict` gave.

        Parameters
        ----------
        facts : dict
            Its fields; those of the job as a dict.

        Returns
        -------
        Record
            The record.
        """
        return cls(**facts | {"job": Job.from_dict(facts["job"])})

    def row(self) -> dict[str, Any]:
        """Give flat columns for a table: the job, the metrics, the versions; no curve.

        Returns
        -------
        dict
            One value a column.
        """
        job = self.job
        data = {name: value for name, value in job.to_dict()["data"].items() if name != "name"}
        return {
            "data": job.data.name,
            "label": job.label,
            "learner": job.learner,
            "protocol": job.protocol,
            "seed": job.seed,
            **self.metrics,
            "params": json.dumps(self.params, sort_keys=True),
            "preparation": json.dumps(data, sort_keys=True),
            "date": self.date,
            **{f"{name}_version": number for name, number in self.versions.items()},
        }


class Results(Sequence[Record]):
    """Records of finished jobs in the order of the jobs; those that failed are in `failures`.

    It is a sequence of `Record`; printed, it is a table of mean ± standard deviation by data and learner.

    Parameters
    ----------
    records : iterable of Record, default=()
        Of jobs that were finished, and of those that failed.

    Attributes
    ----------
    records : list of Record
        Those that were finished.
    failures : list of Record
        Those that failed.
    """

    def __init__(self, records: Iterable[Record] = ()) -> None:
        everything = list(records)
        self.records = [record for record in everything if record.failure is None]
        self.failures = [record for record in everything if record.failure is not None]

    @overload
    def __getitem__(self, place: int) -> Record: ...
    @overload
    def __getitem__(self, place: slice) -> list[Record]: ...
    def __getitem__(self, place: int | slice) -> Record | list[Record]:
        return self.records[place]

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    def __add__(self, other: Results) -> Results:
        return Results([*self.records, *other.records, *self.failures, *other.failures])

    def __repr__(self) -> str:
        return f"Results({len(self)} records, {len(self.failures)} failures)"

    def __str__(self) -> str:
        """Mean ± standard deviation by data and label, as the papers print them."""
        table = [("data", "learner", "runs", "error", "size", "seconds")]
        for row in self.summary():
            name = "mistake_rate" if "mistake_rate" in row else "squared_error"
            mean, spread = row[name], row[f"{name}_std"]
            if name == "mistake_rate":
                error = f"{100 * mean:.2f} ± {100 * spread:.2f} %"
            else:
                error = f"{mean:.4g} ± {spread:.2g} MSE"
            told = str(row["count"]), error.replace(" ± nan", "")
            size, seconds = f"{row['size']:.0f}", f"{row['seconds']:.2f}"
            table.append((row["data"], row["label"], *told, size, seconds))
        lines = _aligned(table)
        lines += [f"{r.job.data.name}, {r.job.label}: {r.failure}" for r in self.failures]
        return "\n".join(lines)

    def table(self) -> list[dict[str, Any]]:
        """Give one flat dict a record, all with the same keys (None where a metric doesn't apply).

        Returns
        -------
        list of dict
            The rows of a table; see `Record.row`.
        """
        rows = [record.row() for record in self.records]
        columns = list(dict.fromkeys(name for row in rows for name in row))
        return [{name: row.get(name) for name in columns} for row in rows]

    def summary(
        self,
        by: Sequence[str] = ("data", "label"),
        metrics: Sequence[str] | None = None,
    ) -> list[dict[str, Any]]:
        """Give mean and standard deviation over each group of records.

        Parameters
        ----------
        by : sequence of str, default=("data", "label")
            Columns of the table that are the same within a group.
        metrics : sequence of str, default=None
            Which metrics; None for all.

        Returns
        -------
        list of dict
            A row a group, with the columns of `by`, `count`, and for each metric its mean under the
            metric's name and its standard deviation (with n - 1; nan of a single record) under the
            name + "_std".
        """
        known = dict.fromkeys(name for record in self.records for name in record.metrics)
        for name in metrics or ():
            if self.records and name not in known:
                raise ValueError(f"metrics: {name!r} isn't measured here, only {', '.join(known)}")
        groups: dict[tuple[Any, ...], list[Record]] = {}
        for record in self.records:
            facts = record.row()
            missing = [name for name in by if name not in facts]
            if missing:
                raise ValueError(f"by={missing[0]!r} is no column; there are {', '.join(facts)}")
            groups.setdefault(tuple(facts[name] for name in by), []).append(record)
        return [
            dict(zip(by, group), count=len(records)) | _statistics(records, metrics)
            for group, records in groups.items()
        ]

    # -- out and in ----------------------------------------------------------------------------

    def to_pandas(self) -> Any:
        """Give the table as a pandas DataFrame (needs pandas).

        Returns
        -------
        pandas.DataFrame
            A row a record.
        """
        try:
            import pandas
        except ImportError:
            raise ImportError("a DataFrame needs pandas: pip install 'onkel[pandas]'") from None
        return pandas.DataFrame(self.table())

    def to_parquet(self, path: str | Path) -> Path:
        """Write the table as Parquet (needs pyarrow).

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        Path
            The file.
        """
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise ImportError("Parquet needs pyarrow: pip install 'onkel[arrow]'") from None
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(self.table()), path)
        return Path(path)

    def to_csv(self, path: str | Path) -> Path:
        """Write the table as CSV.

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        Path
            The file.
        """
        rows = self.table()
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]) if rows else ["data", "label"])
            writer.writeheader()
            writer.writerows(rows)
        return Path(path)

    def to_json(self, path: str | Path) -> Path:
        """Write everything, curves and failures too; `from_json` reads it back as it was.

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        Path
            The file.
        """
        records = [record.to_dict() for record in [*self.records, *self.failures]]
        text = json.dumps({"format": FORMAT, "records": records}, indent=1)
        Path(path).write_text(text + "\n", encoding="utf-8", newline="\n")
        return Path(path)

    @classmethod
    def from_json(cls, path: str | Path) -> Results:
        """Read what `to_json` wrote.

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        Results
            As they were.
        """
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
            if content["format"] != FORMAT:
                raise KeyError("format")
            return cls(Record.from_dict(facts) for facts in content["records"])
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path} holds no results of onkel ({error})") from None


def _aligned(table: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table, each column as wide as it needs to be: two of words, then numbers."""
    widths = [max(map(len, column)) for column in zip(*table)]
    return [
        "  ".join(
            cell.ljust(width) if place < 2 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths))
        )
        for row in table
    ]


def _statistics(records: list[Record], metrics: Sequence[str] | None) -> dict[str, float]:
    found: dict[str, float] = {}
    names = metrics or list(dict.fromkeys(name for r in records for name in r.metrics))
    for name in names:
        values = [record.metrics[name] for record in records if name in record.metrics]
        if values:
            found[name] = float(np.mean(values))
            found[f"{name}_std"] = float(np.std(values, ddof=1)) if len(values) > 1 else np.nan
    return found
