"""Reproduction: ours against theirs, figure by figure.

What is compared is always an error: of accuracies the mistakes, because 10 % of an accuracy would
pass almost anything. A printed value is known to half a unit of its last digit only, so a gap of
that size is none. A figure agrees within three of the paper's standard deviations ("std") or,
failing that, within 10 % of the paper's error ("percent").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from onkel.reproduce.papers import Printed

DEVIATIONS = 3.0
SHARE = 0.10

#: Metric as the papers print it → (metric of onkel.evaluate, factor, whether it is an accuracy).
METRICS = {
    "mistake_percent": ("mistake_rate", 100.0, False),
    "accuracy_percent": ("accuracy", 100.0, True),
    "accuracy_fraction": ("accuracy", 1.0, True),
    "squared_loss": ("squared_error", 1.0, False),
    "rmse": ("rmse", 1.0, False),
}
UNITS = {"mistake_percent": "%", "accuracy_percent": "%"}
#: "run": nothing was compared, because there is no printed value, or too little was run.
VERDICTS = ("std", "percent", "differs", "absent", "failed", "run")


@dataclass
class Row:
    """One figure of a paper, and ours; `None` where there is none."""

    dataset: str
    algorithm: str
    metric: str
    verdict: str
    theirs: float
    theirs_std: float | None
    ours: float | None = None
    ours_std: float | None = None
    difference_std: float | None = None
    difference_percent: float | None = None
    runs: int = 0
    runs_of_paper: int | None = None
    theirs_seconds: float | None = None
    ours_seconds: float | None = None
    theirs_size: float | None = None
    ours_size: float | None = None
    rows: int | None = None
    learner: str = ""
    setting: str = ""
    note: str = ""
    explanation: str = ""


def error_of(value: float, metric: str) -> float:
    """The error that a printed value stands for.

    >>> error_of(84.0, "accuracy_percent"), error_of(16.0, "mistake_percent")
    (16.0, 16.0)
    """
    _, factor, is_accuracy = METRICS[metric]
    return factor - value if is_accuracy else value


def verdict_on(ours: float, figure: Printed) -> str:
    """How the value `ours`, in the unit of the paper, agrees with the paper's."""
    theirs = error_of(figure.value, figure.metric)
    slack = 0.5 * 10.0**-figure.decimals
    # 1e-9 of the value: 0.3 - 0.2 is a little more than 0.1
    gap = abs(error_of(ours, figure.metric) - theirs) - slack - 1e-9 * abs(figure.value)
    if figure.std is not None and gap <= DEVIATIONS * figure.std:
        return "std"
    return "percent" if gap <= SHARE * theirs else "differs"


def differences(ours: float, figure: Printed) -> tuple[float | None, float | None]:
    """Our error less theirs, in units of their deviation and in per cent of their error."""
    theirs = error_of(figure.value, figure.metric)
    gap = error_of(ours, figure.metric) - theirs
    in_std = gap / figure.std if figure.std else None
    return in_std, 100 * gap / theirs if theirs > 0 else None


def compared(figure: Printed, summary: dict[str, tuple[float, float | None]], **about: Any) -> Row:
    """The row of a figure for which there are runs; `summary`: metric → (mean, deviation)."""
    name, factor, _ = METRICS[figure.metric]
    mean, std = summary[name]
    ours = factor * mean
    in_std, in_percent = differences(ours, figure)
    size = summary.get("size")
    return Row(
        **_theirs(figure),
        verdict=verdict_on(ours, figure),
        ours=ours,
        ours_std=None if std is None else factor * std,
        difference_std=in_std,
        difference_percent=in_percent,
        ours_seconds=summary["seconds"][0],
        ours_size=size[0] if size else None,
        **about,
    )


def without_runs(figure: Printed, verdict: str, explanation: str, **about: Any) -> Row:
    """The row of a figure that could not be run: its data are absent, or every run failed."""
    return Row(**_theirs(figure), verdict=verdict, explanation=explanation, **about)


def _theirs(figure: Printed) -> dict[str, Any]:
    return {
        "dataset": figure.dataset,
        "algorithm": figure.algorithm,
        "metric": figure.metric,
        "theirs": figure.value,
        "theirs_std": figure.std,
        "theirs_seconds": figure.seconds,
        "theirs_size": figure.model_size,
    }
