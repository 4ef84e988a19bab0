"""The report: the page of one run, an `onkel.evaluate.Run`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onkel.report.averages import MeanCurve, mean_curve
from onkel.report.diagrams import diagram_charts
from onkel.report.digits import plain, rounded
from onkel.report.figures import facts_of, metric_charts
from onkel.report.measures import MISTAKES, RMSE, SQUARED, Measure, settings_text, with_unit
from onkel.report.page import Chart, Fact, Page, Series
from onkel.report.race_page import SCALED, SHARE, race_chart, race_summary, race_table


def page_of_run(run: Any, title: str = "Run") -> Page:
    """A page of one `onkel.evaluate.Run`: its figures, and its curves where it has any.

    >>> from types import SimpleNamespace
    >>> run = SimpleNamespace(learner="AVMClassifier", params={"delta": 1.0}, curve={},
    ...                       metrics={"mistake_rate": 0.0625, "seen": 1600, "seconds": 0.5})
    >>> [(fact.label, fact.value) for fact in page_of_run(run, "a9a").summary][:2]
    [('Mistake rate', '6.25 %'), ('Instances', '1,600')]
    """
    metrics = run.metrics
    measure = MISTAKES if "mistake_rate" in metrics else SQUARED
    curve, course = mean_curve([run.curve]), mean_curve([getattr(run, "course", {})])
    race, loss = getattr(run, "race", {}), SHARE if measure is MISTAKES else SCALED
    how = {"learner": run.learner, "parameters": settings_text(run.params)}
    how |= {name: rounded(value, 6) for name, value in metrics.items()}
    return Page(
        title,
        subtitle=run.learner,
        summary=_run_summary(metrics) + (race_summary(race, loss) if race else []),
        comparisons=[race_table(race, loss)] if race else [],
        charts=([race_chart(race, loss)] if race else [])
        + ([] if curve is None else _run_charts(run.learner, curve, measure, _takeovers(run)))
        + ([] if course is None else metric_charts(run.learner, course, measure.key))
        + diagram_charts({run.learner: [getattr(run, "diagrams", {})]}),
        how=how,
    )


def _run_summary(metrics: Mapping[str, float]) -> list[Fact]:
    facts = []
    for measure in (MISTAKES, SQUARED, RMSE):
        # a classifier has a squared error, too, of its margins: nobody asks for that
        if measure.key in metrics and not (measure is not MISTAKES and "mistake_rate" in metrics):
            name = measure.name.capitalize()
            facts.append(Fact(name, with_unit(metrics[measure.key], measure)))
    facts += facts_of(metrics, "mistake_rate" if "mistake_rate" in metrics else "squared_error")
    seen, seconds = metrics.get("seen"), metrics.get("seconds")
    if seen is not None:
        facts.append(Fact("Instances", plain(seen, 0)))
    if seconds is not None:
        speed = (
            f"{plain(float(f'{seen / seconds:.3g}'), 0)} instances a second"
            if seen and seconds
            else ""
        )
        facts.append(Fact("Seconds", rounded(seconds), speed))
    if metrics.get("size") is not None:
        facts.append(Fact("Model size", plain(metrics["size"], 0), "support vectors or features"))
    return facts


def _takeovers(run: Any) -> list[float]:
    """The rows from which on a fresh learner answered, where one was watched."""
    return [drift["row"] for drift in getattr(run, "drifts", ()) if drift["taken_over"]]


def _run_charts(
    learner: str, curve: MeanCurve, measure: Measure, drifts: list[float]
) -> list[Chart]:
    """Convergence (all so far, and lately), time, and how the model grew."""
    unit = f" ({measure.unit})" if measure.unit else ""
    names = {"rate": learner, "window_rate": "last rows"}
    rates = [
        Series(
            name,
            curve.seen,
            [measure.factor * r for r in curve.mean[key]],
            drifts=drifts if key == "rate" else (),
        )
        for key, name in names.items()
        if key in curve.mean
    ]
    charts = [Chart("Convergence", "instances", measure.name + unit, series=rates)]
    for key, title, y, kind in (
        ("seconds", "Time", "seconds", "time"),
        ("size", "Model size", "support vectors or features", "size"),
    ):
        if key in curve.mean:
            series = [Series(learner, curve.seen, curve.mean[key])]
            charts.append(Chart(title, "instances", y, False, series, kind))  # type: ignore[arg-type]
    return charts
