"""`onkel compare`: several learners on one data set, over several orders of its rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from onkel.cli import options as o
from onkel.cli.errors import Complaint, misuse
from onkel.cli.printing import counted_as, json_text
from onkel.cli.progress import Progress

#: On the page of a regression: the table on the screen says it in its head.
UNIT = (
    "Errors are of targets scaled to mean 0 and variance 1: always answering the mean has a mean "
    "squared error of 1. The table that the command prints has the roots (rmse, std. units)."
)


def compare(
    data: Annotated[
        str,
        typer.Argument(
            metavar="FILE|DATASET",
            help="A file as in train, or a name of `onkel datasets list`.",
            show_default=False,
        ),
    ],
    learners: Annotated[
        str, typer.Option("--learners", "-l", metavar="A,B,...", help="Learners, by name.")
    ] = "avm,fogd,nogd,bsgd",
    repeats: Annotated[
        int, typer.Option("--repeats", "-r", min=1, help="Random orders of the rows.")
    ] = 3,
    protocol: Annotated[
        o.Protocol, typer.Option("--protocol", help="One pass, predict first; or train, then test.")
    ] = o.Protocol.online,
    rows: Annotated[
        int | None,
        typer.Option("--rows", min=10, metavar="N", help="So many rows, drawn at random."),
    ] = None,
    target: o.TargetOption = None,
    columns: o.ColumnsOption = None,
    ignore: o.IgnoreOption = None,
    categorical: o.CategoricalOption = None,
    scale: o.ScaleOption = o.Scale.unit_variance,
    metrics: o.MetricsOption = None,
    settings: o.SetOption = None,
    task: o.TaskOption = o.Task.auto,
    n_features: o.FeaturesOption = None,
    format: o.FormatOption = None,
    skip_bad_lines: o.SkipOption = False,
    seed: o.SeedOption = 0,
    workers: o.WorkersOption = 2,
    journal: o.JournalOption = None,
    report: o.ReportOption = None,
    as_json: o.JsonOption = False,
    quiet: o.QuietOption = False,
) -> None:
    """Compare learners on one data set, over random orders of it.

    The data has to fit in memory. Columns of a table are encoded by all of its rows, before they are
    drawn or put in order. --set name=value is for every learner that has the parameter, --set
    avm:name=value for one; values may be formulas of the number of rows, as in
    avm:regularization==1/n.

    [bold]Examples[/bold]

    \b
    onkel compare a9a --learners avm,fogd,bsgd --report a9a.html
    onkel compare houses.csv --target price --repeats 5 --protocol batch
    onkel compare cod-rna --rows 20000 --set gamma=0.5 --set bsgd:budget=200 --json
    """
    from onkel.cli.counters import without_counters
    from onkel.evaluate import run_jobs

    o.check_report(report)
    o.metrics_in(metrics)
    names = learners_in(learners)
    with Progress(quiet) as progress:
        source = o.table_source(
            data, target, format, n_features, skip_bad_lines, columns, ignore, categorical, scale
        )
        if Path(source.file).exists():
            source = without_counters(source, progress.note)
        chosen = data_of(source, scale, task, rows, protocol)
        jobs = jobs_of(names, chosen, settings or [], protocol, range(seed, seed + repeats))
        asked = o.metrics_in(metrics, chosen.task)
        jobs = [replace(job, metrics=asked) for job in jobs]
        progress.note(f"{counted_as(len(jobs), 'run')}: {', '.join(names)} on {chosen.facts}")
        results = run_jobs(
            jobs,
            workers=workers,
            journal=journal,
            on_progress=lambda done, total, record: progress.say(told(done, total, record)),
        )
    if report is not None and len(results):
        from onkel.report import page_of_results, write_report

        page = page_of_results(results, title=f"{chosen.data.name}: {', '.join(names)}")
        if chosen.task == "regression":
            page.notes.append(UNIT)
        write_report(report, page)
        progress.note(f"page: {report}")
    summary = results.summary() if len(results) else []
    if summary or as_json:
        print(json_text(summary) if as_json else table(summary, protocol))
    if results.failures:
        why = dict.fromkeys(f"{record.job.label}: {record.failure}" for record in results.failures)
        raise Complaint(f"{len(results.failures)} of {len(jobs)} runs failed: {'; '.join(why)}")


def learners_in(text: str) -> list[str]:
    """The names in A,B,...; a learner that is named twice is compared once.

    >>> learners_in("avm, fogd,AVM,")
    ['avm', 'fogd']
    """
    from onkel.cli.learners import plain_name

    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise misuse(f"--learners {text!r}: name at least one, as in --learners avm,fogd")
    first: dict[str, str] = {}
    for name in names:
        first.setdefault(plain_name(name), name)
    return list(first.values())


class Chosen:
    """The data of a comparison, its task, and how to tell of it."""

    def __init__(self, data: Any, task: str, facts: str) -> None:
        self.data, self.task, self.facts = data, task, facts


def data_of(
    source: o.Source, scale: o.Scale, task: o.Task, rows: int | None, protocol: o.Protocol
) -> Chosen:
    """A file read whole, or a set by its name."""
    from onkel import datasets
    from onkel.evaluate import Data

    features = "given" if scale is o.Scale.none else scale.value
    common: dict[str, Any] = {"features": features, "rows": rows}
    if source.file == "-" or Path(source.file).exists():
        return file_of(source, task, common)
    try:
        known = datasets.info(source.file)
    except ValueError as error:
        raise Complaint(f"{source.file} is no file, and there is {error}") from None
    regression = known.task == "regression"
    if task is not o.Task.auto and (task is o.Task.regression) != regression:
        raise misuse(f"--task {task.value}: {known.name} is for {known.task}")
    tested = "test" in known.parts and protocol is o.Protocol.batch
    data = Data(
        known.name,
        "train" if tested else "all",
        test="own" if tested else 0.3 if protocol is o.Protocol.batch else "own",
        target="unit_variance" if regression else "given",
        **common,
    )
    kind = "regression" if regression else "classification"
    return Chosen(data, kind, f"{known.name} ({kind}, {known.features} features)")


def file_of(source: o.Source, task: o.Task, common: dict[str, Any]) -> Chosen:
    """The rows of a file or a pipe, in memory."""
    from onkel.cli.labels import as_classes, clear, guessed, numbers
    from onkel.cli.survey import Survey, nothing_in, open_source
    from onkel.evaluate import Data
    from onkel.stream.base import joined

    survey, chunks = Survey(), []
    stream = open_source(source)
    for chunk in stream:
        survey.look_at(chunk.y)
        chunks.append(chunk)
    if not chunks:
        raise nothing_in(source, stream)
    X, y = joined(chunks)
    guess = clear(guessed(survey.labels())) if task is o.Task.auto else None
    kind = guess.task if guess else task.value
    y = numbers(y) if kind == "regression" else as_classes(y, survey.classes())
    target = "unit_variance" if kind == "regression" else "given"
    wide = f"{X.shape[0]:,} rows of {X.shape[1]} {'columns' if source.is_table else 'features'}"
    if source.is_table:
        X, common = encoded(source, X), common | {"features": "given"}
    data = Data.of(X, y, name=source.title, target=target, **common)
    return Chosen(data, kind, f"{data.name} ({told_kind(kind, guess)}, {wide}{left_out(stream)})")


def encoded(source: o.Source, table: Any) -> Any:
    """The rows of a table as numbers, by what all of them tell."""
    from onkel.cli.model import encoder_for

    return encoder_for(source).set_params(fixed_width=False).fit_transform(table)


def told_kind(kind: str, guess: Any) -> str:
    from onkel.cli.train import other_task

    return kind if guess is None else f"{kind}, guessed: {guess.why}{other_task(guess)}"


def left_out(stream: Any) -> str:
    skipped, unlabelled = stream.skipped, getattr(stream, "unlabelled", 0)
    parts = [f", {counted_as(unlabelled, 'row')} without a label left out"] if unlabelled else []
    return "".join(parts + ([f", {counted_as(skipped, 'bad line')} left out"] if skipped else []))


def jobs_of(
    names: list[str], chosen: Chosen, settings: list[str], protocol: o.Protocol, seeds: range
) -> list[Any]:
    """One job a learner and seed."""
    from onkel.cli.learners import learner_name
    from onkel.evaluate import Job
    from onkel.evaluate.job import learner_class

    classes = {name: learner_name(name, chosen.task) for name in names}
    given = assigned(settings, classes)
    check_kernels(given, classes)
    if protocol is o.Protocol.online:
        for name, learner in classes.items():
            if not hasattr(learner_class(learner), "partial_fit"):
                raise misuse(f"{name} learns from whole data sets: use --protocol batch")
            if learner.startswith("NBSGD"):
                given[name].setdefault("maintenance_rate", "=0.6*n")
    return [
        Job(chosen.data, classes[name], given[name], protocol.value, seed, label=name)
        for name in names
        for seed in seeds
    ]


def assigned(settings: list[str], classes: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Each learner's own parameters from name=value and learner:name=value."""
    import onkel
    from onkel.cli.learners import parse_setting

    known = {name: sorted(getattr(onkel, cls)().get_params()) for name, cls in classes.items()}
    found: dict[str, dict[str, Any]] = {name: {} for name in classes}
    for text in settings:
        whom, colon, setting = text.partition(":")
        if colon and "=" not in whom:
            if whom not in known:
                raise misuse(
                    f"--set {text}: {whom!r} is not compared; there are {', '.join(known)}"
                )
            takers = [whom]
        else:
            setting = text
            parameter = text.partition("=")[0].strip()
            takers = [name for name in known if parameter in known[name]]
            if not takers:
                every = sorted({parameter for names in known.values() for parameter in names})
                parse_setting(text, every, ", ".join(known))
        for name in takers:
            parameter, value = parse_setting(setting, known[name], name)
            found[name][parameter] = value
    return found


