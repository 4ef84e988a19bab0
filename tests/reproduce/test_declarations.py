"""The declarations are complete: every printed figure has its case, every case a learner that exists."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from onkel import datasets
from onkel.estimators.parameters import validate_parameters
from onkel.evaluate.formulas import evaluate_formula, is_formula
from onkel.evaluate.job import learner_class
from onkel.reproduce import PAPERS, Study, find_study, printed, studies
from onkel.reproduce.comparison import METRICS
from onkel.reproduce.engine import cases

TABLES = {
    "lu2016_fogd_nogd": {3, 5, 7, 9},
    "lu2016_spa": {2, 3},
    "le2017_avm": {3, 4, 5},
    "le2016_nbsgd": {1, 2, 3},
    "tan2019_csvrg": {2},
}
FIGURES = {
    "lu2016_fogd_nogd": {3, 4},
    "lu2016_spa": {1},
    "le2017_avm": {2, 3, 7},
    "le2016_nbsgd": {2},
    "tan2019_csvrg": {1},
}
EACH = pytest.mark.parametrize("study", studies(), ids=lambda study: study.name)


def test_all_tables_and_figures_are_declared_once() -> None:
    declared = Counter((study.paper, study.kind, study.number) for study in studies())
    wanted = [(p, "table", n) for p, numbers in TABLES.items() for n in numbers]
    wanted += [(p, "figure", n) for p, numbers in FIGURES.items() for n in numbers]
    assert declared == Counter(wanted)
    assert set(PAPERS) == set(TABLES)


def test_every_printed_figure_has_exactly_one_case() -> None:
    covered = Counter(
        (study.paper, study.number, case.dataset, case.algorithm)
        for study in studies()
        if study.kind == "table"
        for case in cases(study)
    )
    rows = Counter((row.paper, row.table, row.dataset, row.algorithm) for row in printed())
    assert covered == rows
    assert sum(rows.values()) == 654 and set(rows.values()) == {1}


def test_the_printed_metrics_are_known() -> None:
    assert {row.metric for row in printed()} <= set(METRICS)
    assert all(row.std is None or row.std >= 0 for row in printed())


@EACH
def test_learners_exist_and_take_their_parameters(study: Study) -> None:
    for case in cases(study):
        params = {
            name: evaluate_formula(value, {"n": 5000, "d": 10, "variance": 2.0, "classes": 2})
            if is_formula(value)
            else value
            for name, value in case.params.items()
        }
        learner = learner_class(case.learner)(**params)
        assert isinstance(learner, BaseEstimator)
        if not case.learner.startswith("sklearn."):
            validate_parameters(learner)


@pytest.mark.parametrize(("kind", "number"), [("table", 2), ("figure", 1)])
def test_csvrg_leaves_nothing_of_the_papers_grid_to_defaults(kind: str, number: int) -> None:
    study = next(
        s for s in studies() if (s.paper, s.kind, s.number) == ("tan2019_csvrg", kind, number)
    )
    ours = [case for case in cases(study) if case.learner == "CSVRGClassifier"]
    assert ours
    for case in ours:
        assert {"loss", "C", "gamma", "theta", "mu", "diameter", "epochs"} <= set(case.params)


@EACH
def test_data_sets_are_known_and_cases_are_jobs(study: Study) -> None:
    known = set(datasets.names()) | {"german.scale", "dna.scale", "satimage.scale", "letter.scale"}
    for case in cases(study):
        assert case.data.name in known, case.data.name
        assert case.repeats >= 1
        jobs = case.jobs()
        assert [job.seed for job in jobs] == list(range(case.repeats))
        assert len({job.key for job in jobs}) == case.repeats


@EACH
def test_rules_and_claims_name_what_the_study_has(study: Study) -> None:
    """A misspelt name would silently leave a setting out."""
    for rule in study.when:
        assert set(rule.sets) <= set(study.data), rule
        assert set(rule.algorithms) <= set(study.learners), rule
    for claim in study.claims:
        assert claim.parameter in study.learners[claim.algorithm].vary
    if study.kind == "figure":
        assert any(learner.vary for learner in study.learners.values())


@EACH
def test_quick_is_smaller(study: Study) -> None:
    whole, quick = cases(study), cases(study, quick=True)
    assert len(quick) <= len(whole)
    assert all(case.repeats == 1 and (case.data.rows or 0) <= 1500 for case in quick)
    pairs = {(case.dataset, case.algorithm) for case in whole}
    assert {(case.dataset, case.algorithm) for case in quick} == pairs


def test_varied_values_rise() -> None:
    for study in studies():
        for learner in study.learners.values():
            for values in learner.vary.values():
                numbers = [evaluate_formula(v, {"n": 1}) if is_formula(v) else v for v in values]
                assert (np.diff(numbers) > 0).all()


def test_errors_name_what_there_is() -> None:
    with pytest.raises(ValueError, match="no paper 'lsokl'; there are lu2016_fogd_nogd"):
        find_study("lsokl", table=5)
    with pytest.raises(ValueError, match=r"has no table 4 .* table 3, table 5"):
        find_study("lu2016_fogd_nogd", table=4)
    with pytest.raises(ValueError, match="either table"):
        find_study("lu2016_fogd_nogd")
