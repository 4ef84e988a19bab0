"""Which learner: results kept in a file, and a page that says what the file says."""

import csv
from pathlib import Path

import pytest

from benchmarks import choosing
from benchmarks.choosing import DOCS, SETS, SVM, learners
from benchmarks.choosing_page import BEGIN, END, table, written_page
from benchmarks.journal import Journal
from benchmarks.report import Options, Report


def lines_of_file() -> list[dict[str, str]]:
    with (DOCS / "choosing.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def line(name: str, learner: str, score: str, task: str = "Classifier") -> dict[str, str]:
    facts = {
        "rows": "4000",
        "test_rows": "100",
        "features": "5",
        "seconds": "1.5",
        "kilobytes": "2000",
    }
    return {"task": task, "set": name, "learner": learner, "score": score, **facts}


def test_the_page_has_the_table_of_the_file() -> None:
    page = (DOCS / "choosing.md").read_text(encoding="utf-8")
    between = page.split(BEGIN)[1].split(END)[0].strip()
    assert between == table(lines_of_file())


def test_the_file_has_sets_and_learners_that_there_are() -> None:
    for line in lines_of_file():
        assert line["set"] in SETS[line["task"]]
        assert line["learner"] in [SVM[line["task"]], *learners(line["task"])]
        assert float(line["score"]) <= 1 and float(line["seconds"]) > 0


def test_a_table_has_the_best_first_and_marks_it_in_every_row() -> None:
    lines = [
        line("a", "X", "0.5"),
        line("b", "X", "0.7"),
        line("a", "Y", "0.6"),
        line("b", "Y", "0.65"),
    ]
    rows = [row.split(" | ") for row in table(lines).splitlines()]
    assert rows[0][1:] == ["Y", "X |"]
    assert rows[2] == ["| a<br>4,000 x 5", "**60.0**<br>1.50<br>2,000", "50.0<br>1.50<br>2,000 |"]
    assert rows[3][1].startswith("65.0") and rows[3][2].startswith("**70.0**")
    assert rows[4][1:] == ["**62.5**<br>3.00<br>2,000", "**60.0**<br>3.00<br>2,000 |"]


def test_a_learner_without_some_sets_has_no_mean() -> None:
    lines = [line("a", "X", "0.5"), line("b", "X", "0.7"), line("a", "Y", "0.9")]
    rows = [row.split(" | ") for row in table(lines).splitlines()]
    assert rows[3][1] == "" and rows[4][1] == ""


def test_what_stands_around_the_table_stays(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    written_page(page, [line("a", "X", "0.5")])
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{BEGIN}\n| ") and text.endswith(f"|\n{END}\nafter\n")
    assert "old" not in text


def test_a_journal_measures_once_and_anew_if_asked(tmp_path: Path) -> None:
    path, calls = tmp_path / "kept.csv", []

    def measure() -> dict[str, int]:
        calls.append(1)
        return {"value": len(calls)}

    def value(fresh: bool = False) -> str:
        journal = Journal(path, ("name", "value"), ("name",), fresh)
        found = [journal.result({"name": "a"}, measure)["value"] for _ in range(2)]
        assert found[0] == found[1]
        return found[0]

    assert [value(), value(), value(fresh=True), value()] == ["1", "1", "2", "2"]
    assert path.read_text(encoding="utf-8") == "name,value\na,2\n"


def test_two_who_write_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "kept.csv"
    one, other = (Journal(path, ("name", "value"), ("name",)) for _ in range(2))
    one.result({"name": "b"}, lambda: {"value": 1})
    other.result({"name": "a"}, lambda: {"value": 2})
    assert path.read_text(encoding="utf-8") == "name,value\na,2\nb,1\n"


@pytest.mark.data("german", "mg")
def test_few_rows_are_measured_and_not_kept(monkeypatch) -> None:
    monkeypatch.setattr(choosing, "FAMILIES", ("FOGD", "CSVRG"))
    before, lines = (DOCS / "choosing.csv").read_bytes(), []
    choosing.run(Report(lines.append), Options(rows=600, repeats=1, sets=("german", "mg")))
    assert [line.split()[0] for line in lines[1:]] == [
        "german:",
        "SVC",
        "FOGD",
        "CSVRG",
        "mg:",
        "SVR",
        "FOGD",
    ]
    assert (DOCS / "choosing.csv").read_bytes() == before
