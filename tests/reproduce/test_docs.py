"""What is kept in docs/reproduction belongs to the declarations and to papers.csv."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from onkel.reproduce import Study, printed, studies
from onkel.reproduce.comparison import verdict_on

FOLDER = Path(__file__).parents[2] / "docs" / "reproduction"


def rows_of(study: Study) -> list[dict[str, str]]:
    with (FOLDER / f"{study.name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    "study", [s for s in studies() if s.kind == "table"], ids=lambda study: study.name
)
def test_every_printed_figure_is_there_with_its_verdict(study: Study) -> None:
    figures = [f for f in printed() if (f.paper, f.table) == (study.paper, study.number)]
    rows = rows_of(study)
    assert [(r["dataset"], r["algorithm"]) for r in rows] == [
        (f.dataset, f.algorithm) for f in figures
    ]
    for row, figure in zip(rows, figures):
        assert float(row["theirs"]) == pytest.approx(figure.value, rel=1e-4)
        if row["verdict"] == "absent":
            assert row["ours"] == "" and "is not here" in row["explanation"]
        else:
            assert row["verdict"] == verdict_on(float(row["ours"]), figure)
            assert int(row["runs"]) >= 1


@pytest.mark.parametrize(
    "study", [s for s in studies() if s.kind == "figure"], ids=lambda study: study.name
)
def test_every_figure_has_points(study: Study) -> None:
    rows = rows_of(study)
    assert {row["verdict"] for row in rows} <= {"run", "absent"}
    assert sum(row["verdict"] == "run" for row in rows) >= 10


def test_the_page_is_self_contained_and_small() -> None:
    page = FOLDER / "index.html"
    assert page.stat().st_size < 2_000_000
    text = page.read_text(encoding="utf-8")
    assert not any(tag in text for tag in ('src="http', 'href="http', "@import", "url(http"))


def test_the_counts_in_words_are_those_of_the_tables() -> None:
    tables = [study for study in studies() if study.kind == "table"]
    verdicts = [row["verdict"] for study in tables for row in rows_of(study)]
    agree = sum(verdict in ("std", "percent") for verdict in verdicts)
    ran = agree + verdicts.count("differs")
    kept = (FOLDER / "README.md").read_text(encoding="utf-8")
    project = (FOLDER.parents[1] / "README.md").read_text(encoding="utf-8")
    page = (FOLDER / "index.html").read_text(encoding="utf-8")
    assert f"Of {ran} figures with data {agree} agree" in kept
    assert f"Of the {ran} printed figures whose data were at hand, {agree} agree" in project
    assert f'<dd class="value">{agree}</dd>' in page and f"% of {ran} figures" in page
