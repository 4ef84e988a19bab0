"""The report: the page of results, the `Results` of `onkel.evaluate`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from onkel.report.averages import Mean, MeanCurve, mean_curve, mean_of, told_apart
from onkel.report.diagrams import diagram_charts
from onkel.report.figures import BETTER, figures_of, further, known_metrics
from onkel.report.measures import (
    ACCURACY,
    MISTAKES,
    RMSE,
    SQUARED,
    Measure,
    settings_text,
    with_unit,
)
from onkel.report.page import Chart, Comparison, ComparisonRow, Fact, Page, Series, Size

SPREAD = 15.0  # between the quickest and the slowest: then seconds need a logarithmic axis


#: The unit that errors are in, by how the targets were scaled.
SCALED_TARGETS = {
    "unit_interval": "of targets scaled to [0, 1]",
    "minus_one_one": "of targets scaled to [-1, 1]",
    "unit_variance": "of targets scaled to unit variance",
}


class Experiment(NamedTuple):
    """All repetitions of one algorithm on one data set."""

    dataset: str
    algorithm: str
    protocol: str
    records: list[Any]

    def mean(self, key: str) -> Mean:
        return mean_of(record.metrics.get(key) for record in self.records)

    @property
    def measure(self) -> Measure:
        known = {key for record in self.records for key in record.metrics}
        batch = self.protocol == "batch"
        for measure in (ACCURACY, RMSE) if batch else (MISTAKES, SQUARED):
            if measure.key in known:
                return self.scaled(measure)
        return MISTAKES if "mistake_rate" in known else self.scaled(SQUARED)

    def scaled(self, measure: Measure) -> Measure:
        """The measure, named with its unit where that is not the target's own."""
        unit = SCALED_TARGETS.get(getattr(self.records[0].job.data, "target", ""), "")
        if not unit or measure.unit:
            return measure
        return measure._replace(name=f"{measure.name} {unit}")


def page_of_results(results: Iterable[Any], title: str | None = None) -> Page:
    """A page of `onkel.evaluate.Results`: one row per data set and algorithm, mean ± std over the seeds.

    Any iterable of records will do that have `job` (`label`, `data.name`, `params`, `protocol`, `seed`),
    `metrics` and `curve`. Without a title it is called by its data. Failed jobs (`results.failures`) are
    told in the notes.

    >>> page_of_results([], title="Nothing yet").summary[0]
    Fact(label='Runs', value='0', note='')
    """
    records, failed = list(results), list(getattr(results, "failures", ()))
    experiments = _experiments(records)
    return Page(
        _title(experiments) if title is None else title,
        subtitle=_subtitle(experiments),
        summary=_summary(records, failed, experiments),
        comparisons=_comparisons(experiments),
        charts=_charts(experiments),
        sizes=_sizes(experiments),
        how=_how(records, experiments),
        notes=[_failure(record) for record in failed],
    )


def _experiments(records: list[Any]) -> list[Experiment]:
    """Records by data set, algorithm and protocol, in order of first appearance."""
    datasets = told_apart([(r.job.data.name, getattr(r.job.data, "__dict__", {})) for r in records])
    labels = _labels(records, datasets)
    grouped: dict[tuple[str, str, str], list[Any]] = {}
    for record, dataset, label in zip(records, datasets, labels):
        protocol = getattr(record.job, "protocol", "online")
        grouped.setdefault((dataset, label, protocol), []).append(record)
    return [Experiment(*key, group) for key, group in grouped.items()]


def _labels(records: list[Any], datasets: list[str]) -> list[str]:
    """Told apart on each data set alone: tuned to each, an algorithm is the same one on all of them."""
    labels = [""] * len(records)
    for dataset in dict.fromkeys(datasets):
        here = [i for i, name in enumerate(datasets) if name == dataset]
        jobs = [records[i].job for i in here]
        told = told_apart([(job.label, _varied(job.params)) for job in jobs])
        for i, label in zip(here, told):
            labels[i] = label
    return labels


