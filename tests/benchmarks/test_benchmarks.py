"""The benchmarks run, on a handful of rows, and report what they should; no time is asserted."""

import os

import pytest

from benchmarks import data, drift, forest, many_classes, merging, ridge, river, scaling, text, walk
from benchmarks.__main__ import SECTIONS, main
from benchmarks.data import standardised
from benchmarks.journal import Journal
from benchmarks.report import Bar, Options, Report
from benchmarks.timing import all_blas_threads, best_times, learning


def lines_of(section: object, rows: int) -> list[str]:
    lines: list[str] = []
    section.run(Report(lines.append), Options(rows=rows, repeats=1))  # type: ignore[attr-defined]
    return lines


@pytest.mark.data("a9a")
def test_walk_reports_times_and_both_bars() -> None:
    lines = lines_of(walk, rows=300)
    for what in ("whole fit", "kernel blocks alone", "bare product + exp"):
        timed = [line for line in lines if what in line and "µs/row" in line and "ns/value" in line]
        assert len(timed) == 2, what  # with one BLAS thread and with all
    bars = [line for line in lines if line.startswith("  bar ")]
    assert len(bars) == 2
    assert all(line.endswith(("ok", "MISSED")) for line in bars)


@pytest.mark.data("a9a")
def test_merging_reports_both_kinds_and_a_bar() -> None:
    lines = lines_of(merging, rows=300)
    assert [line.split()[0] for line in lines] == ["removal", "merging", "bar"]


def test_many_classes_reports_a_bar_for_each_learner() -> None:
    lines = lines_of(many_classes, rows=600)
    bars = [line.split()[1] for line in lines if line.startswith("  bar ")]
    assert bars == [f"{name}:" for name in many_classes.learners()]


def test_river_reports_both_bars_and_other_learners(monkeypatch) -> None:
    monkeypatch.setattr(river, "OTHERS", ("RBP",))
    lines = lines_of(river, rows=20)
    assert sum("µs/row" in line for line in lines) == 6
    bars = [line for line in lines if line.startswith("  bar ")]
    assert len(bars) == 2 and all(river.SMALL in line for line in bars)
    assert any("RBPClassifier, size 100: " in line for line in lines)


def test_topics_share_their_words() -> None:
    X, y = text.hashed_text(300, topics_to_tell=3, boost=50.0)
    assert X.shape == (300, 2**18) and set(y) == {0, 1, 2}
    alike = (X @ X.T).toarray()
    same, other = y[:, None] == y[None, :], y[:, None] != y[None, :]
    assert 0.1 < alike[other].mean() < alike[same].mean()


def test_drift_reports_streams_bars_and_detectors(monkeypatch) -> None:
    monkeypatch.setattr(drift, "beside", lambda *stream: None)  # a forest takes minutes
    lines: list[str] = []
    drift.run(Report(lines.append), Options(rows=6000, repeats=1, sets=("swap", "still")))
    assert [line.split()[0] for line in lines[2:7]] == ["swap", "bar", "still", "bar", "bar"]
    assert sum("µs/row" in line for line in lines) >= 3


def test_a_forest_goes_over_a_stream_once(tmp_path, monkeypatch) -> None:
    pytest.importorskip("river")
    X, y = drift.swapped(150)
    kept = Journal(tmp_path / "forest.csv", forest.COLUMNS, forest.KEY)
    first = drift.beside("swap", X, y, kept)
    assert first is not None and 0 < float(first["error"]) < 1 and float(first["seconds"]) > 0
    monkeypatch.setattr(drift, "forest_result", pytest.fail)
    again = Journal(tmp_path / "forest.csv", forest.COLUMNS, forest.KEY)
    assert drift.beside("swap", X, y, again) == first


