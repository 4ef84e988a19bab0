"""Fidelity: the papers' figures beside ours, each a percentage of errors or the size of a model.

A figure agrees when it lies within three of the paper's standard deviations or within 10 % of the
paper's value. One that does not carries `found`, what we get instead; the reason stands beside it
in the test. Such a figure must stay within 10 % of `found` and go on to disagree with the paper: a
note that has become wrong fails as well. The tests set every parameter that matters, so that a
change of the defaults does not touch them. `pytest -s` shows the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from onkel.reproduce.engine import rules_of_the_papers

RELATIVE = 0.10


class Figure(NamedTuple):
    """One figure of a paper's table, and ours."""

    name: str
    ours: float
    paper: float
    deviation: float = 0.0  # the paper's, over its repetitions
    found: float | None = None  # what we get where the paper's figure can't be matched

    def verdict(self) -> str:
        gap = abs(self.ours - self.paper)
        if gap <= 3 * self.deviation:
            return "3 std"
        return "10 %" if gap <= RELATIVE * self.paper else "differs"

    def is_as_claimed(self) -> bool:
        if self.found is None:
            return self.verdict() != "differs"
        close = abs(self.ours - self.found) <= RELATIVE * self.found
        return close and self.verdict() == "differs"


def compare(title: str, figures: Iterable[Figure]) -> None:
    """Print the table, and assert every figure of it."""
    figures = list(figures)
    lines = [f"\n{title}", f"{'':24}{'ours':>9}{'paper':>9}{'std':>7}  within"]
    lines += [
        f"{f.name:24}{f.ours:9.2f}{f.paper:9.2f}{f.deviation:7.2f}  {f.verdict()}" for f in figures
    ]
    print("\n".join(lines))
    wrong = [f.name for f in figures if not f.is_as_claimed()]
    assert not wrong, "\n".join([*lines, f"not as claimed: {', '.join(wrong)}"])


def online(
    learner: Callable[..., Any], X: Any, y: Any, runs: int = 3, **settings: Any
) -> tuple[float, float]:
    """Percent of mistakes in one pass, and the model's size: means over orders of the rows."""
    found = []
    for seed in range(runs):
        order = np.random.default_rng(seed).permutation(len(y))
        model = learner(random_state=seed, **(rules_of_the_papers(learner.__name__) | settings))
        model.partial_fit(X[order], y[order], classes=np.unique(y))
        found.append((100 * model.progress_.mistake_rate, getattr(model, "n_support_", 0)))
    mistakes, size = np.mean(found, axis=0)
    return float(mistakes), float(size)
