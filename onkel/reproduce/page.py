"""Reproduction: outcomes as a page of `onkel.report`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from onkel.report import Chart, Comparison, ComparisonRow, Fact, Page, Series
from onkel.report.results import SCALED_TARGETS
from onkel.reproduce.comparison import UNITS, Row
from onkel.reproduce.engine import QUICK_ROWS, QUICK_TEST_ROWS
from onkel.reproduce.outcome import Outcome, Point
from onkel.reproduce.papers import PAPERS

METRIC_NAMES = {
    "mistake_percent": "mistakes",
    "accuracy_percent": "accuracy",
    "accuracy_fraction": "accuracy",
    "squared_loss": "squared loss",
    "rmse": "root mean squared error",
}
PARAMETER_NAMES = {
    "diameter": "δ, diameter of the cells",
    "exact_rate": "β",
    "exact_decay": "ρ",
    "budget": "B, budget",
    "loss_cap": "α",
    "sampling": "β",
    "n_components": "D, Fourier components",
    "rank": "k, rank",
    "maintenance_rate": "β, as a share of the rows",
}
SIZE_LABEL = "size of the model"
QUICK = "A quick look at a small sample: too few rows and runs to agree with the paper"
#: More convergence curves than these would not help anybody.
CURVES_OF = ("lu2016_fogd_nogd-table-5", "le2017_avm-table-4")


def page_of(outcomes: Sequence[Outcome], title: str | None = None) -> Page:
    """One page of one or more outcomes."""
    alone = outcomes[0] if len(outcomes) == 1 else None
    title = title or (_title(alone) if alone else "The papers' tables and figures, run again")
    subtitle = PAPERS[alone.study.paper] if alone else "onkel beside five papers"
    quick = any(outcome.quick for outcome in outcomes)
    return Page(
        title=f"Quick look: {title}" if quick else title,
        subtitle=f"{subtitle}. {QUICK}" if quick else subtitle,
        summary=_facts(outcomes),
        comparisons=[
            Comparison(_title(outcome), _rows(outcome), _about(outcome))
            for outcome in outcomes
            if outcome.rows
        ],
        charts=[chart for outcome in outcomes for chart in _charts(outcome, alone is not None)],
        how=_how(outcomes),
        notes=_notes(outcomes),
    )


def _title(outcome: Outcome) -> str:
    study = outcome.study
    short = PAPERS[study.paper].rpartition("(")[2].rstrip(")")
    return f"{short}, {study.kind} {study.number}: {study.title}"


def _facts(outcomes: Sequence[Outcome]) -> list[Fact]:
    rows = [row for outcome in outcomes for row in outcome.rows]
    ran = [row for row in rows if row.verdict in ("std", "percent", "differs")]
    facts = []
    if any(outcome.quick for outcome in outcomes):
        facts.append(
            Fact("quick look", f"{QUICK_ROWS:,} rows", "at most, one run: no reproduction")
        )
    elif ran:
        within = sum(row.verdict == "std" for row in ran)
        near = sum(row.verdict == "percent" for row in ran)
        share = f"{100 * (within + near) / len(ran):.0f} % of {len(ran)} figures"
        facts += [
            Fact("agree", str(within + near), share),
            Fact("within 3 std", str(within), "of the paper's standard deviations"),
            Fact("within 10 %", str(near), "of the paper's error, and not within 3 std"),
            Fact("differ", str(len(ran) - within - near)),
        ]
    absent = sum(row.verdict == "absent" for row in rows)
    if absent:
        facts.append(Fact("absent", str(absent), "their data sets are not here"))
    trends = [trend for outcome in outcomes for trend in outcome.trends]
    if trends:
        holds = sum(trend.holds for trend in trends)
        facts.append(Fact("trends", f"{holds} of {len(trends)}", "of the figures hold here"))
    runs = sum(outcome.runs for outcome in outcomes)
    seconds = sum(outcome.seconds for outcome in outcomes)
    facts.append(Fact("runs", f"{runs:,}", f"{seconds / 60:.0f} minutes of learning and testing"))
    return facts


def _rows(outcome: Outcome) -> list[ComparisonRow]:
    """The rows set by set; papers.csv has them as the papers print them, side by side."""
    sets = list(dict.fromkeys(row.dataset for row in outcome.rows))
    rows = sorted(outcome.rows, key=lambda row: sets.index(row.dataset))
    return [_row(row, outcome.quick) for row in rows]


def _row(row: Row, quick: bool) -> ComparisonRow:
    """A quick row has no verdict, nor what only a run of all rows can be held against."""
    told = [row.explanation] if row.verdict == "absent" else [row.explanation, row.note]
    return ComparisonRow(
        dataset=row.dataset,
        algorithm=row.algorithm,
        metric=METRIC_NAMES[row.metric],
        unit=UNITS.get(row.metric, ""),
        ours=row.ours,
        ours_std=row.ours_std,
        theirs=row.theirs,
        theirs_std=row.theirs_std,
        difference_percent=row.difference_percent,
        difference_std=row.difference_std,
        agrees=None if row.verdict == "run" else row.verdict,  # type: ignore[arg-type]
        ours_seconds=row.ours_seconds,
        theirs_seconds=None if quick else row.theirs_seconds,
        ours_size=row.ours_size,
        theirs_size=None if quick else row.theirs_size,
        explanation=". ".join(text[0].upper() + text[1:] for text in told if text),
    )


def _about(outcome: Outcome) -> str:
    speed = None if outcome.quick else outcome.speed()
    told = [f"{QUICK}."] if outcome.quick else []
    told.append("Differences of accuracies are those of the mistakes.")
    if outcome.study.metric in ("squared_loss", "rmse"):
        targets = dict.fromkeys(data.target for data in outcome.study.data.values())
        told += [f"Errors are {SCALED_TARGETS[t]}." for t in targets if t in SCALED_TARGETS]
    if speed is not None:
        told.append(f"The paper's seconds of one run of everything are {speed:.1f} times ours.")
    return " ".join([*told, *outcome.study.notes])


# -- charts ------------------------------------------------------------------------------------


def _charts(outcome: Outcome, alone: bool) -> list[Chart]:
    if outcome.points:
        return _study_charts(outcome)
    if outcome.study.protocol == "online" and (alone or outcome.study.name in CURVES_OF):
        return _convergence(outcome)
    return []


def _study_charts(outcome: Outcome) -> list[Chart]:
    """For each data set and first parameter: the error, and the size of the model."""
    charts = []
    ran = [point for point in outcome.points if point.verdict == "run" and point.varied]
    single = [point for point in outcome.points if point.verdict == "run" and not point.varied]
    for dataset in dict.fromkeys(point.dataset for point in ran):
        there = [point for point in ran if point.dataset == dataset]
        for parameter in dict.fromkeys(next(iter(point.varied)) for point in there):
            points = [point for point in there if next(iter(point.varied)) == parameter]
            beside = [point for point in single if point.dataset == dataset]
            charts += _pair(outcome, dataset, parameter, points, beside)
    return charts


def _pair(
    outcome: Outcome, dataset: str, parameter: str, points: list[Point], beside: list[Point]
) -> list[Chart]:
    label = PARAMETER_NAMES.get(parameter, parameter)
    values = [float(point.varied[parameter]) for point in points]
    wide = min(values) > 0 and max(values) / min(values) > 20
    wanted = {"error": _error_label(outcome), "size": SIZE_LABEL}
    if parameter in ("budget", "rank", "n_components"):
        wanted["size"] = "seconds of a run"
    return [
        Chart(
            title=f"{_title(outcome)} ({dataset}): {'error' if name == 'error' else y_label}",
            x_label=label,
            y_label=y_label,
            x_log=wide,
            series=_series(points, parameter, "seconds" if "seconds" in y_label else name)
            + _level(beside, values, "seconds" if "seconds" in y_label else name),
            kind="study",
            dataset=dataset,
        )
        for name, y_label in wanted.items()
    ]


def _error_label(outcome: Outcome) -> str:
    metric = outcome.study.metric
    if metric.startswith("accuracy"):
        return "test errors, %"
    return {"mistake_percent": "mistakes, %"}.get(metric, METRIC_NAMES[metric])


def _series(points: list[Point], parameter: str, metric: str) -> list[Series]:
    """One curve for an algorithm and, where there is one, for a value of the second parameter."""
    groups: dict[str, list[Point]] = {}
    for point in points:
        others = [f"{k}={v:g}" for k, v in point.varied.items() if k != parameter]
        groups.setdefault(", ".join([point.algorithm, *others]), []).append(point)
    return [
        Series(
            label,
            [float(p.varied[parameter]) for p in group],
            [getattr(p, metric) for p in group],
            [p.error_std or 0.0 for p in group] if metric == "error" else None,
        )
        for label, group in groups.items()
    ]


def _level(points: list[Point], values: list[float], metric: str) -> list[Series]:
    """What does not vary, as a level beside the curves."""
    ends = [min(values), max(values)]
    return [Series(p.algorithm, ends, [getattr(p, metric)] * 2) for p in points]


def _convergence(outcome: Outcome) -> list[Chart]:
    charts = []
    regression = outcome.study.metric in ("squared_loss", "rmse")
    for dataset in dict.fromkeys(dataset for dataset, _ in outcome.curves):
        series = [
            Series(algorithm, _short(curve["seen"]), _short(_scaled(curve["rate"], regression)))
            for (name, algorithm), curve in outcome.curves.items()
            if name == dataset
        ]
        charts.append(
            Chart(
                title=f"{_title(outcome)}: convergence on {dataset}, one order of the rows",
                x_label="rows seen",
                y_label="mean squared error" if regression else "mistakes so far, %",
                x_log=True,
                series=series,
                kind="convergence",
                dataset=dataset,
            )
        )
    return charts


def _scaled(rates: Iterable[float], regression: bool) -> list[float]:
    return [rate if regression else 100 * rate for rate in rates]


def _short(values: Iterable[float]) -> list[float]:
    return [float(f"{value:.4g}") for value in values]


# -- words -------------------------------------------------------------------------------------


def _how(outcomes: Sequence[Outcome]) -> dict[str, str]:
    how = {
        "agreement": "within 3 of the paper's standard deviations, or within 10 % of its error; of "
        "accuracies the mistakes are compared; a printed value is known to half its last digit",
        "seconds": "of learning one run, by one core, and of the paper's machine",
    }
    if any(outcome.quick for outcome in outcomes):
        del how["agreement"]
        how["quick"] = (
            f"a first look: {QUICK_ROWS:,} rows to learn, {QUICK_TEST_ROWS:,} to test, one run"
        )
    versions = next((outcome.versions for outcome in outcomes if outcome.versions), {})
    return how | {name: number for name, number in versions.items() if name != "machine"}


def _notes(outcomes: Sequence[Outcome]) -> list[str]:
    notes = []
    for outcome in outcomes:
        where = "" if len(outcomes) == 1 else f"{_title(outcome)}. "
        if outcome.points:
            notes += [where + note for note in outcome.study.notes]
        for trend in outcome.trends:
            verdict = "holds" if trend.holds else "does not hold"
            claim = trend.claim
            notes.append(
                f"{where}{trend.dataset}, {claim.algorithm}: {claim.text}: {verdict} here "
                f"(correlation of ranks {trend.correlation:+.2f})."
            )
        notes += [where + "Failed: " + failure for failure in outcome.failures]
    return notes
