"""Trends: the correlation of ranks, at each value of the other parameter."""

from __future__ import annotations

from onkel.evaluate import Data
from onkel.reproduce import Claim, Learner, Study, When
from onkel.reproduce.engine import cases
from onkel.reproduce.outcome import Point
from onkel.reproduce.trends import trends_of


def study(*claims: Claim) -> Study:
    return Study(
        paper="lu2016_spa",
        kind="figure",
        number=97,
        title="Two parameters",
        protocol="online",
        metric="mistake_percent",
        repeats=1,
        data={"a": Data("a"), "b": Data("b")},
        learners={"SPA": Learner("SPAClassifier", {}, {"loss_cap": (1, 2), "sampling": (5, 10)})},
        when=(When(("b",), vary={"sampling": (20, 40, 80)}),),
        claims=claims,
    )


def points() -> list[Point]:
    """The size rises with α within each β, though β matters much more; the error is noise."""
    sizes = {(1, 5): 100.0, (2, 5): 101.0, (1, 10): 10.0, (2, 10): 11.0}
    return [
        Point("a", "SPA", {"loss_cap": cap, "sampling": rate}, "run", error=3.0, size=size)
        for (cap, rate), size in sizes.items()
    ]


def test_the_other_parameter_does_not_hide_a_trend() -> None:
    claims = [
        Claim("α", "SPA", "loss_cap", "size", "rises"),
        Claim("β", "SPA", "sampling", "size", "falls"),
        Claim("wrong", "SPA", "sampling", "size", "rises"),
        Claim("none", "SPA", "sampling", "error", "rises"),
    ]
    found = trends_of(study(*claims), points())
    assert [(t.correlation, t.holds) for t in found] == [
        (1.0, True),
        (-1.0, True),
        (-1.0, False),
        (0.0, False),
    ]
    assert {t.dataset for t in found} == {"a"}  # b was not run


def test_a_data_set_may_have_values_of_its_own() -> None:
    varied = [(case.dataset, case.varied["sampling"]) for case in cases(study())]
    assert {value for name, value in varied if name == "a"} == {5, 10}
    assert {value for name, value in varied if name == "b"} == {20, 40, 80}
    assert len(varied) == 4 + 6
