"""The demonstration, on few rows: its table, its picture, its displays."""

import io
import sys

import pytest

from onkel.cli import demonstration
from onkel.datasets import gaussian_mixture_bayes_rate
from onkel.evaluate import Look, Run
from tests.cli.files import fails, ok, onkel

NAMES = ["AVM", "SPA", "FOGD", "NOGD", "BSGD", "NBSGD"]


def make_run(rate: float = 0.25) -> Run:
    metrics = {"mistake_rate": rate, "seen": 200, "seconds": 0.5, "size": 7}
    return Run("AVMClassifier", {}, metrics, {"seen": [100, 200], "rate": [0.4, rate]})


def test_whole_demo(tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "demo.png"
    out = ok("demo", "--instances", 3000, "--output", path).stdout
    rows = [line.split() for line in out[out.index("learner") :].splitlines()]
    rates = {row[0]: float(row[1].rstrip("%")) / 100 for row in rows if row and row[0] in NAMES}
    assert sorted(rates) == sorted(NAMES)
    # Blind guessing costs 40 %: after 3000 rows each learner must be clearly better.
    assert all(gaussian_mixture_bayes_rate() - 0.02 < rate < 0.33 for rate in rates.values()), rates
    assert f"{gaussian_mixture_bayes_rate():.2%}" in out
    assert path.read_bytes().startswith(b"\x89PNG")


def test_table_is_sorted_and_counts_rows_per_second():
    lines = demonstration.table(
        {"AVM": make_run(), "SPA": make_run(0.2)}, bayes=0.1956
    ).splitlines()
    assert lines[2].split() == ["SPA", "20.00%", "7", "vectors", "0.50", "400"]
    assert lines[3].split()[:2] == ["AVM", "25.00%"]
    assert lines[4].split() == ["Bayes-optimal", "19.56%"]


def test_missing_matplotlib_is_no_error(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    path = tmp_path / "demo.png"
    assert demonstration.picture({"AVM": make_run()}, 0.2, path) is False
    assert not path.exists()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_display_redraws_one_line_on_a_terminal():
    out = Terminal()
    display = demonstration.Display(out)
    display.say("AVM: compiling")
    display.show("AVM", Look(200, 0.25, 0.25, 7, 0.5), 400)
    display.show("AVM", Look(400, 0.25, 0.25, 7, 0.5), 400)
    assert out.getvalue().count("\r\x1b[K") == 3
    assert out.getvalue().count("\n") == 1 and out.getvalue().endswith("\n")


def test_display_prints_quarters_elsewhere():
    out = io.StringIO()
    display = demonstration.Display(out)
    for seen in range(10, 1001, 10):
        display.show("AVM", Look(seen, 0.3, 0.3, 7, 1.0), 1000)
    assert out.getvalue().count("\n") == 4
    assert "\x1b" not in out.getvalue()


def test_what_cannot_be_is_told_before_the_learning(tmp_path):
    nothing = onkel("demo", "--instances", 0)
    assert nothing.exit_code == 2 and "--instances" in nothing.stderr and not nothing.stdout
    nowhere = tmp_path / "none" / "demo.png"
    assert "does not exist" in fails(2, "demo", "--instances", 3000, "--output", nowhere)
