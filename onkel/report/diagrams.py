"""The report: ROC curves and reliability diagrams, of one run or of the mean of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from onkel.report.page import Chart, Series

Diagrams = Mapping[str, Mapping[str, Sequence[float]]]
#: Bins of probabilities, as onkel.evaluate has them.
BINS = 10


def diagram_charts(
    by_algorithm: Mapping[str, Sequence[Diagrams]], dataset: str = ""
) -> list[Chart]:
    """The charts of all algorithms on a data set, each with the diagrams of its repetitions."""
    rocs = [_roc(name, each) for name, each in by_algorithm.items()]
    reliabilities = [_reliability(name, each) for name, each in by_algorithm.items()]
    charts = []
    if any(rocs):
        series = [one for one in rocs if one] + [Series("chance", [0.0, 1.0], [0.0, 1.0])]
        charts.append(
            Chart("ROC", "false alarms", "hits", False, series, "roc", dataset, note=ROC_NOTE)
        )
    if any(reliabilities):
        series = [one for one in reliabilities if one] + [Series("ideal", [0.0, 1.0], [0.0, 1.0])]
        labels = "probability said", "share that happened"
        kind: Any = "reliability"
        charts.append(
            Chart("Reliability", *labels, False, series, kind, dataset, note=RELIABILITY_NOTE)
        )
    return charts


ROC_NOTE = (
    "The share of rows of the class that are scored above a threshold, against that of all other "
    "rows. Of more than two classes: the mean of each against the rest."
)
RELIABILITY_NOTE = (
    "Of two classes the second, of more the most likely one. A point for each tenth of the "
    "probabilities that has rows."
)


def _roc(name: str, repetitions: Sequence[Diagrams]) -> Series | None:
    """The mean of curves that were all told at the same shares of false alarms."""
    curves = [one["roc"] for one in repetitions if "roc" in one]
    if not curves:
        return None
    hits = np.mean([curve["hits"] for curve in curves], axis=0)
    # straight up from the corner to what is hit without a false alarm
    return Series(name, [0.0, *curves[0]["false_alarms"]], [0.0, *hits.tolist()])


def _reliability(name: str, repetitions: Sequence[Diagrams]) -> Series | None:
    """All rows of all repetitions in one diagram."""
    rows, said, happened = np.zeros((3, BINS))
    for one in repetitions:
        curve = one.get("reliability", {"said": [], "happened": [], "rows": []})
        counts = np.asarray(curve["rows"], float)
        places = np.minimum((BINS * np.asarray(curve["said"], float)).astype(int), BINS - 1)
        np.add.at(rows, places, counts)
        np.add.at(said, places, counts * curve["said"])
        np.add.at(happened, places, counts * curve["happened"])
    there = rows > 0
    if not there.any():
        return None
    shares = said[there] / rows[there], happened[there] / rows[there]
    return Series(name, *(share.tolist() for share in shares))
