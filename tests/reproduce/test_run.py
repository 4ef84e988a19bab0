"""A tiny study from end to end on generated rows: jobs, journal, absent data, failures, files."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from onkel.cli.reproduce import facts_of, told
from onkel.datasets import gaussian_mixture
from onkel.evaluate import Data
from onkel.reproduce import Claim, Learner, Outcome, Study, When, run_study
from onkel.reproduce import engine as engine_module
from onkel.reproduce import outcome as outcome_module
from onkel.reproduce.papers import Printed
from onkel.reproduce.publish import publish, readme_of

FOGD = Learner("FOGDClassifier", {"gamma": 0.4, "n_components": 50, "average": False})
AVM = Learner("AVMClassifier", {"gamma": 0.4, "regularization": "=1/n", "diameter": 1.0})


def mixture() -> Data:
    return Data.of(*gaussian_mixture(800, 0), name="mixture", test=0.25)


def printed(dataset: str, algorithm: str, value: float) -> Printed:
    return Printed(
        "lu2016_spa", 99, "online", "binary", dataset, algorithm, "mistake_percent", value, 1, 0.5,
        3.0, None, "",
    )  # fmt: skip


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Study:
    """A table of four figures, two of them of a data set that nobody has."""
    rows = [
        printed("mixture", "FOGD", 25.0),
        printed("mixture", "AVM", 90.0),
        printed("nowhere", "FOGD", 10.0),
        printed("nowhere", "AVM", 10.0),
    ]
    for module in (engine_module, outcome_module):
        monkeypatch.setattr(module, "figures_of", lambda paper, table: rows)
    return Study(
        paper="lu2016_spa",
        kind="table",
        number=99,
        title="A tiny table",
        protocol="online",
        metric="mistake_percent",
        repeats=2,
        data={"mixture": mixture(), "nowhere": Data("no such set")},
        learners={"FOGD": FOGD, "AVM": AVM},
        when=(
            When(algorithms=("FOGD",), params={"step": 0.5}, note="a step"),
            When(sets=("mixture",), algorithms=("AVM",), repeats=1, explanation="90 is absurd"),
        ),
    )


def figure_study() -> Study:
    return Study(
        paper="lu2016_spa",
        kind="figure",
        number=98,
        title="A tiny figure",
        protocol="batch",
        metric="accuracy_percent",
        repeats=1,
        data={"mixture": mixture(), "nowhere": Data("no such set")},
        learners={"AVM": replace(AVM, vary={"diameter": (0.5, 1.0, 2.0)}), "FOGD": FOGD},
        claims=(Claim("larger, smaller", "AVM", "diameter", "size", "falls"),),
        notes=("A note.",),
    )


def test_a_table_from_end_to_end(table: Study) -> None:
    outcome = run_study(table, workers=1)
    fogd, avm, *absent = outcome.rows
    assert [row.verdict for row in absent] == ["absent", "absent"]
    assert "no such set" in absent[0].explanation
    assert fogd.ours is not None and 15 < fogd.ours < 40 and fogd.runs == 2
    assert '"step": 0.5' in fogd.setting and fogd.note == "a step" and fogd.rows == 800
    assert avm.verdict == "differs" and avm.explanation == "90 is absurd" and avm.runs == 1
    assert avm.ours_std is None and (avm.difference_percent or 0) < 0
    assert outcome.summary()["absent"] == 2 and outcome.runs == 3
    assert outcome.speed() is not None and outcome.wall_seconds is not None


def test_a_journal_is_resumed(table: Study, tmp_path: Path) -> None:
    journal = tmp_path / "runs.jsonl"
    ran: list[str] = []
    first = run_study(
        table, workers=1, journal=journal, on_progress=lambda d, t, r: ran.append("1")
    )
    again = run_study(
        table, workers=1, journal=journal, on_progress=lambda d, t, r: ran.append("2")
    )
    assert ran == ["1"] * 3  # the second time nothing is left to run
    assert first.table() == again.table()
    assert again.wall_seconds is None
    more = run_study(
        replace(table, repeats=3),
        workers=1,
        journal=journal,
        on_progress=lambda d, t, r: ran.append("3"),
    )
    assert ran.count("3") == 1 and more.rows[0].runs == 3


def test_a_figure_has_points_and_trends() -> None:
    outcome = run_study(figure_study(), workers=1)
    sizes = [p.size for p in outcome.points if p.dataset == "mixture" and p.algorithm == "AVM"]
    assert len(sizes) == 3 and sizes[0] > sizes[1] > sizes[2]
    (trend,) = outcome.trends
    assert trend.holds and trend.correlation == -1.0
    assert outcome.summary() == {"absent": 4, "run": 4}
    assert all(0 < p.error < 60 for p in outcome.points if p.error is not None)


def test_a_failing_learner_is_a_failed_figure(table: Study) -> None:
    learners = dict(table.learners) | {"AVM": replace(AVM, params={**AVM.params, "diameter": -1.0})}
    outcome = run_study(replace(table, learners=learners), workers=1)
    assert [row.verdict for row in outcome.rows[:2]][1] == "failed"
    assert outcome.page().comparisons[0].rows[1].agrees == "failed"
    assert "diameter" in outcome.rows[1].explanation and "diameter" in outcome.failures[0]


def test_quick_runs_less(table: Study) -> None:
    outcome = run_study(table, quick=True, workers=1)
    assert outcome.quick and outcome.rows[0].runs == 1


def test_a_quick_page_says_so_and_claims_nothing(table: Study) -> None:
    outcome = run_study(table, quick=True, workers=1)
    page = outcome.page()
    assert page.title.startswith("Quick look: ") and "too few rows" in page.subtitle
    assert page.summary[0].label == "quick look" and "agreement" not in page.how
    assert not {fact.label for fact in page.summary} & {"agree", "within 3 std", "differ"}
    (comparison,) = page.comparisons
    assert "too few rows" in comparison.note and "times ours" not in comparison.note
    assert [row.agrees for row in comparison.rows] == [None, None, "absent", "absent"]
    assert all(row.theirs_seconds is None for row in comparison.rows)
    assert "absurd" not in comparison.rows[1].explanation  # which explains the run of all rows
    text = readme_of([outcome])
    assert "too few rows" in text and "## Counts" not in text and "## Seconds" not in text
    whole = run_study(table, workers=1).page()  # and what is not quick does speak of all that
    assert "times ours" in whole.comparisons[0].note and whole.summary[0].label == "agree"


def test_a_quick_look_has_verdicts_nowhere(table: Study, tmp_path: Path) -> None:
    """Neither as data, nor in the CSV file, nor where the command line prints it or gives it as JSON."""
    outcome = run_study(table, quick=True, workers=1)
    assert outcome.summary() == {"absent": 2, "run": 2}
    assert [row.explanation for row in outcome.rows[:2]] == ["", ""]
    with outcome.to_csv(tmp_path).open(encoding="utf-8", newline="") as file:
        assert [row["verdict"] for row in csv.DictReader(file)] == ["run", "run"] + ["absent"] * 2
    assert [row["verdict"] for row in facts_of(outcome)["rows"][:2]] == ["run", "run"]
    text = told(outcome)
    assert "too few rows" in text and "no verdict" in text
    assert not any(word in text for word in ("within", "differ", "  verdict"))
    assert "differ" in told(run_study(table, workers=1))


def test_a_quick_look_tells_no_trends(tmp_path: Path) -> None:
    outcome = run_study(figure_study(), quick=True, workers=1)
    assert outcome.points and not outcome.trends
    page = outcome.page()
    assert "trends" not in {fact.label for fact in page.summary}
    told_anywhere = [*page.notes, readme_of([outcome]), told(outcome), str(facts_of(outcome))]
    assert not any(word in text for text in told_anywhere for word in ("hold", "larger, smaller"))
    assert "larger, smaller: holds" in " ".join(run_study(figure_study(), workers=1).page().notes)


def test_quick_notes_do_not_tell_other_numbers_of_runs(table: Study) -> None:
    rule = When(repeats=3, note="at most 3 of 10 permutations")
    study = replace(table, when=(*table.when, rule))
    for quick, note in ((False, "a step; at most 3 of 10 permutations"), (True, "a step")):
        assert engine_module.cases(study, quick)[0].note == note


def test_files(table: Study, tmp_path: Path) -> None:
    outcomes = [run_study(table, workers=1), run_study(figure_study(), workers=1)]
    paths = publish(outcomes, tmp_path)
    names = {path.name for path in paths}
    assert names == {
        "lu2016_spa-table-99.csv", "lu2016_spa-figure-98.csv", "index.html", "README.md",
    }  # fmt: skip
    with (tmp_path / "lu2016_spa-table-99.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["verdict"] for row in rows][2:] == ["absent", "absent"]
    assert float(rows[0]["theirs"]) == 25.0 and rows[2]["ours"] == ""
    with (tmp_path / "lu2016_spa-figure-98.csv").open(encoding="utf-8", newline="") as file:
        points = list(csv.DictReader(file))
    assert (points[0]["parameter_1"], points[0]["value_1"]) == ("diameter", "0.5")
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "A tiny table" in page and "90 is absurd" in page


def test_the_readme_counts_and_explains(table: Study) -> None:
    text = readme_of([run_study(table, workers=1), run_study(figure_study(), workers=1)])
    assert "| A tiny table | 4 |" in text
    assert "90 is absurd" in text and "1 of 1" in text and "A note." in text


def test_a_page_of_one_study(table: Study) -> None:
    outcome: Outcome = run_study(table, workers=1)
    page = outcome.page()
    assert "A tiny table" in page.title
    assert [row.agrees for row in page.comparisons[0].rows][2:] == ["absent", "absent"]
    (chart,) = page.charts
    assert {series.label for series in chart.series} == {"FOGD", "AVM"}
    page = run_study(figure_study(), workers=1).page()
    assert [chart.kind for chart in page.charts] == ["study", "study"]
    assert page.charts[0].series[1].label == "FOGD"  # what does not vary is a level
