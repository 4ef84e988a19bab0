"""A race that finds its own settings, as it comes, in one pass, against support vector machines searched over a grid.

Sets of at least 2,000 rows, standardised. What scikit-learn and river got is in the files of ``results/``: they take
many minutes and do not change (``--all`` measures them again). Seconds are of the processor. The defaults of the race
were chosen by the sets marked *; the others were kept aside.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

import onkel
from benchmarks.baselines import baseline, journal
from benchmarks.data import (
    CHOSEN_ON,
    CLASSES,
    NUMBERS,
    Split,
    present,
    standardised,
    standardised_numbers,
)
from benchmarks.race_cost import cost_elsewhere, cost_of_many
from benchmarks.report import Options, Report
from benchmarks.selection import beside_river
from benchmarks.timing import seconds_of

TITLE = "The race: no setting chosen, against SVC(), grid searches and river's selection of models"
SMALL = ("german",)  # fewer than 2,000 rows
SETS = tuple(name for name in CLASSES if name not in SMALL)
MOST_ROWS, MOST_TEST = 20_000, 5000
#: As many rows as a grid search gets: more take it hours.
GRID_ROWS, SVR_GRID_ROWS = 5000, 2000


class Outcome(NamedTuple):
    """What a learner got on the rows that were kept out."""

    points: float  # accuracy or R², of 100
    seconds: float  # of the processor, to learn


Table = dict[str, tuple[Outcome, Outcome]]  # set → scikit-learn's, the race's


def run(report: Report, options: Options) -> None:
    beside_svc(report, options)
    beside_grid(report, options)
    beside_svr(report, options)
    beside_candidates(report, options)
    cost_of_many(report, options)
    cost_elsewhere(report, options)
    beside_river(report, options)


def rows_of(most: int, options: Options) -> int:
    return min(most, options.rows or most)


def raced(model: Any, split: Split) -> Outcome:
    """The better of two times, unless one is long: the first fit may compile."""
    fit = partial(model.fit, split.X, split.y)
    seconds = seconds_of(fit, time.process_time)
    if seconds < 30.0:
        seconds = min(seconds, seconds_of(fit, time.process_time))
    return Outcome(100.0 * float(model.score(split.X_test, split.y_test)), seconds)


def compared(report: Report, options: Options, svm: str, most: int) -> Table:
    """A line a set: a support vector machine and a race on the same rows."""
    classes, kept, table = svm.startswith("SVC"), journal(options), {}
    report.say(f"{'':<16}{'rows':>7}{svm:>12}{'s':>9}{'race':>9}{'s':>8}   above  leader")
    for name in present(SETS if classes else NUMBERS, options.sets):
        if classes:
            split, model = standardised(name, most, MOST_TEST), onkel.RaceClassifier(random_state=0)
        else:
            split, model = standardised_numbers(name, most), onkel.RaceRegressor(random_state=0)
        theirs = baseline(svm, name, split, kept)
        table[name] = Outcome(100.0 * theirs.score, theirs.seconds), raced(model, split)
        (points, seconds), ours = table[name]
        report.say(
            f"{marked(name):<16}{len(split.y):>7}{points:>12.2f}{seconds:>9.2f}{ours.points:>9.2f}"
            f"{ours.seconds:>8.2f}{ours.points - points:>+8.2f}  {leader_of(model)}"
        )
    return table


def marked(name: str) -> str:
    return f"{name}*" if name in CHOSEN_ON else name


def leader_of(model: Any) -> str:
    """Who leads, and of how many that are still in the race."""
    return f"{model.results_['candidate'][0]} ({model.n_racing_} of {len(model.results_['rank'])} left)"


def above(table: Table) -> dict[str, float]:
    return {name: ours.points - theirs.points for name, (theirs, ours) in table.items()}


def say_kept_aside(report: Report, points: dict[str, float], what: str) -> None:
    """The mean over the sets by which nothing was chosen, beside that of the others."""
    aside = [value for name, value in points.items() if name not in CHOSEN_ON]
    chosen = [value for name, value in points.items() if name in CHOSEN_ON]
    if aside and chosen:
        report.say(
            f"{what}: {np.mean(aside):+.2f} on the {len(aside)} sets kept aside, "
            f"{np.mean(chosen):+.2f} on the {len(chosen)} that defaults were chosen on"
        )


def beside_svc(report: Report, options: Options) -> None:
    points = above(compared(report, options, "SVC", rows_of(MOST_ROWS, options)))
    report.bar("race: mean points above SVC()", float(np.mean(list(points.values()))), at_least=0.5)
    say_kept_aside(report, points, "above SVC()")


def beside_grid(report: Report, options: Options) -> None:
    table = compared(report, options, "SVC, grid", rows_of(GRID_ROWS, options))
    points = above(table)
    worst = min(points, key=lambda name: points[name])
    share = sum(o.seconds for _, o in table.values()) / sum(t.seconds for t, _ in table.values())
    mean = float(np.mean(list(points.values())))
    report.bar("race: mean points above the grid search of SVC", mean, at_least=-0.5)
    say_kept_aside(report, points, "above the grid search")
    report.bar(f"race: worst against the grid search ({worst})", points[worst], at_least=-2.0)
    report.bar("race: share of the grid search's time, in the sum", share, at_most=1 / 20)


def beside_svr(report: Report, options: Options) -> None:
    points = above(compared(report, options, "SVR, grid", rows_of(SVR_GRID_ROWS, options)))
    mean = float(np.mean(list(points.values())))
    report.bar("race: mean of R² x 100 above the grid search of SVR", mean, at_least=-1.0)
    say_kept_aside(report, points, "R² x 100 above the grid search")


def beside_candidates(report: Report, options: Options) -> None:
    """Every candidate alone to the end: the best of them by hindsight, on the rows that were kept out."""
    most, points = rows_of(GRID_ROWS, options), {}
    report.say(f"{'':<16}{'rows':>7}{'race':>9}{'best alone':>12}   above  which")
    for name in present(SETS, options.sets):
        split = standardised(name, most, MOST_TEST)
        race = onkel.RaceClassifier(random_state=0).fit(split.X, split.y)
        ours = 100.0 * race.score(split.X_test, split.y_test)
        alone = {
            label: 100.0 * alone_to_the_end(candidate, split)
            for label, candidate in zip(race.curves_["candidates"], race.candidates_)
        }
        best = max(alone, key=lambda label: alone[label])
        points[name] = ours - alone[best]
        report.say(
            f"{marked(name):<16}{len(split.y):>7}{ours:>9.2f}{alone[best]:>12.2f}"
            f"{points[name]:>+8.2f}  {best}"
        )
    mean = float(np.mean(list(points.values())))
    report.bar("race: mean points above the best candidate alone", mean, at_least=-0.3)
    say_kept_aside(report, points, "above the best candidate alone")


def alone_to_the_end(candidate: Any, split: Split) -> float:
    model = clone(candidate).set_params(random_state=0)
    return float(model.fit(split.X, split.y).score(split.X_test, split.y_test))
