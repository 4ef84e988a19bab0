"""The sections on streams run, on a handful of rows, and report what they should."""

import io

import pytest

from benchmarks import covtype, long_stream, reading, tables
from benchmarks.data import AbsentError
from benchmarks.report import Options, Report


def outcome(section: object, rows: int) -> tuple[list[str], Report]:
    lines: list[str] = []
    report = Report(lines.append)
    section.run(report, Options(rows=rows, repeats=1))  # type: ignore[attr-defined]
    return lines, report


def test_the_long_stream_is_read_and_learned_whole() -> None:
    lines, report = outcome(long_stream, rows=300)
    assert len(report.bars) == 2 and sum("resident memory" in line for line in lines) == 2
    rows = len(long_stream.some_text(300 * 400).splitlines())
    assert f"{2 * rows} rows learned" in lines[-1]


def test_tables_report_each_stage_and_five_bars() -> None:
    try:
        lines, report = outcome(tables, rows=9000)
    except AbsentError as absent:
        pytest.skip(str(absent))
    stages = [line.split(":")[1].split()[0] for line in lines if "µs/row" in line]
    assert stages == ["reading", "encoding", "learning"] and len(report.bars) == 5
    assert report.bars[0].met


def test_repeated_text_ends_after_a_whole_line() -> None:
    text = long_stream.some_text(5000)
    file = long_stream.Repeated(text, 2 * len(text) + 700)
    read = io.BufferedReader(file).read()
    assert read.startswith(text + text) and len(read) == file.size
    assert read.endswith(b"\n") and 0 < len(read) - 2 * len(text) <= 700


@pytest.mark.data("covtype", "ijcnn1", "mnist")
def test_reading_compares_plain_and_packed() -> None:
    lines, report = outcome(reading, rows=200)
    assert len(report.bars) == 6 and sum("µs/row" in line for line in lines) == 12


@pytest.mark.data("covtype")
def test_covtype_shows_the_share_of_every_stage() -> None:
    lines, report = outcome(covtype, rows=4096)
    stages = [line.split()[0] for line in lines if line.endswith("%")]
    assert stages == ["decompression", "parsing", "scaling", "learning"]
    assert sum(int(line.split()[-2]) for line in lines if line.endswith("%")) in range(97, 104)
    assert len(report.bars) == 1