@pytest.mark.data("german")
def test_ridge_reports_drift_and_points_above_svc() -> None:
    lines: list[str] = []
    report, options = Report(lines.append), Options(rows=300, repeats=1, sets=("german",))
    ridge.drift(report, options)
    ridge.beside_svm(report, options, "SVC", ridge.CLASSES)
    assert len(report.bars) == 3 and report.bars[0].met
    assert [line.split()[0] for line in lines[1:3]] == ["rows", "german*"]


def test_a_section_without_data_is_skipped(monkeypatch, tmp_path, capsys) -> None:
    monkeypatch.setenv("ONKEL_DATA", str(tmp_path))
    assert main(["sparse", "defaults"]) == 0
    printed = capsys.readouterr().out
    assert "'a9a' is absent" in printed
    assert "skipped for want of data: sparse, defaults" in printed


def test_the_folder_beside_the_checkout_unless_another_is_named(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(data, "BESIDE_CHECKOUT", tmp_path)
    monkeypatch.setenv("ONKEL_DATA", "elsewhere")
    data.choose_folder()
    assert os.environ["ONKEL_DATA"] == "elsewhere"
    monkeypatch.delenv("ONKEL_DATA")
    data.choose_folder()
    assert os.environ["ONKEL_DATA"] == str(tmp_path)


def test_a_bar_is_met_on_its_side_and_at_its_limit() -> None:
    assert Bar("", 1.5, 1.5, at_most=True).met and Bar("", 1.5, 1.5, at_most=False).met
    assert not Bar("", 1.6, 1.5, at_most=True).met
    assert str(Bar("", 1.4, 1.5, at_most=False)).endswith("MISSED")


def test_an_unknown_section_is_refused(capsys) -> None:
    with pytest.raises(SystemExit):
        main(["wlak"])
    complaint = capsys.readouterr().err
    assert all(section in complaint for section in SECTIONS)


def test_jobs_take_turns_after_a_warm_up() -> None:
    calls: list[str] = []
    jobs = {name: (lambda name=name: calls.append(name)) for name in "ab"}
    ticks = iter([0, 5, 5, 8, 8, 10, 10, 17])  # a: 5 and 2, b: 3 and 7
    best = best_times(jobs, Options(repeats=2, clock=lambda: next(ticks)))
    assert calls == list("ababab")
    assert best == {"a": 2, "b": 3}


def test_the_limit_of_threads_comes_back() -> None:
    shipped = learning.at_work
    with pytest.raises(KeyError), all_blas_threads():
        assert learning.at_work is not shipped
        raise KeyError
    assert learning.at_work is shipped


@pytest.mark.data("pendigits", "german")
@pytest.mark.parametrize("name", ["pendigits", "german"])
def test_training_rows_are_standardised_and_test_rows_are_others(name: str) -> None:
    split = standardised(name, 200, 100)
    assert split.X.shape[0] == 200 and split.X_test.shape[0] == 100
    assert abs(split.X.mean(axis=0)).max() < 1e-12
    varied = split.X.std(axis=0) > 0
    assert abs(split.X.std(axis=0)[varied] - 1).max() < 1e-12
    seen = {row.tobytes() for row in split.X}
    assert not any(row.tobytes() in seen for row in split.X_test)


def test_the_cost_model_of_clusters_adds_up() -> None:
    costs = scaling.Costs("x", 1.0, 1e-6, 1e-4, 0.5, 1e6, 0.01, 0.1, 1e-3, 1, 4)
    one, many = (scaling.seconds(costs, 1e6, 100, workers, 1e9) for workers in (1, 10))
    assert one["learning"] == pytest.approx(100.0) and many["learning"] == pytest.approx(10.0)
    assert one["reading"] == pytest.approx(2.0) and one["scheduling"] == many["scheduling"]
    assert many["merging"] >= one["merging"] > 0.1
    assert one["first rows"] == many["first rows"] == pytest.approx(2.0)  # four shards a worker
    shared = scaling.seconds(costs, 1e6, 100, 10, 1e9, cores=5)
    assert shared["first rows"] == pytest.approx(4.0)
    assert shared["learning"] == pytest.approx(20.0)