def check_kernels(given: dict[str, dict[str, Any]], classes: dict[str, str]) -> None:
    """Complain about a kernel that a learner cannot use before any of them runs."""
    import onkel
    from onkel.cli.learners import check_kernel

    for name, parameters in given.items():
        try:
            check_kernel(getattr(onkel, classes[name])(**parameters))
        except ValueError as error:
            raise misuse(f"{error}; --set LEARNER:kernel=... is for one learner") from None


def told(done: int, total: int, record: Any) -> str:
    figure = record.metrics.get("mistake_rate")
    rate = f", {figure:.2%} mistakes" if figure is not None else ""
    seen, seconds = record.metrics.get("seen", 0), record.metrics.get("seconds", 0)
    speed = f", {seen / seconds:,.0f} rows/s" if seconds else ""
    return f"{done} of {total} runs: {record.job.label}{rate}{speed}"


def table(summary: list[dict[str, Any]], protocol: o.Protocol) -> str:
    """Learners by their error, best first."""
    from onkel.evaluate.metrics import METRICS

    name = next(n for n in ("mistake_rate", "rmse", "squared_error") if n in summary[0])
    unit, factor = ("mistakes (%)", 100) if name == "mistake_rate" else ("rmse (std. units)", 1)
    # 1 - accuracy is there already
    more = [m for m in METRICS if m not in (name, "accuracy") and any(m in row for row in summary)]
    head = f"{'learner':<18}{unit:>20}" + "".join(f"{m:>{max(9, len(m) + 3)}}" for m in more)
    head += f"{'size':>10}{'seconds':>10}{'rows/s':>12}"
    lines = [head, "-" * len(head)]
    for row in sorted(summary, key=lambda row: row[name]):
        spread = row[f"{name}_std"]
        error = f"{factor * row[name]:.3f}" + (
            f" ± {factor * spread:.3f}" if spread == spread else ""
        )
        speed = row["seen"] / max(row["seconds"], 1e-9)
        told = [f"{row[m]:.4g}" if m in row else "–" for m in more]
        others = "".join(f"{text:>{max(9, len(m) + 3)}}" for m, text in zip(more, told))
        lines.append(
            f"{row['label']:<18}{error:>20}{others}{row['size']:>10,.0f}{row['seconds']:>10.2f}{speed:>12,.0f}"
        )
    what = "one pass, predict first" if protocol is o.Protocol.online else "train, then test"
    return "\n".join([*lines, f"{counted_as(summary[0]['count'], 'random order')}; {what}"])
