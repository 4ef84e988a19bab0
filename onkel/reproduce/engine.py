"""Reproduction: the one engine. A declaration becomes cases, a case becomes jobs, jobs are run.

A case is one learner with one setting on one data set: one figure of a table, or one point of a
figure. Its jobs differ in the seed alone, which orders the rows and is the learner's own seed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from onkel import datasets
from onkel.evaluate import Data, Job, Record, Results
from onkel.evaluate.job import learner_class
from onkel.reproduce.papers import figures_of
from onkel.reproduce.study import Study, When

#: What `quick` cuts a study down to: rows to learn and to test, one run, three values of a parameter.
QUICK_ROWS = 1500
QUICK_TEST_ROWS = 1000
QUICK_VALUES = 3
#: What the papers do where the defaults of the learners go beyond them.
RULES_OF_THE_PAPERS = {"first_step": None, "intercept": False, "scale_targets": False}
#: Points of the online curves that are kept.
POINTS = 25


@dataclass(frozen=True)
class Case:
    """One learner with one setting on one data set, `repeats` times."""

    dataset: str
    algorithm: str
    data: Data
    learner: str
    params: Mapping[str, Any]
    protocol: str
    repeats: int
    varied: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    explanation: str = ""

    def jobs(self) -> list[Job]:
        """One job a repetition."""
        return [
            Job(
                self.data,
                self.learner,
                dict(self.params),
                protocol=self.protocol,
                seed=seed,
                label=self.algorithm,
                points=POINTS,
            )
            for seed in range(self.repeats)
        ]


def cases(study: Study, quick: bool = False) -> list[Case]:
    """All cases of a study, also those whose data are absent."""
    return [
        case
        for dataset, algorithm in pairs(study)
        for case in _cases_of_pair(study, dataset, algorithm, quick)
    ]


def pairs(study: Study) -> Iterator[tuple[str, str]]:
    """The data sets and algorithms of a study: of a table those that the paper prints."""
    if study.kind == "table":
        for figure in figures_of(study.paper, study.number):
            yield figure.dataset, figure.algorithm
        return
    for pair in itertools.product(study.data, study.learners):
        if pair not in study.without:
            yield pair


def absence(data: Data) -> str:
    """Why the rows can't be had without a download, or "".

    >>> absence(Data("no such set"))
    "the data set 'no such set' is not here"
    """
    try:
        here = bool(data.content) or datasets.where(data.name).present
    except ValueError:  # a name that nobody knows
        here = False
    return "" if here else f"the data set {data.name!r} is not here"


def _cases_of_pair(study: Study, dataset: str, algorithm: str, quick: bool) -> Iterator[Case]:
    learner = study.learners[algorithm]
    rules = study.rules(dataset, algorithm)
    data, repeats = _changed(study.data[dataset], study.repeats, rules)
    if quick:
        data, repeats = _cut(data), 1
    params, vary = {**rules_of_the_papers(learner.name), **learner.params}, dict(learner.vary)
    for rule in rules:
        params |= rule.params
        vary |= rule.vary
    for varied in _settings(vary, quick):
        yield Case(
            dataset,
            algorithm,
            data,
            learner.name,
            params | varied,
            study.protocol,
            repeats,
            varied,
            note="; ".join(r.note for r in rules if r.note and not (quick and _limits(r))),
            explanation="; ".join(rule.explanation for rule in rules if rule.explanation),
        )


def rules_of_the_papers(learner: str) -> dict[str, Any]:
    """The parameters that a learner needs to be what its paper says."""
    known = learner_class(learner)
    return {name: value for name, value in RULES_OF_THE_PAPERS.items() if hasattr(known, name)}


def _changed(data: Data, repeats: int, rules: list[When]) -> tuple[Data, int]:
    for rule in rules:
        data = rule.data or data
        if rule.rows is not None:
            data = replace(data, rows=rule.rows)
        repeats = rule.repeats or repeats
    return data, repeats


def _limits(rule: When) -> bool:
    """Whether a rule, and so its note, is about how many rows or runs: a quick look has its own."""
    tested = rule.data.test_rows if rule.data else None
    return any(limit is not None for limit in (rule.rows, rule.repeats, tested))


def _cut(data: Data) -> Data:
    rows = min(data.rows or QUICK_ROWS, QUICK_ROWS)
    return replace(data, rows=rows, test_rows=min(data.test_rows or 10**9, QUICK_TEST_ROWS))


def _settings(vary: Mapping[str, tuple[Any, ...]], quick: bool) -> Iterator[dict[str, Any]]:
    """The points of the grid of what is varied; of a table the one point {}."""
    values = [_thinned(v) if quick else v for v in vary.values()]
    for point in itertools.product(*values):
        yield dict(zip(vary, point))


def _thinned(values: tuple[Any, ...]) -> tuple[Any, ...]:
    chosen = np.linspace(0, len(values) - 1, min(QUICK_VALUES, len(values))).round().astype(int)
    return tuple(values[i] for i in chosen)


# -- what came of it ---------------------------------------------------------------------------


@dataclass
class Measured:
    """The runs of one case: metric → (mean, standard deviation), or why there are none."""

    case: Case
    summary: dict[str, tuple[float, float | None]]
    runs: int
    absent: str = ""
    failure: str = ""
    curve: Mapping[str, list[float]] = field(default_factory=dict)


def measured(all_cases: list[Case], results: Results) -> list[Measured]:
    """The results sorted out by case."""
    found: dict[str, Record] = {record.job.key: record for record in results}
    failed = {record.job.key: str(record.failure) for record in results.failures}
    return [_measured(case, found, failed) for case in all_cases]


def _measured(case: Case, found: dict[str, Record], failed: dict[str, str]) -> Measured:
    absent = absence(case.data)
    if absent:
        return Measured(case, {}, 0, absent=absent)
    keys = [job.key for job in case.jobs()]
    records = [found[key] for key in keys if key in found]
    failure = next((failed[key] for key in keys if key in failed), "")
    if not records:
        return Measured(case, {}, 0, failure=failure or "no job was run")
    summary = {name: _mean_and_std(records, name) for name in records[0].metrics}
    return Measured(case, summary, len(records), failure=failure, curve=records[0].curve)


def _mean_and_std(records: list[Record], name: str) -> tuple[float, float | None]:
    values = [record.metrics[name] for record in records]
    return float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else None
