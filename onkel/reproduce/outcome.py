"""Reproduction: what came of a study, as data, as CSV and as a page."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onkel.evaluate.formulas import evaluate_formula, is_formula
from onkel.reproduce.comparison import METRICS, VERDICTS, Row, compared, without_runs
from onkel.reproduce.engine import Measured
from onkel.reproduce.papers import figures_of
from onkel.reproduce.study import Study
from onkel.reproduce.trends import Trend, trends_of

if TYPE_CHECKING:
    from onkel.report import Page

#: Significant digits in the CSV files.
DIGITS = 5


@dataclass
class Point:
    """One point of a parameter study; `error` is in the unit of the study's metric."""

    dataset: str
    algorithm: str
    varied: dict[str, Any]
    verdict: str
    error: float | None = None
    error_std: float | None = None
    size: float | None = None
    seconds: float | None = None
    runs: int = 0
    learner: str = ""
    setting: str = ""
    note: str = ""
    explanation: str = ""


@dataclass
class Outcome:
    """A study that was run: the rows of a table, or the points and trends of a figure.

    `seconds` are those of learning and testing in all runs together, `wall_seconds` those that
    passed; the latter is None when runs were taken from a journal.
    """

    study: Study
    rows: list[Row] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)
    trends: list[Trend] = field(default_factory=list)
    curves: dict[tuple[str, str], dict[str, list[float]]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    runs: int = 0
    seconds: float = 0.0
    wall_seconds: float | None = None
    quick: bool = False

    def summary(self) -> dict[str, int]:
        """How many figures agree within 3 std, within 10 %, differ, are absent, failed, or were run only."""
        verdicts = [row.verdict for row in self.rows] + [p.verdict for p in self.points]
        counts = Counter(verdicts)
        return {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}

    def speed(self) -> float | None:
        """The paper's seconds of one run of everything, as a multiple of ours."""
        pairs = [(r.theirs_seconds, r.ours_seconds) for r in self.rows]
        known = [(a, b) for a, b in pairs if a is not None and b is not None]
        ours = sum(b for _, b in known)
        return sum(a for a, _ in known) / ours if ours > 0 else None

    def to_csv(self, folder: str | Path) -> Path:
        """Write the rows or points to a file named after the study, and return its path."""
        path = Path(folder) / f"{self.study.name}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_rows(path, self.table())
        return path

    def table(self) -> list[dict[str, Any]]:
        """The rows or points as flat dicts."""
        if self.study.kind == "table":
            return [asdict(row) for row in self.rows]
        return [_flat(point) for point in self.points]

    def page(self) -> Page:
        """A page of this study alone, for `onkel.report.write_report`."""
        from onkel.reproduce.page import page_of

        return page_of([self])


def outcome_of(study: Study, found: list[Measured], **about: Any) -> Outcome:
    """The outcome of a study from its measured cases."""
    outcome = Outcome(study, **about)
    outcome.runs = sum(part.runs for part in found)
    outcome.seconds = sum(_seconds(part) for part in found)
    outcome.failures = sorted({part.failure for part in found if part.failure})
    if study.kind == "table":
        figures = figures_of(study.paper, study.number)
        pairs = zip(figures, found, strict=True)
        outcome.rows = [_row(study, figure, part, outcome.quick) for figure, part in pairs]
        outcome.curves = {
            (part.case.dataset, part.case.algorithm): dict(part.curve)
            for part in found
            if part.curve
        }
    else:
        outcome.points = [_point(study, part) for part in found]
        # Of a quick look nothing is told: three values of a parameter, on few rows, are no trend.
        outcome.trends = [] if outcome.quick else trends_of(study, outcome.points)
    return outcome


def _seconds(part: Measured) -> float:
    return part.runs * sum(
        part.summary[name][0] for name in ("seconds", "test_seconds") if name in part.summary
    )


def _row(study: Study, figure: Any, part: Measured, quick: bool) -> Row:
    case = part.case
    about = {
        "learner": case.learner,
        "setting": json.dumps(dict(case.params)),
        "note": case.note,
        "runs_of_paper": study.repeats,
    }
    if part.absent:
        return without_runs(figure, "absent", part.absent, **about)
    if not part.runs:
        return without_runs(figure, "failed", part.failure, **about)
    row = compared(figure, part.summary, runs=part.runs, **about)
    row.rows = round(part.summary["seen"][0])
    if quick:
        row.verdict = "run"  # too few rows to agree, or to differ
    if row.verdict == "differs":
        row.explanation = case.explanation
    return row


def _point(study: Study, part: Measured) -> Point:
    case = part.case
    point = Point(
        case.dataset,
        case.algorithm,
        {name: _on_axis(value) for name, value in case.varied.items()},
        "absent" if part.absent else "run" if part.runs else "failed",
        runs=part.runs,
        learner=case.learner,
        setting=json.dumps(dict(case.params)),
        note=case.note,
        explanation=part.absent or (part.failure if not part.runs else case.explanation),
    )
    if part.runs:
        name, factor, is_accuracy = METRICS[study.metric]
        mean, std = part.summary[name]
        point.error = factor * (1 - mean if is_accuracy else mean)
        point.error_std = None if std is None else factor * std
        point.size, point.seconds = part.summary["size"][0], part.summary["seconds"][0]
    return point


def _on_axis(value: Any) -> Any:
    """A varied value as a number; a formula of n as the multiple of n that it is."""
    return evaluate_formula(value, {"n": 1}) if is_formula(value) else value


def _flat(point: Point) -> dict[str, Any]:
    facts = {f.name: getattr(point, f.name) for f in fields(point) if f.name != "varied"}
    varied = list(point.varied.items())
    numbered: dict[str, Any] = {}
    for i in (1, 2):
        name, value = varied[i - 1] if len(varied) >= i else ("", None)
        numbered |= {f"parameter_{i}": name, f"value_{i}": value}
    head = {name: facts.pop(name) for name in ("dataset", "algorithm")}
    return head | numbered | facts


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Rows as CSV: numbers to 5 digits, nothing where there is none."""
    rows = list(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows[0] if rows else [])
        writer.writerows([_text(value) for value in row.values()] for row in rows)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.{DIGITS}g}" if abs(value) < 10**DIGITS else f"{value:.0f}"
    return str(value)
