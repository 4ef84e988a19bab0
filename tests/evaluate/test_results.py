"""Results: flat table, mean and deviation, files."""

import csv
import math
import re

import pytest

from onkel.evaluate import Data, Job, Record, Results

DATA = Data("a9a", "all", features="unit_interval")


def record(label="AVM", seed=0, failure=None, **metrics):
    job = Job(DATA, "AVMClassifier", {"gamma": "=1/n"}, seed=seed, label=label)
    curve = {"seen": [1, 2], "rate": [0.1, 1 / 3]}
    versions = {"onkel": "1.0", "numpy": "2"}
    return Record(job, {"gamma": 0.1}, metrics, curve, versions, "2026-01-01", failure)


@pytest.fixture
def results():
    return Results(
        [
            record(seed=0, mistake_rate=0.1, size=10, seconds=1.0),
            record(failure="ValueError: no"),
            record(seed=1, mistake_rate=0.3, size=20, seconds=2.0),
            record("REG", squared_error=0.5, rmse=0.5**0.5, size=7, seconds=0.1),
        ]
    )


def test_list_of_successes_and_failures_apart(results):
    assert len(results) == 3 and [r.job.seed for r in results[:2]] == [0, 1]
    assert [r.failure for r in results.failures] == ["ValueError: no"]
    both = results + results
    assert len(both) == 6 and len(both.failures) == 2


def test_summary(results):
    first, second = results.summary(metrics=["mistake_rate", "size"])
    assert first == {
        "data": "a9a",
        "label": "AVM",
        "count": 2,
        "mistake_rate": pytest.approx(0.2),
        "mistake_rate_std": pytest.approx(0.2 / 2**0.5),
        "size": 15,
        "size_std": pytest.approx(50**0.5),
    }
    assert second["size"] == 7 and math.isnan(second["size_std"]) and "mistake_rate" not in second
    assert [row["count"] for row in results.summary(by=["seed"])] == [2, 1]
    with pytest.raises(ValueError, match="'mistakes' isn't measured here, only mistake_rate"):
        results.summary(metrics=["mistakes"])
    with pytest.raises(ValueError, match="'colour' is no column"):
        results.summary(by=["colour"])


def test_printed_like_the_papers(results):
    lines = str(results).splitlines()
    assert "20.00 ± 14.14 %" in lines[1] and "0.5 MSE" in lines[2]
    assert lines[3] == "a9a, AVM: ValueError: no"


def test_wide_figures_do_not_run_into_each_other():
    rows = [
        record("AVMRegressor", seed, squared_error=1.159e10 + seed * 3e7, size=7, seconds=0.1)
        for seed in (0, 1)
    ]
    rows.append(
        record("a label longer than twenty characters", mistake_rate=0.1, size=1, seconds=1)
    )
    lines = str(Results(rows)).splitlines()
    assert re.split(r"\s{2,}", lines[1]) == [
        "a9a", "AVMRegressor", "2", "1.16e+10 ± 2.1e+07 MSE", "7", "0.10",
    ]  # fmt: skip
    assert len({len(line) for line in lines}) == 1  # columns stand below each other
    assert re.split(r"\s{2,}", lines[2])[1:4] == [rows[2].job.label, "1", "10.00 %"]


def test_json_is_lossless(results, tmp_path):
    again = Results.from_json(results.to_json(tmp_path / "r.json"))
    assert again.records == results.records and again.failures == results.failures
    for text in ("{}", "no JSON", '{"format": "onkel results 1", "records": [{}]}'):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(ValueError, match=r"bad\.json holds no results"):
            Results.from_json(tmp_path / "bad.json")


def test_tables(results, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = results.to_pandas()
    assert frame["mistake_rate"].dropna().tolist() == [0.1, 0.3] and len(frame) == 3
    assert frame["numpy_version"].tolist() == ["2"] * 3
    pytest.importorskip("pyarrow")
    assert pandas.read_parquet(results.to_parquet(tmp_path / "r.parquet")).equals(frame)
    with open(results.to_csv(tmp_path / "r.csv"), newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["size"] for row in rows] == ["10", "20", "7"] and rows[2]["mistake_rate"] == ""
    assert rows[0]["params"] == '{"gamma": 0.1}'
    assert rows[0]["preparation"] == '{"features": "unit_interval", "split": "all"}'


def test_nothing_at_all(tmp_path):
    empty = Results()
    assert empty.summary() == empty.table() == []
    assert Results.from_json(empty.to_json(tmp_path / "r.json")).records == []
    assert empty.to_csv(tmp_path / "r.csv").read_text().startswith("data")
