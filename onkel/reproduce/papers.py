"""Reproduction: the figures that the papers print, as data.

`papers.csv` lists what stands in the papers' tables, row by row as printed: value and deviation,
seconds of the paper's machine, model size, and the setting as far as the table states it. It was
copied from the papers named in `PAPERS`; nothing in it is ours.
"""

from __future__ import annotations

import csv
import functools
from importlib import resources
from typing import NamedTuple

#: The papers, by the short name that the command line takes.
PAPERS = {
    "lu2016_fogd_nogd": "Lu, Hoi, Wang, Zhao, Liu: Large scale online kernel learning. "
    "JMLR 17, 2016 (LSOKL)",
    "lu2016_spa": "Lu, Zhao, Hoi: Online sparse passive aggressive learning with kernels. SDM 2016 (SPA)",
    "le2017_avm": "Le, Nguyen, Nguyen, Phung: Approximation vector machines for large-scale online "
    "learning. JMLR 18, 2017 (AVM)",
    "le2016_nbsgd": "Le, Nguyen, Nguyen, Phung: Nonparametric budgeted stochastic gradient descent. "
    "AISTATS 2016 (NBSGD)",
    "tan2019_csvrg": "Tan, Zhang, Wang: Coreset stochastic variance-reduced gradient with "
    "application to optimal margin distribution machine. AAAI 2019 (CSVRG)",
}


class Printed(NamedTuple):
    """One figure of a paper's table."""

    paper: str
    table: int
    mode: str
    task: str
    dataset: str
    algorithm: str
    metric: str
    value: float
    decimals: int  # printed after the point: the value is known to half a unit of the last one
    std: float | None
    seconds: float | None
    model_size: float | None
    note: str


@functools.cache
def printed() -> tuple[Printed, ...]:
    """All figures of papers.csv, in its order.

    >>> len(printed())
    654
    """
    file = resources.files("onkel.reproduce").joinpath("papers.csv")
    lines = file.read_text(encoding="utf-8").splitlines()
    return tuple(_parsed(row) for row in csv.DictReader(lines))


def figures_of(paper: str, table: int) -> list[Printed]:
    """The figures of one table.

    >>> {figure.dataset for figure in figures_of("le2016_nbsgd", 3)} == {"a9a", "dna", "ijcnn1"}
    True
    """
    return [figure for figure in printed() if (figure.paper, figure.table) == (paper, table)]


def _parsed(row: dict[str, str]) -> Printed:
    def number(text: str) -> float | None:
        return float(text) if text else None

    return Printed(
        paper=row["paper"],
        table=int(row["table"]),
        mode=row["mode"],
        task=row["task"],
        dataset=row["dataset"],
        algorithm=row["algorithm"],
        metric=row["metric"],
        value=float(row["value"]),
        decimals=len(row["value"].partition(".")[2]),
        std=number(row["std"]),
        seconds=number(row["seconds"]),
        model_size=number(row["model_size"]),
        note=row["note"],
    )
