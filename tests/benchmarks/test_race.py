"""The benchmark of races: a line a set, the bars, and nothing of few rows is kept."""

from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import baselines, race, race_cost, selection
from benchmarks.race import Outcome, above, say_kept_aside
from benchmarks.report import Options, Report


@pytest.fixture
def one_configuration(monkeypatch) -> None:
    """A grid search of one configuration, and a race of one candidate: what they find is not tested here."""
    for name in ("WIDTHS", "CLASSIFIER_C", "REGRESSOR_C", "EPSILONS"):
        monkeypatch.setattr(baselines, name, (1.0,))


@pytest.mark.data("segment", "mg")
def test_lines_and_bars_of_a_race_beside_svm(one_configuration) -> None:
    before, lines = baselines.PATH.read_bytes(), []
    report, options = Report(lines.append), Options(rows=600, sets=("segment", "mg"))
    race.beside_svc(report, options)
    race.beside_grid(report, options)
    race.beside_svr(report, options)
    race.beside_candidates(report, options)
    firsts = [line.split()[0] for line in lines if not line.startswith("  bar ")]
    assert firsts == ["rows", "segment*", "rows", "segment*", "rows", "mg*", "rows", "segment*"]
    whats = [bar.what.split(" (")[0] for bar in report.bars]
    assert whats == [
        "race: mean points above SVC()",
        "race: mean points above the grid search of SVC",
        "race: worst against the grid search",
        "race: share of the grid search's time, in the sum",
        "race: mean of R² x 100 above the grid search of SVR",
        "race: mean points above the best candidate alone",
    ]
    assert [bar.limit for bar in report.bars] == [0.5, -0.5, -2.0, 0.05, -1.0, -0.3]
    assert baselines.PATH.read_bytes() == before


def test_points_are_the_race_s_above_the_others() -> None:
    table = {
        "letter": (Outcome(90.0, 1.0), Outcome(92.5, 0.1)),
        "a9a": (Outcome(84.0, 1.0), Outcome(83.0, 0.1)),
    }
    assert above(table) == {"letter": 2.5, "a9a": -1.0}
    lines: list[str] = []
    say_kept_aside(Report(lines.append), above(table), "above SVC()")
    assert lines == [
        "  above SVC(): -1.00 on the 1 sets kept aside, +2.50 on the 1 that defaults were chosen on"
    ]


def test_the_cost_of_many_configurations_is_a_bar() -> None:
    lines: list[str] = []
    report = Report(lines.append)
    race_cost.cost_of_many(report, Options(rows=1100, repeats=1))
    assert [line.split()[0] for line in lines] == ["one", "a", "the", "bar"]
    assert report.bars[0].limit == 5.0 and race_cost.CONFIGURATIONS == 24


def test_what_two_processes_gain_is_a_ratio() -> None:
    lines: list[str] = []
    race_cost.cost_elsewhere(Report(lines.append), Options(rows=1100, repeats=1))
    assert len(lines) == 3 and all("two processes / none: " in line for line in lines)


def test_river_selects_row_by_row() -> None:
    pytest.importorskip("river")
    random = np.random.default_rng(0)
    X = random.normal(size=(120, 2))
    for name in ("SuccessiveHalvingClassifier", "BanditClassifier"):
        found = selection.selected(name, X, X[:, 0] > 0)
        assert 0.5 < float(found["accuracy"]) < 1.0 and float(found["seconds"]) > 0


def test_a_baseline_is_fitted_and_told_once(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(baselines, "PATH", tmp_path / "svm.csv")
    random = np.random.default_rng(0)
    X = random.normal(size=(90, 3))
    split = SimpleNamespace(X=X, y=X[:, 0] > 0, X_test=X, y_test=X[:, 0] > 0)
    kept = baselines.journal(Options())
    first = baselines.baseline("SVC, grid", "made up", split, kept)
    assert first.score > 0.9
    line = kept.lines["SVC, grid", "made up", "90", "90"]
    assert any(float(line["gamma"]) * 3 == pytest.approx(w, rel=1e-4) for w in baselines.WIDTHS)
    assert float(line["C"]) in baselines.CLASSIFIER_C
    monkeypatch.setattr(baselines, "FITS", {"SVC, grid": None})  # it is not fitted again
    assert baselines.baseline("SVC, grid", "made up", split, baselines.journal(Options())) == first
