"""The arithmetic of the comparison: deviations, per cent, mistakes of accuracies, printed digits."""

from __future__ import annotations

import pytest

from onkel.reproduce.comparison import compared, differences, error_of, verdict_on, without_runs
from onkel.reproduce.papers import Printed, printed


def figure(
    value: str, std: float | None = None, metric: str = "mistake_percent", **about: object
) -> Printed:
    facts: dict = {
        "paper": "p",
        "table": 1,
        "mode": "online",
        "task": "binary",
        "dataset": "set",
        "algorithm": "FOGD",
        "metric": metric,
        "value": float(value),
        "decimals": len(value.partition(".")[2]),
        "std": std,
        "seconds": 2.0,
        "model_size": None,
        "note": "",
    }
    return Printed(**facts | about)


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [
        (17.4, "std"),
        (17.75, "std"),  # 3 · 0.1 and half a unit of the last digit
        (17.76, "percent"),
        (17.05, "std"),
        (15.7, "percent"),
        (19.18, "percent"),  # 10 % of 17.4 and 0.05
        (19.20, "differs"),
        (15.60, "differs"),
    ],
)
def test_std_comes_before_percent(ours: float, verdict: str) -> None:
    assert verdict_on(ours, figure("17.4", 0.1)) == verdict


def test_without_a_deviation_only_percent_counts() -> None:
    assert verdict_on(20.0, figure("20.0")) == "percent"
    assert verdict_on(22.04, figure("20.0")) == "percent"
    assert verdict_on(22.1, figure("20.0")) == "differs"


def test_a_deviation_of_zero_leaves_the_last_digit() -> None:
    assert verdict_on(0.024, figure("0.02", 0.0)) == "std"
    assert verdict_on(0.0266, figure("0.02", 0.0)) == "percent"
    assert verdict_on(0.028, figure("0.02", 0.0)) == "differs"


def test_of_accuracies_the_mistakes_are_compared() -> None:
    paper = figure("95.0", None, "accuracy_percent")
    assert verdict_on(94.5, paper) == "percent"  # 5.5 against 5.0 mistakes, 0.05 of it rounding
    assert verdict_on(94.4, paper) == "differs"  # though 0.6 % of the accuracy
    assert differences(94.0, paper) == (None, pytest.approx(20.0))


def test_a_perfect_printed_accuracy_allows_its_rounding_only() -> None:
    paper = figure("1.00", None, "accuracy_fraction")
    assert verdict_on(0.996, paper) == "percent"
    assert verdict_on(0.994, paper) == "differs"
    assert differences(0.99, paper)[1] is None


def test_differences_carry_a_sign() -> None:
    in_std, in_percent = differences(18.0, figure("20.0", 0.5))
    assert (in_std, in_percent) == (pytest.approx(-4.0), pytest.approx(-10.0))
    assert differences(18.0, figure("20.0", 0.0))[0] is None


def test_errors() -> None:
    assert error_of(0.9, "accuracy_fraction") == pytest.approx(0.1)
    assert error_of(0.04, "squared_loss") == 0.04


def test_a_row_is_in_the_unit_of_the_paper() -> None:
    summary = {"mistake_rate": (0.17, 0.001), "seconds": (0.5, None), "size": (400.0, 0.0)}
    row = compared(figure("17.4", 0.1), summary, runs=3)
    assert (row.ours, row.ours_std) == (pytest.approx(17.0), pytest.approx(0.1))
    assert (row.ours_seconds, row.theirs_seconds, row.ours_size) == (0.5, 2.0, 400.0)
    assert row.difference_std == pytest.approx(-4.0) and row.verdict == "percent"


def test_a_row_without_runs_has_the_papers_side() -> None:
    row = without_runs(figure("17.4", 0.1), "absent", "not here")
    assert (row.verdict, row.theirs, row.ours, row.explanation) == (
        "absent",
        17.4,
        None,
        "not here",
    )


def test_decimals_are_those_printed() -> None:
    by_key = {(r.paper, r.table, r.dataset, r.algorithm): r for r in printed()}
    assert by_key["lu2016_fogd_nogd", 5, "a9a", "FOGD"].decimals == 1
    assert by_key["lu2016_fogd_nogd", 5, "ijcnn1", "FOGD"].decimals == 2
    assert by_key["le2017_avm", 5, "casp", "RBP"].value == 0.3195
