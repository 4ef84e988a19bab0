"""The report: what a page holds. Plain data, no HTML; every text may be any string, it is escaped on writing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

Agreement = Literal["std", "percent", "differs", "absent", "failed"]
ChartKind = Literal[
    "convergence",
    "time",
    "rate_against_time",
    "size",
    "study",
    "metric",
    "roc",
    "reliability",
    "race",
]


@dataclass
class Fact:
    """One figure of the summary at the top of the page."""

    label: str
    value: str
    note: str = ""


@dataclass
class Figure:
    """A value, and its standard deviation where there is one; an `int` is a count, shown without decimals."""

    value: float
    std: float | None = None


@dataclass
class ComparisonRow:
    """One figure of ours beside one of theirs. What is unknown is None; a column of Nones is left out.

    `agrees` is "std" (within 3 of their standard deviations), "percent" (within 10 %), "differs", "absent"
    (there is no figure of ours, for want of data), "failed" (every run of ours ended in an error), or None
    when there is nothing to compare with. `figures` are further metrics, by the heading of their column.
    """

    dataset: str
    algorithm: str
    metric: str
    unit: str = ""
    ours: float | None = None
    ours_std: float | None = None
    theirs: float | None = None
    theirs_std: float | None = None
    difference_percent: float | None = None
    difference_std: float | None = None
    agrees: Agreement | None = None
    ours_seconds: float | None = None
    theirs_seconds: float | None = None
    ours_size: float | None = None
    theirs_size: float | None = None
    explanation: str = ""
    figures: dict[str, Figure] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.agrees is not None and self.agrees not in get_args(Agreement):
            allowed = ", ".join(map(repr, get_args(Agreement)))
            raise ValueError(
                f"agrees={self.agrees!r} of {self.algorithm} on {self.dataset}: use {allowed} or None"
            )


@dataclass
class Comparison:
    """A table of the page.

    `better` says of columns, by field or by heading of a figure, what is better there: 1 for higher, -1 for
    lower values. The best of each data set is marked.
    """

    title: str
    rows: list[ComparisonRow] = field(default_factory=list)
    note: str = ""
    better: dict[str, int] = field(default_factory=dict)


@dataclass
class Series:
    """A curve. The label is the algorithm: it has one colour, one dash and one switch on the whole page.

    `band` is the half-width of a band around `y`, e.g. the standard deviation. `drifts` are the places on the x-axis
    where a fresh learner took over. `leads` are stretches of the x-axis over which it was the first, drawn thick;
    `ends` says why it ends before the others, and a cross marks its last point.
    """

    label: str
    x: Sequence[float]
    y: Sequence[float]
    band: Sequence[float] | None = None
    drifts: Sequence[float] = ()
    leads: Sequence[tuple[float, float]] = ()
    ends: str = ""

    def __post_init__(self) -> None:
        lengths = {"x": len(self.x), "y": len(self.y)}
        if self.band is not None:
            lengths["band"] = len(self.band)
        if len(set(lengths.values())) > 1:
            told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
            raise ValueError(f"series {self.label!r} needs equally many values: {told}")


@dataclass
class Chart:
    """Curves over one pair of axes. Charts of the same `dataset` stand together and can be picked together."""

    title: str
    x_label: str
    y_label: str
    x_log: bool = False
    series: list[Series] = field(default_factory=list)
    kind: ChartKind = "convergence"
    dataset: str = ""
    y_log: bool = False
    note: str = ""


@dataclass
class Size:
    """How large the model of an algorithm became: support vectors, or features of an explicit map."""

    dataset: str
    algorithm: str
    size: float
    note: str = ""


@dataclass
class Page:
    """Everything on one page, in the order it is shown.

    >>> row = ComparisonRow("a9a", "FOGD", "mistakes", "%", ours=16.9, theirs=16.6, theirs_std=0.1, agrees="std")
    >>> page = Page("Table 5", comparisons=[Comparison("Online, binary", [row])])
    >>> page.comparisons[0].rows[0].algorithm
    'FOGD'
    """

    title: str
    subtitle: str = ""
    summary: list[Fact] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    sizes: list[Size] = field(default_factory=list)
    how: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
