"""Defaults that work: default-constructed learners, against scikit-learn's SVC.

CSVRG learns the batch, the others in one pass.

Every classification set, standardised. The times of SVC may come from an earlier run (marked *).
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import onkel
from benchmarks.data import CLASSES, AbsentError, Split, standardised
from benchmarks.report import Options, Report
from benchmarks.svc import Result, svc_result
from benchmarks.timing import seconds_of
from onkel.datasets import available

TITLE = "Defaults that work: default parameters (one pass; CSVRG a batch), against SVC()"
MOST_ROWS = 20_000
LONG = 1.0  # seconds of SVC from which on its time is to be undercut
SMALL_FRACTION = 0.1


class Allowed(NamedTuple):
    """Differences to SVC, in points of accuracy, and the share of its time where that is long."""

    mean: float
    worst: float = 12.0
    share: float | None = SMALL_FRACTION  # None: of a batch learner it is told, not judged


ALLOWED = {
    "AVM": Allowed(3.0),
    "FOGD": Allowed(3.0),
    "NOGD": Allowed(3.0),
    "BSGD-merging": Allowed(5.0),
    "CSVRG": Allowed(0.5, worst=2.0, share=None),
}

Ours = dict[str, tuple[float, float]]  # learner → accuracy, seconds
Table = dict[str, tuple[Result, Ours]]


def learners() -> dict[str, Any]:
    """Newly made, with nothing chosen but the seed."""
    return {
        "AVM": onkel.AVMClassifier(random_state=0),
        "FOGD": onkel.FOGDClassifier(random_state=0),
        "NOGD": onkel.NOGDClassifier(random_state=0),
        "BSGD-merging": onkel.BSGDClassifier(maintenance="merging", random_state=0),
        "CSVRG": onkel.CSVRGClassifier(random_state=0),
    }


def run(report: Report, options: Options) -> None:
    wanted = options.sets or CLASSES
    names = [name for name in wanted if name in available()]
    if len(names) < len(wanted):
        report.say(f"absent: {', '.join(name for name in wanted if name not in names)}")
    if not names:
        raise AbsentError("no classification set is present (ONKEL_DATA names their folder)")
    most = min(MOST_ROWS, options.rows or MOST_ROWS)
    report.say(
        "% accuracy, points above SVC, processor seconds to fit; *: SVC was measured earlier"
    )
    heads = "".join(f"{name:>24}" for name in ALLOWED)
    report.say(f"{'':<14}{'rows':>7}{'SVC':>16}{heads}")
    table: Table = {}
    for name in names:
        split = standardised(name, most, most)
        table[name] = svc_result(name, split), judged(split)
        report.say(line(name, len(split.y), *table[name]))
    summary(report, table)


def judged(split: Split) -> Ours:
    """Accuracy, and seconds of a fit, of every learner.

    The fit before the one that is timed compiles; on fewer rows NOGD might not get to its map.
    """
    results = {}
    for name, model in learners().items():
        fit = partial(model.fit, split.X, split.y)
        fit()
        seconds = seconds_of(fit, time.process_time)
        results[name] = float(model.score(split.X_test, split.y_test)), seconds
    return results


def line(name: str, rows: int, svc: Result, ours: Ours) -> str:
    mark = "*" if svc.cached else " "
    text = f"{name:<14}{rows:>7}{100 * svc.accuracy:>7.2f}{svc.seconds:>7.2f}s{mark}"
    for accuracy, seconds in ours.values():
        points = 100 * (accuracy - svc.accuracy)
        text += f"{100 * accuracy:>9.2f} {points:+6.2f}{seconds:>7.3f}s"
    return text


def summary(report: Report, table: Table) -> None:
    """Mean and worst difference, and the largest share of the time of a slow SVC."""
    for learner, allowed in ALLOWED.items():
        points = {
            name: 100 * (ours[learner][0] - svc.accuracy) for name, (svc, ours) in table.items()
        }
        worst = min(points, key=lambda name: points[name])
        shares = {
            name: ours[learner][1] / svc.seconds
            for name, (svc, ours) in table.items()
            if svc.seconds > LONG
        }
        mean = float(np.mean(list(points.values())))
        report.bar(f"{learner}: mean points against SVC", mean, at_least=-allowed.mean)
        report.bar(f"{learner}: worst ({worst})", points[worst], at_least=-allowed.worst)
        if not shares:
            continue
        slowest = max(shares, key=lambda name: shares[name])
        what = f"{learner}: largest share of SVC's time ({slowest})"
        if allowed.share is None:
            report.say(
                f"{what}: {shares[slowest]:.2f}, median {np.median(list(shares.values())):.2f}"
            )
        else:
            report.bar(what, shares[slowest], at_most=allowed.share)
