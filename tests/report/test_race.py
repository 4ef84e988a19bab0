"""A race on a page: the curves of its candidates, who led, who left; a table with reasons."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from onkel import FOGDClassifier, FOGDRegressor, RaceClassifier, RaceRegressor
from onkel.datasets import gaussian_mixture
from onkel.evaluate import prequential
from onkel.evaluate.run import race_of
from onkel.report import Page, page_of_race, page_of_run, write_report
from onkel.report.race_page import (
    ANSWER,
    SCALED,
    SHARE,
    leads,
    race_chart,
    race_summary,
    race_table,
)
from onkel.report.tables import table_of

from .races import made_up_race


def test_a_curve_ends_where_its_candidate_left_and_says_why() -> None:
    series = race_chart(made_up_race(), SHARE).series
    assert [s.label for s in series] == [ANSWER, "steady", "</title>late", "returns", "returns"]
    assert [list(s.x) for s in series[2:]] == [[100, 200, 300], [100], [400, 500, 600]]
    assert list(series[1].y) == pytest.approx([30, 20, 20, 20, 20, 20])
    reason = "left at row 300: behind steady by 0.1"
    assert [s.ends for s in series] == ["", "", reason, "left", ""]


def test_who_led_is_told_by_stretches_of_its_curve() -> None:
    by_label = {s.label: s.leads for s in race_chart(made_up_race(), SCALED).series}
    assert by_label == {
        ANSWER: (),
        "steady": [(100, 200), (300, 400)],
        "</title>late": [(200, 300)],
        "returns": [(400, 600)],
    }
    assert leads(np.arange(4.0), [1, 1, 1, 1], 1, slice(0, 4)) == [(0.0, 3.0)]


def test_the_table_has_a_row_a_candidate_with_its_reason() -> None:
    comparison = race_table(made_up_race(), SHARE)
    assert [row.explanation for row in comparison.rows] == ["", "", "behind steady by 0.1"]
    table = table_of(comparison, 1)
    headings = [column.heading for column in table.columns]
    assert headings[:4] == ["Algorithm", "Metric", "Result", "lately (%)"]  # there is no data set
    texts = [[cell.text for cell in cells] for _, cells in table.rows]
    assert texts[0][2:4] == ["26.00", "5.00"]
    assert [line[headings.index("left at row")] for line in texts] == ["–", "–", "300"]
    best = [cells[headings.index("lately (%)")].best for _, cells in table.rows]
    assert best == [True, False, False]


def test_the_summary_names_the_leader_and_how_many_race() -> None:
    facts = {fact.label: (fact.value, fact.note) for fact in race_summary(made_up_race(), SHARE)}
    assert facts == {
        "Leader": ("returns", "26.00 %"),
        "Still racing": ("2", "of 3 candidates"),
        "Answered lately": ("5.00 %", "mistakes"),
    }


def test_names_are_escaped_and_what_marks_the_race_is_written(tmp_path: Path) -> None:
    page = Page("Race", charts=[race_chart(made_up_race(), SHARE)])
    text = write_report(tmp_path / "race.html", page).read_text(encoding="utf-8")
    assert "</title>late" not in text
    found = re.search(r'id="drawing">(.*?)</script>', text)
    assert found is not None
    drawn = json.loads(found.group(1))["charts"][0]
    assert drawn["kind"] == "race"
    assert [s.get("ends", "") for s in drawn["series"]][
        2
    ] == "left at row 300: behind steady by 0.1"
    assert [s.get("leads") for s in drawn["series"]][1] == [[100, 200], [300, 400]]


def race(regression: bool = False) -> RaceClassifier | RaceRegressor:
    make, learner = (
        (RaceClassifier, FOGDClassifier) if not regression else (RaceRegressor, FOGDRegressor)
    )
    grid = {"gamma": [0.01, 0.4, 50.0]}
    return make(candidates=grid, learner=learner(n_components=50), random_state=0)


@pytest.mark.parametrize("regression", [False, True], ids=["classes", "numbers"])
def test_a_run_of_a_race_shows_it(regression: bool) -> None:
    X, y = gaussian_mixture(3000, 0)
    model = race(regression)
    run = prequential(model, (X, X[:, 0] if regression else y), warm_up=False)
    np.testing.assert_equal(run.race, race_of(model))  # nan where one has left
    assert json.loads(json.dumps(run.race["curves"]["leader"])) == model.curves_["leader"].tolist()
    page, alone = page_of_run(run), page_of_race(model)
    assert page.charts[0].title == "The race" and page.charts[1].title == "Convergence"
    labels = {series.label for series in page.charts[0].series}
    assert labels == {ANSWER, *model.results_["candidate"]}
    assert len(page.comparisons[0].rows) == 3 == len(alone.comparisons[0].rows)
    assert alone.subtitle == type(model).__name__
    unit = "squared error / variance lately" if regression else "mistakes lately (%)"
    assert alone.charts[0].y_label == unit


def test_other_learners_have_no_race() -> None:
    run = prequential(FOGDClassifier(n_components=50), gaussian_mixture(1000, 0), warm_up=False)
    assert run.race == {} and race_of(SimpleNamespace()) == {}
    assert page_of_run(run).comparisons == []