def _varied(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters without the seed: repetitions differ in that alone."""
    return {name: value for name, value in params.items() if name != "random_state"}


def _title(experiments: list[Experiment], most: int = 4) -> str:
    names = list(dict.fromkeys(e.dataset for e in experiments))
    return ", ".join(names[:most]) + "…" * (len(names) > most) if names else "Comparison"


def _subtitle(experiments: list[Experiment]) -> str:
    protocols = dict.fromkeys(e.protocol for e in experiments)
    words = {"online": "One pass, predict before learning", "batch": "Trained, then tested"}
    return "; ".join(words.get(protocol, protocol) for protocol in protocols)


def _summary(records: list[Any], failed: list[Any], experiments: list[Experiment]) -> list[Fact]:
    datasets = list(dict.fromkeys(e.dataset for e in experiments))
    facts = [
        Fact("Runs", str(len(records) + len(failed)), f"{len(failed)} failed" if failed else "")
    ]
    if not experiments:
        return facts
    facts.append(
        Fact("Data sets", str(len(datasets)), ", ".join(datasets[:4]) + "…" * (len(datasets) > 4))
    )
    facts.append(Fact("Algorithms", str(len({e.algorithm for e in experiments}))))
    if len(datasets) == 1:
        best = min(experiments, key=_rank)
        value = best.mean(best.measure.key).value
        if value is not None:
            facts.append(
                Fact(f"Best {best.measure.name}", with_unit(value, best.measure), best.algorithm)
            )
    return facts


def _rank(experiment: Experiment) -> float:
    value = experiment.mean(experiment.measure.key).value
    if value is None:
        return float("inf")
    return -value if experiment.measure is ACCURACY else value


def _comparisons(experiments: list[Experiment]) -> list[Comparison]:
    titles = {"online": "Online: one pass", "batch": "Batch: train, then test"}
    by_protocol: dict[str, list[Experiment]] = {}
    for experiment in experiments:
        by_protocol.setdefault(experiment.protocol, []).append(experiment)
    return [
        Comparison(titles.get(p, p), [_row(e) for e in group], better=_better(group))
        for p, group in by_protocol.items()
    ]


def _better(experiments: list[Experiment]) -> dict[str, int]:
    """What is better in each column; nothing of figures that are accuracies here and errors there."""
    ours = {1 if e.measure is ACCURACY else -1 for e in experiments}
    main = {"ours": ours.pop()} if len(ours) == 1 else {}
    return main | {"ours_seconds": -1, "ours_size": -1} | BETTER


def _row(experiment: Experiment) -> ComparisonRow:
    measure = experiment.measure
    value, std = experiment.mean(measure.key)
    return ComparisonRow(
        experiment.dataset,
        experiment.algorithm,
        measure.name,
        measure.unit,
        ours=None if value is None else value * measure.factor,
        ours_std=None if std is None else std * measure.factor,
        ours_seconds=experiment.mean("seconds").value,
        ours_size=experiment.mean("size").value,
        figures=figures_of(
            further(known_metrics(experiment.records), measure.key), experiment.mean
        ),
    )


def _sizes(experiments: list[Experiment]) -> list[Size]:
    sizes = [(e, e.mean("size").value) for e in experiments]
    return [Size(e.dataset, e.algorithm, size) for e, size in sizes if size is not None]


def _charts(experiments: list[Experiment]) -> list[Chart]:
    """Per data set: convergence, time, and mistake rate against time."""
    by_dataset: dict[str, list[tuple[Experiment, MeanCurve]]] = {}
    for experiment in experiments:
        curve = mean_curve([record.curve or {} for record in experiment.records])
        if curve is not None and "rate" in curve.mean:
            by_dataset.setdefault(experiment.dataset, []).append((experiment, curve))
    drawn = {name: _charts_of(name, curves) for name, curves in by_dataset.items()}
    for name in dict.fromkeys(e.dataset for e in experiments):
        told = {
            e.algorithm: [getattr(record, "diagrams", None) or {} for record in e.records]
            for e in experiments
            if e.dataset == name
        }
        drawn[name] = drawn.get(name, []) + diagram_charts(told, name)
    return [chart for charts in drawn.values() for chart in charts]


def _charts_of(dataset: str, curves: list[tuple[Experiment, MeanCurve]]) -> list[Chart]:
    first = curves[0][0]
    measure = MISTAKES if first.measure in (MISTAKES, ACCURACY) else first.scaled(SQUARED)
    rate_label = f"{measure.name} ({measure.unit})" if measure.unit else measure.name
    rates, times, against = [], [], []
    for experiment, curve in curves:
        rate = [measure.factor * r for r in curve.mean["rate"]]
        spread = curve.std["rate"]
        band = None if spread is None else [measure.factor * s for s in spread]
        rates.append(Series(experiment.algorithm, curve.seen, rate, band))
        if "seconds" in curve.mean:
            seconds = curve.mean["seconds"]
            times.append(Series(experiment.algorithm, curve.seen, seconds, curve.std["seconds"]))
            against.append(Series(experiment.algorithm, seconds, rate))
    charts = [Chart("Convergence", "instances", rate_label, series=rates, dataset=dataset)]
    if times:
        ends = sorted(series.y[-1] for series in times)
        wide = ends[0] <= 0 or ends[-1] / ends[0] > SPREAD
        charts += [
            Chart("Time", "instances", "seconds", False, times, "time", dataset, y_log=wide),
            Chart(
                "Rate against time",
                "seconds",
                rate_label,
                wide,
                against,
                "rate_against_time",
                dataset,
            ),
        ]
    return charts


def _how(records: list[Any], experiments: list[Experiment]) -> dict[str, str]:
    how: dict[str, str] = {}
    seeds = sorted({r.job.seed for r in records if getattr(r.job, "seed", None) is not None})
    if seeds:
        how["seeds"] = ", ".join(map(str, seeds))
    if experiments:
        how["protocol"] = ", ".join(dict.fromkeys(e.protocol for e in experiments))
    for experiment in experiments:
        job = experiment.records[0].job
        how[f"data: {experiment.dataset}"] = settings_text(getattr(job.data, "__dict__", {}))
    how |= _algorithms(experiments)
    versions: dict[str, set[str]] = {}
    for record in records:
        for name, version in (getattr(record, "versions", None) or {}).items():
            versions.setdefault(name, set()).add(str(version))
    how |= {f"version: {name}": ", ".join(sorted(v)) for name, v in versions.items()}
    return how


def _algorithms(experiments: list[Experiment]) -> dict[str, str]:
    """Each algorithm with its parameters, formulas evaluated; by data set where they differ."""
    settings: dict[str, dict[str, str]] = {}
    for experiment in experiments:
        record = experiment.records[0]
        params = _varied(getattr(record, "params", None) or record.job.params)
        told = f"{getattr(record.job, 'learner', '')}({settings_text(params)})"
        settings.setdefault(experiment.algorithm, {})[experiment.dataset] = told
    how: dict[str, str] = {}
    for algorithm, by_dataset in settings.items():
        if len(set(by_dataset.values())) == 1:
            how[f"algorithm: {algorithm}"] = next(iter(by_dataset.values()))
        else:
            how |= {f"algorithm: {algorithm} on {name}": t for name, t in by_dataset.items()}
    return how


def _failure(record: Any) -> str:
    return f"{record.job.label} on {record.job.data.name} (seed {record.job.seed}) failed: {record.failure}"
