"""The report: a race as curves and as a table: who led when, who left when, and why."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby, pairwise
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from onkel.evaluate.run import race_of
from onkel.report.digits import plain
from onkel.report.measures import Measure, settings_text, with_unit
from onkel.report.page import Chart, Comparison, ComparisonRow, Fact, Figure, Page, Series

#: The loss of a race: of a classifier its mistakes, of a regressor in units of the targets' variance.
SHARE = Measure("loss", "mistakes", "%", 100.0)
SCALED = Measure("loss", "squared error / variance", "", 1.0)
ANSWER = "what the race answered"
NOTE = "The mean over the last rows, before each update. Thick: who led; a cross: who left there."
Race = Mapping[str, Any]


def page_of_race(model: Any, title: str = "Race") -> Page:
    """A page of a race that has begun: curves of all candidates, who led, and when and why some left.

    Parameters
    ----------
    model : RaceClassifier or RaceRegressor
        One that has learned, also in mid-race.
    title : str, default="Race"
        The heading of the page.

    Returns
    -------
    Page
        For `write_report`.

    Examples
    --------
    >>> from onkel import FOGDClassifier, RaceClassifier
    >>> from onkel.datasets import gaussian_mixture
    >>> from onkel.report import page_of_race
    >>> race = RaceClassifier(
    ...     candidates={"gamma": [0.01, 0.4]}, learner=FOGDClassifier(), random_state=0
    ... )
    >>> page = page_of_race(race.fit(*gaussian_mixture(3000, 0)))
    >>> [chart.title for chart in page.charts], len(page.comparisons[0].rows)
    (['The race'], 2)
    """
    race, measure = race_of(model), SHARE if is_classifier(model) else SCALED
    return Page(
        title,
        subtitle=type(model).__name__,
        summary=race_summary(race, measure),
        comparisons=[race_table(race, measure)],
        charts=[race_chart(race, measure)],
        how={"parameters": settings_text(model.get_params(deep=False))},
    )


def race_summary(race: Race, measure: Measure) -> list[Fact]:
    """Who leads, what it got, and how many are still in the race."""
    results = race["results"]
    racing = sum(status != "left" for status in results["status"])
    answered = race["curves"]["answer"]
    facts = [
        Fact("Leader", results["candidate"][0], with_unit(results["loss"][0], measure)),
        Fact("Still racing", plain(racing, 0), f"of {len(results['candidate'])} candidates"),
    ]
    if len(answered):
        facts.append(Fact("Answered lately", with_unit(answered[-1], measure), measure.name))
    return facts


def race_table(race: Race, measure: Measure) -> Comparison:
    """A row a candidate, the best first; below those that left, the reason."""
    results, unit = race["results"], f" ({measure.unit})" if measure.unit else ""
    rows = []
    for i, candidate in enumerate(results["candidate"]):
        figures = {f"lately{unit}": Figure(measure.factor * results["recent_loss"][i])}
        figures["rows learned"] = Figure(int(results["rows"][i]))
        if results["left_at"][i] is not None:
            figures["left at row"] = Figure(int(results["left_at"][i]))
        figures["share of the answer (%)"] = Figure(100.0 * results["share"][i])
        loss = measure.factor * results["loss"][i]
        row = ComparisonRow("", candidate, measure.name, measure.unit, loss, figures=figures)
        row.explanation = results["reason"][i]
        rows.append(row)
    better = {"ours": -1, f"lately{unit}": -1}
    return Comparison("Candidates", rows, "Losses before each update, the best first.", better)


def race_chart(race: Race, measure: Measure) -> Chart:
    """The curve of every candidate as long as it was in the race, and that of the answers."""
    curves, reasons = race["curves"], dict(zip(race["results"]["candidate"], why_left(race)))
    rows, loss = np.asarray(curves["rows"], float), np.asarray(curves["loss"], float)
    answered = measure.factor * np.asarray(curves["answer"], float)
    series = [Series(ANSWER, rows.tolist(), answered.tolist())]
    for place, candidate in enumerate(curves["candidates"]):
        column = measure.factor * loss[:, place]
        for part in stretches(np.isfinite(column)):
            gone = part.stop < len(rows)
            series.append(
                Series(
                    candidate,
                    rows[part].tolist(),
                    column[part].tolist(),
                    leads=leads(rows, curves["leader"], place, part),
                    ends=reasons[candidate] or "left" if gone else "",
                )
            )
    unit = f" ({measure.unit})" if measure.unit else ""
    return Chart(
        "The race", "instances", f"{measure.name} lately{unit}", False, series, "race", note=NOTE
    )


def why_left(race: Race) -> list[str]:
    """Of every candidate when it left and why, or nothing."""
    results = race["results"]
    return [
        f"left at row {plain(row, 0)}{f': {reason}' if reason else ''}" if row is not None else ""
        for row, reason in zip(results["left_at"], results["reason"])
    ]


def stretches(there: np.ndarray) -> list[slice]:
    """Where a curve has points: a candidate that left may come back.

    >>> stretches(np.array([True, True, False, True]))
    [slice(0, 2, None), slice(3, 4, None)]
    """
    found, start = [], 0
    for present, run in groupby(there.tolist()):
        stop = start + len(list(run))
        if present:
            found.append(slice(start, stop))
        start = stop
    return found


def leads(rows: np.ndarray, leader: Any, place: int, part: slice) -> list[tuple[float, float]]:
    """From where to where a candidate led, within one stretch of its curve."""
    steps = [(i, j) for i, j in pairwise(range(part.start, part.stop)) if leader[j] == place]
    joined: list[tuple[int, int]] = []
    for i, j in steps:
        if joined and joined[-1][1] == i:
            joined[-1] = (joined[-1][0], j)
        else:
            joined.append((i, j))
    return [(float(rows[i]), float(rows[j])) for i, j in joined]
