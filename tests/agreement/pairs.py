"""Agreement room: pairs of a rule and a budget that no named learner has, both drawing at random."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from onkel import ComposedClassifier, ComposedRegressor
from onkel.budgets import (
    Boxes,
    DropRandom,
    DropRandomUnbiased,
    DropSmallest,
    ProjectSmallest,
    ProjectSmallestNearby,
    Sometimes,
    Spheres,
    merging,
)
from onkel.losses import EpsilonInsensitive, Hinge
from onkel.rules import SampledGradient, SampledPassiveAggressive
from tests.agreement.cases import Case
from tests.agreement.families import GAMMA, OUTPUTS, kernel_function
from tests.agreement.streams import (
    CHUNK_ENDS,
    ROW_BY_ROW,
    Snapshot,
    confidence_twin,
    draws_of,
    feed,
    shown_by_twin,
    stream,
)
from tests.reference import avm, bsgd, losses, victims
from tests.reference.base import Twin
from tests.reference.bsgd import JITTER
from tests.reference.sampled import OSKL, SPA


class Factor(NamedTuple):
    """A part, and the twins that say the same."""

    part: Any
    twins: tuple[type[Twin], ...]
    options: dict[str, Any]


RULES = {
    "SPA": Factor(
        SampledPassiveAggressive(0.5, 1.0, 1.5), (SPA,), {"step": 0.5, "alpha": 1.0, "beta": 1.5}
    ),
    "OSKL": Factor(SampledGradient(0.3, 1.4), (OSKL,), {"step": 0.3, "slope_bound": 1.4}),
}

SIZE, RATE = 8, 40.0
MAINTAINED = (bsgd.Sometimes, bsgd.Maintenance)
RARELY: dict[str, Any] = {"budget": SIZE, "maintenance_rate": RATE}
DIAMETER = 1.2
EXACT = (2.0, 0.5)  # rate and decay
CELLS: dict[str, Any] = {"diameter": DIAMETER, "exact_rate": EXACT[0], "exact_decay": EXACT[1]}
HALF_WIDTH = DIAMETER / (2.0 * np.sqrt(5.0))

BUDGETS = {
    "DropRandom": Factor(DropRandom(SIZE), (victims.RandomVictim,), {"budget": SIZE}),
    "DropRandomUnbiased": Factor(
        DropRandomUnbiased(SIZE, 1.5), (victims.RandomVictimUnbiased,), {"budget": SIZE}
    ),
    "Sometimes(DropRandom)": Factor(
        Sometimes(DropRandom(SIZE), RATE), (bsgd.Sometimes, victims.RandomVictim), RARELY
    ),
    "Sometimes(DropRandomUnbiased)": Factor(
        Sometimes(DropRandomUnbiased(SIZE, 1.5), RATE),
        (bsgd.Sometimes, victims.RandomVictimUnbiased),
        RARELY,
    ),
    "Sometimes(DropSmallest)": Factor(Sometimes(DropSmallest(SIZE), RATE), MAINTAINED, RARELY),
    "Sometimes(ProjectSmallest)": Factor(
        Sometimes(ProjectSmallest(SIZE, JITTER), RATE),
        MAINTAINED,
        {**RARELY, "maintenance": "projection"},
    ),
    "Sometimes(ProjectSmallestNearby)": Factor(
        Sometimes(ProjectSmallestNearby(SIZE, 3, JITTER), RATE),
        MAINTAINED,
        {**RARELY, "maintenance": "projection", "neighbors": 3},
    ),
    "Sometimes(Merge)": Factor(
        Sometimes(merging(SIZE), RATE),
        MAINTAINED,
        {**RARELY, "maintenance": "merging", "gamma": GAMMA},
    ),
    "Spheres": Factor(Spheres(DIAMETER / 2, 0, False, *EXACT), (avm.Cells,), CELLS),
    "Boxes": Factor(Boxes(HALF_WIDTH, 0, False, *EXACT), (avm.Cells,), {**CELLS, "cells": "box"}),
}  # fmt: skip


class Pair(NamedTuple):
    """A rule and a budget, on one task."""

    rule: str
    budget: str
    task: str
    average: bool | float = False

    @property
    def intercept(self) -> bool:
        return bool(self.average)

    @property
    def name(self) -> str:
        return f"{self.rule} x {self.budget}, {self.task}" + ", average" * bool(self.average)

    @property
    def case(self) -> Case:
        """As the helpers of the table of learners ask for it."""
        return Case("pair", self.task, {})


#: All budgets under one rule; of the other rule one pair for each lane that a budget draws from.
ONE_A_LANE = ("DropRandom", "Sometimes(DropSmallest)", "Sometimes(Merge)", "Spheres")
PAIRS = [
    *[Pair("SPA", budget, "binary") for budget in BUDGETS],
    *[Pair("OSKL", budget, "binary") for budget in ONE_A_LANE],
    Pair("SPA", "Sometimes(Merge)", "multiclass", average=0.5),
    Pair("OSKL", "Sometimes(ProjectSmallest)", "multiclass", average=True),
    Pair("SPA", "DropRandomUnbiased", "regression", average=True),
    Pair("OSKL", "Spheres", "regression"),
]


def composed(pair: Pair) -> Any:
    """The estimator of a pair."""
    make, loss = ComposedClassifier, Hinge()
    if pair.task == "regression":
        make, loss = ComposedRegressor, EpsilonInsensitive(0.1)
    parts = {"loss": loss, "rule": RULES[pair.rule].part, "budget": BUDGETS[pair.budget].part}
    more = {"scale_targets": False} if pair.task == "regression" else {}
    shared = {"average": pair.average, "intercept": pair.intercept, "gamma": GAMMA}
    return make(random_state=1, **parts, **shared, **more)


def twin_of(pair: Pair) -> Twin:
    """The budget's twin over the rule's: the last of the budget's asks the rule for nothing more."""
    rule, budget = RULES[pair.rule], BUDGETS[pair.budget]
    kind: Any = type("PairTwin", budget.twins + rule.twins, {"largest": 1.5})
    regression = pair.task == "regression"
    loss = losses.epsilon_insensitive(0.1) if regression else losses.hinge()
    shared = {"average": pair.average, "intercept": pair.intercept}
    options = {**rule.options, **budget.options, **shared}
    return kind(pair.task, OUTPUTS[pair.task], kernel_function("rbf", {}), loss, **options)


@cache
def pair_history(pair: Pair) -> dict[int, Snapshot]:
    """What the twin knows after so many rows of its stream."""
    data, fast = stream(pair.task, "narrow"), composed(pair)
    feed(pair.case, fast, 0, 1, as_csr=False)
    draws, slow = draws_of(fast), twin_of(pair)
    told, sure = {}, confidence_twin(pair.case, fast)
    for row, (x, y) in enumerate(zip(data.X, data.y, strict=True), start=1):
        slow.learn(x, y, draws[slow.t])
        sure.learn(slow.record[-1][0], y)
        if row <= ROW_BY_ROW or row in CHUNK_ENDS:
            told[row] = shown_by_twin(pair.case, slow, sure, data.probes)
    return told
