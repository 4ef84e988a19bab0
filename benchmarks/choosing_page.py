"""The table of ``docs/choosing.md``, made from the lines of ``docs/choosing.csv``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

Line = Mapping[str, str]
BEGIN, END = "<!-- table: python -m benchmarks choosing -->", "<!-- end of the table -->"
HEADS = {"Classifier": "accuracy, %", "Regressor": "R² x 100"}


def written_page(path: Path, lines: list[Line]) -> None:
    """The page with its table made anew; what stands around the table stays."""
    before, rest = path.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    path.write_text(f"{before}{BEGIN}\n{table(lines)}\n{END}{after}", encoding="utf-8")


def table(lines: list[Line]) -> str:
    """A row a set, a column a learner, the best in the mean first; classes, then numbers."""
    tasks = {task: [line for line in lines if line["task"] == task] for task in HEADS}
    return "\n\n".join(one_task(mine, HEADS[task]) for task, mine in tasks.items() if mine)


def one_task(lines: list[Line], head: str) -> str:
    learners = sorted(
        {line["learner"] for line in lines}, key=lambda name: -mean_score(lines, name)
    )
    cells = {(line["set"], line["learner"]): line for line in lines}
    sets = sorted({line["set"] for line in lines}, key=str.lower)
    titles = [f"{head}<br>seconds<br>kB", *learners]
    rows = [titles, ["---"] + ["--:"] * len(learners)]
    for name in sets:
        row = [cells.get((name, learner)) for learner in learners]
        known = [float(line["score"]) for line in row if line]
        first = next(line for line in row if line)
        text = f"{name}<br>{int(first['rows']):,} x {first['features']}"
        rows.append([text, *(cell(line, max(known)) for line in row)])
    rows.append(["**mean, sum, median**", *(summed(lines, learner, sets) for learner in learners)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def cell(line: Line | None, best: float) -> str:
    if line is None:
        return ""
    score = f"{100 * float(line['score']):.1f}"
    if float(line["score"]) >= best:
        score = f"**{score}**"
    return f"{score}<br>{shown(float(line['seconds']))}<br>{int(line['kilobytes']):,}"


def summed(lines: list[Line], learner: str, sets: list[str]) -> str:
    """Mean score, seconds in all, median size; nothing of a learner that was not on all sets."""
    mine = [line for line in lines if line["learner"] == learner]
    if len(mine) < len(sets):
        return ""
    mean = mean_score(lines, learner)
    seconds = sum(float(line["seconds"]) for line in mine)
    size = np.median([int(line["kilobytes"]) for line in mine])
    return f"**{100 * mean:.1f}**<br>{shown(seconds)}<br>{size:,.0f}"


def mean_score(lines: list[Line], learner: str) -> float:
    return float(np.mean([float(line["score"]) for line in lines if line["learner"] == learner]))


def shown(seconds: float) -> str:
    return f"{seconds:.2f}" if seconds < 10 else f"{seconds:.0f}"
