"""Agreement room: models of shards, merged, equal their twins, merged; and so they go on."""

import copy
from typing import Any

import numpy as np
import pytest

from tests.agreement.cases import CASES, Case
from tests.agreement.streams import (
    confidence_twin,
    difference,
    draws_of,
    estimator,
    feed,
    shown,
    shown_by_twin,
    stream,
    twin,
)
from tests.reference.shards import joined, merged

#: The rows of each shard, and those that are learned afterwards.
SHARDS = ((0, 110), (110, 150), (150, 270))
AFTER = (270, 290)
#: Rows that landmarks are settled from.
SAMPLE = 120
FAMILIES = ("FOGD", "NOGD", "AVM", "SPA", "SPAOneClass")
LEAVE_OUT = ("half_life", "class_weight")


def is_wanted(case: Case) -> bool:
    forgets = any(name in case.settings for name in LEAVE_OUT)
    return case.family in FAMILIES and not forgets and case.data != "many"


MERGED = [case for case in CASES if is_wanted(case)]
ROUNDS = [case for case in MERGED if case.family in ("FOGD", "NOGD")]


class Pair:
    """A learner and its twin, with that of its confidence, at the same beginning as others."""

    def __init__(self, case: Case) -> None:
        self.case, self.as_csr = case, case.data == "wide"
        self.fast = estimator(case)
        feed(case, self.fast, 0, 1, self.as_csr)
        self.slow, self.sure = twin(case, self.fast), confidence_twin(case, self.fast)
        self.draws = draws_of(self.fast)
        self.fast = estimator(case)
        if case.family == "NOGD":
            self.settle()

    def settle(self) -> None:
        """Landmarks are the first vectors of a sample; nothing else is kept of it."""
        data = stream(self.case.task, self.case.data)
        trial = Trial(self.case, self.as_csr)
        trial.settle(self.fast)
        blank: Any = copy.deepcopy(self.slow)
        for x, y in zip(data.X[:SAMPLE], data.y[:SAMPLE]):
            if self.slow.weights is None:
                self.slow.learn(x, y, self.draws[self.slow.t])
        assert self.slow.weights is not None
        term = self.slow.weights
        term.value[...] = 0.0
        for sums in term.sums:
            sums[...] = 0.0
        blank.weights, blank.to_features, blank.slots = term, self.slow.to_features, self.slow.slots
        self.slow = blank

    def learn(self, first: int, stop: int) -> None:
        data = stream(self.case.task, self.case.data)
        feed(self.case, self.fast, first, stop, self.as_csr)
        weights = data.weights if self.case.weighted else np.ones(len(data.y))
        for row in range(first, stop):
            if weights[row] > 0.0:
                at = self.draws[self.slow.t % len(self.draws)]  # rounds go on beyond
                self.slow.learn(data.X[row], data.y[row], at, weights[row])
                self.sure.learn(self.slow.record[-1][0], data.y[row], weights[row])

    def check(self, when: str) -> None:
        probes = stream(self.case.task, self.case.data).probes
        expected = shown_by_twin(self.case, self.slow, self.sure, probes)
        if self.case.task == "one class":  # a sample of the scores tells the offset
            expected = expected._replace(offset=self.fast.offset_)
        found = difference(self.case, shown(self.case, self.fast, self.as_csr), expected)
        assert not found, f"{when}: {found}"
        assert self.fast.t_ == self.slow.t

    def merge(self, others: list["Pair"], common: "Pair | None" = None) -> None:
        before = None if common is None else common.fast
        self.fast.merge(*(other.fast for other in others), common=before)
        every = [self, *others]
        self.slow = merged([one.slow for one in every], None if common is None else common.slow)
        self.sure = joined([one.sure for one in every], None if common is None else common.sure)


class Trial:
    """Rows as a learner is given them."""

    def __init__(self, case: Case, as_csr: bool) -> None:
        self.case, self.as_csr = case, as_csr

    def settle(self, fast: Any) -> None:
        from scipy import sparse

        data = stream(self.case.task, self.case.data)
        X: Any = sparse.csr_matrix(data.X[:SAMPLE]) if self.as_csr else data.X[:SAMPLE]
        more = {} if self.case.task == "regression" else {"classes": np.unique(data.y)}
        fast.settle(X, data.y[:SAMPLE], **more)


@pytest.mark.parametrize("case", MERGED, ids=lambda case: case.name)
def test_merged_equals_the_merged_twin_and_goes_on_so(case: Case) -> None:
    pairs = [Pair(case) for _ in SHARDS]
    for pair, rows in zip(pairs, SHARDS):
        pair.learn(*rows)
        pair.check("before")
    first, *others = pairs
    first.merge(others)
    first.check("merged")
    for other in others:
        other.check("the others stay")
    for row in range(*AFTER):
        first.learn(row, row + 1)
        first.check(f"after row {row}")


@pytest.mark.parametrize("case", ROUNDS, ids=lambda case: case.name)
def test_rounds_from_a_common_model_equal_those_of_the_twin(case: Case) -> None:
    common = Pair(case)
    common.learn(0, 40)
    for round_number in range(3):
        shards = [copy.deepcopy(common) for _ in SHARDS]
        for shard, rows in zip(shards, SHARDS):
            shard.learn(*rows)
        shards[0].merge(shards[1:], common)
        common = shards[0]
        common.check(f"round {round_number}")
        assert common.fast.progress_.seen == common.slow.t
