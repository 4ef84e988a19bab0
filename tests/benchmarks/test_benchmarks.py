"""The benchmarks run, on a handful of rows, and report what they should; no time is asserted."""

import os

import pytest

from benchmarks import data, merging, walk
from benchmarks.__main__ import SECTIONS, main
from benchmarks.data import standardised
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
    shipped = learning.one_blas_thread
    with pytest.raises(KeyError), all_blas_threads():
        assert learning.one_blas_thread is not shipped
        raise KeyError
    assert learning.one_blas_thread is shipped


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
