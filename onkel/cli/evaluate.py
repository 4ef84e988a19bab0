"""`onkel evaluate`: every row is predicted, scored, then learned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from onkel.cli import options as o
from onkel.cli.printing import json_text
from onkel.cli.progress import Progress, shown_scores


def evaluate(
    file: o.FileArgument,
    learner: o.LearnerOption = "auto",
    target: o.TargetOption = None,
    columns: o.ColumnsOption = None,
    ignore: o.IgnoreOption = None,
    categorical: o.CategoricalOption = None,
    scale: o.ScaleOption = o.Scale.unit_variance,
    settings: o.SetOption = None,
    task: o.TaskOption = o.Task.auto,
    classes: o.ClassesOption = None,
    window: Annotated[
        int | None,
        typer.Option("--window", min=1, metavar="ROWS", help="Rows of the sliding window."),
    ] = None,
    metrics: o.MetricsOption = None,
    shuffle_buffer: o.ShuffleOption = 0,
    n_features: o.FeaturesOption = None,
    format: o.FormatOption = None,
    skip_bad_lines: o.SkipOption = False,
    seed: o.SeedOption = 0,
    report: o.ReportOption = None,
    as_json: o.JsonOption = False,
    quiet: o.QuietOption = False,
) -> None:
    """Predict, score, then learn every row of a stream.

    No row is ever judged after it was learned, so the rates are honest without a test file. Columns are encoded
    or scaled as in train, by what was known before a row came; the first 512 rows wait for each other. Rows come
    in the file's order; if that is by class, use --shuffle-buffer.

    [bold]Examples[/bold]

    \b
    onkel evaluate a9a.svm.xz --learner fogd --report a9a.html
    onkel evaluate sensor.csv --target power --window 5000 --metrics mae,r2
    zcat clicks.svm.gz | onkel evaluate - --classes 0,1 --n-features 40 --json
    """
    from onkel.cli.counters import without_counters
    from onkel.cli.learners import check_learner
    from onkel.cli.model import chosen_learner, settled_name, whole_model
    from onkel.cli.survey import WARM_UP_ROWS, open_source, survey_data
    from onkel.cli.train import note_left_out, opening, settle
    from onkel.evaluate import prequential

    source = o.table_source(
        file, target, format, n_features, skip_bad_lines, columns, ignore, categorical, scale
    )
    check_learner(settled_name(learner, source), settings or [])
    o.check_report(report)
    o.metrics_in(metrics)
    with Progress(quiet) as progress:
        source = without_counters(source, progress.note)
        stream = open_source(source)
        # Labels that are declared leave nothing for the first rows of a slow pipe to tell.
        needed = WARM_UP_ROWS if classes is None else 1
        found = survey_data(source, stream, task, classes, progress, needed)
        inner, rows = chosen_learner(learner, source, found, settings or [], seed), found.rows
        settle(inner, rows, 1)
        model = whole_model(inner, source, scale)
        progress.note(opening(inner, found, model))
        progress.begin(rows)
        run = prequential(
            model,
            chunks_of(found, stream, shuffle_buffer or 0, seed),
            classes=found.classes,
            metrics=o.metrics_in(metrics, found.task),
            window=window or (None if rows is None else max(1, rows // 20)),
            on_progress=lambda look: progress.learned(
                look.seen,
                shown(look.rate, look.window_rate, found.task),
                f"size {look.size:,}",
                look.seconds,
            ),
        )
        facts = facts_of(run, stream)
        note_left_out(progress, facts)
    if found.task == "regression":
        run.metrics.pop("loss", None)  # of standardised targets: it means nothing to anybody
    if report is not None:
        from onkel.report import page_of_run, write_report

        write_report(report, page_of_run(run, f"{source.title}: {run.learner}"))
        progress.note(f"page: {report}")
    print(json_text(facts) if as_json else closing(run))


def chunks_of(found: Any, stream: Any, buffer_rows: int, seed: int) -> Iterator[Any]:
    """Raw rows with labels as the model takes them, read ahead."""
    from onkel.stream import open_stream, prefetched, shuffled

    rows: Any = stream if found.chunks is stream else open_stream(found.chunks)
    if buffer_rows > 1:
        rows = shuffled(rows, buffer_rows, random_state=seed)
    for X, y in prefetched(rows):
        yield X, found.targets(y)


def shown(rate: float, window_rate: float, task: str) -> str:
    if task == "classification":
        return shown_scores({"mistake_rate": rate, "recent_mistake_rate": window_rate})
    return shown_scores({"rmse": rate**0.5, "recent_rmse": window_rate**0.5})


def facts_of(run: Any, stream: Any) -> dict[str, Any]:
    return {
        "learner": run.learner,
        "data": stream.name,
        "skipped": stream.skipped,
        "unlabelled": getattr(stream, "unlabelled", 0),
        "metrics": run.metrics,
        "curve": run.curve,
        "course": run.course,
        "diagrams": run.diagrams,
        "drifts": run.drifts,
        "race": run.race.get("results", {}),
    }


def closing(run: Any) -> str:
    """The outcome, a line each figure."""
    from onkel.evaluate.metrics import METRICS

    figures = run.metrics
    # of a stream the last look at the errors may not be a window ago
    last = 1 - figures.get("window_accuracy", 1 - run.curve["window_rate"][-1])
    lines = [f"{'rows':<18}{figures['seen']:,.0f}"]
    if "mistake_rate" in figures:
        lines += [f"{'mistakes':<18}{figures['mistake_rate']:.2%}", f"{'lately':<18}{last:.2%}"]
    elif "window_rmse" not in figures:
        lines += [f"{'rmse':<18}{figures['rmse']:.5g}", f"{'lately':<18}{last**0.5:.5g}"]
    lines += [metric_line(name, figures) for name in METRICS if f"window_{name}" in figures]
    speed = figures["seen"] / max(figures["seconds"], 1e-9)
    return "\n".join(
        [
            f"{'learner':<18}{run.learner}",
            *lines,
            f"{'model size':<18}{figures['size']:,.0f}",
            f"{'learning':<18}{figures['seconds']:.2f} s, {speed:,.0f} rows/s",
            f"{'reading':<18}{figures['reading_seconds']:.2f} s",
            f"{'start-up':<18}{figures['start_up_seconds']:.2f} s, not counted as learning",
        ]
    )


def metric_line(name: str, figures: dict[str, float]) -> str:
    """A metric over all rows, and over the last ones."""
    return f"{name:<18}{figures[name]:.5g}, {figures[f'window_{name}']:.5g} lately"
