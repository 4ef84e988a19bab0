"""The report: metrics as columns of a table, facts of a summary and charts of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from onkel.evaluate.metrics import METRICS
from onkel.report.averages import Mean, MeanCurve
from onkel.report.digits import plain, rounded
from onkel.report.page import Chart, Fact, Figure, Series

#: Shown in per cent.
SHARES = ("accuracy", "balanced_accuracy", "coverage")


def shown_name(name: str) -> str:
    """A metric as people call it, with its unit."""
    return f"{METRICS[name].title} (%)" if name in SHARES else METRICS[name].title


def factor_of(name: str) -> float:
    return 100.0 if name in SHARES else 1.0


def further(names: Iterable[str], main: str) -> list[str]:
    """The metrics among these names, but for the main one, and what it says already."""
    said = {"mistake_rate": "accuracy", "squared_error": "rmse"}.get(main, main)
    there = set(names)
    return [name for name in METRICS if name in there and name not in (main, said)]


def figures_of(names: Iterable[str], mean: Callable[[str], Mean]) -> dict[str, Figure]:
    """Mean and standard deviation of metrics, by the heading of their column."""
    found = {}
    for name in names:
        value, std = mean(name)
        if value is not None:
            scale = factor_of(name)
            found[shown_name(name)] = Figure(scale * value, None if std is None else scale * std)
    return found


#: What is better in a column: 1 for higher, -1 for lower figures.
BETTER = {shown_name(name): metric.better for name, metric in METRICS.items() if metric.better}


def facts_of(metrics: Mapping[str, float], main: str) -> list[Fact]:
    """The metrics of a run, each with what it was lately."""
    facts = []
    for name in further(metrics, main):
        lately = metrics.get(f"window_{name}")
        note = "" if lately is None else f"{_text(name, lately)} over the last rows"
        title = METRICS[name].title
        facts.append(Fact(title[0].upper() + title[1:], _text(name, metrics[name]), note))
    return facts


def _text(name: str, value: float) -> str:
    return f"{plain(100 * value, 2)} %" if name in SHARES else rounded(value, 4)


def metric_charts(learner: str, course: MeanCurve, main: str) -> list[Chart]:
    """A chart a metric: over all rows so far, and over the last ones."""
    charts = []
    for name in further(course.mean, main):
        keys = {name: learner, f"window_{name}": "last rows"}
        series = [
            Series(label, course.seen, [factor_of(name) * v for v in course.mean[key]])
            for key, label in keys.items()
            if key in course.mean
        ]
        title = METRICS[name].title
        title = title[0].upper() + title[1:]
        charts.append(Chart(title, "instances", shown_name(name), series=series, kind="metric"))
    return charts


def known_metrics(records: Iterable[Any]) -> dict[str, None]:
    """The names of all metrics of some records."""
    return dict.fromkeys(name for record in records for name in record.metrics)
