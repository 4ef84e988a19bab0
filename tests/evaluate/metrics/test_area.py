"""ROC AUC of more rows than are kept: within the bound that it tells, whatever the order."""

import numpy as np
import pytest
from sklearn.metrics import auc, roc_auc_score

from onkel.evaluate.metrics import Answers, ranking
from onkel.evaluate.metrics.ranking import RocAuc
from onkel.evaluate.metrics.summary import RankSummary
from tests.evaluate.metrics.rows import chunks, classified

ORDERS = ["random", "rising", "falling", "class after class", "growing", "shrinking", "few values"]


def ordered(order: str, rows: int) -> Answers:
    random = np.random.default_rng(3)
    truth = (random.random(rows) < 0.2).astype(int)
    score = random.normal(size=rows) + 0.8 * truth
    if order in ("growing", "shrinking"):
        score *= np.geomspace(1e-3, 1e3, rows)[:: 1 if order == "growing" else -1]
    if order == "few values":
        score = score.round()
    place = {"rising": score, "falling": -score, "class after class": truth}.get(order)
    if place is not None:
        at = np.argsort(place, kind="stable")
        truth, score = truth[at], score[at]
    return Answers(truth, (score > 0).astype(int), score[:, None])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("buffer", [16, 250])
def test_the_bound_holds_at_every_moment(order: str, buffer: int) -> None:
    answers, seen, inexact = ordered(order, 20_000), 0, 0
    area = RocAuc(2, exact_rows=buffer)
    for chunk in chunks(answers, 900):
        area.update(chunk)
        seen += chunk.rows
        truth = answers.truth[:seen]
        if truth.min() < truth.max():
            exact = roc_auc_score(truth, answers.scores[:seen, 0])
            # of a pair of ties half is counted: rounding of sums of integers
            assert abs(area.value() - exact) <= area.error_bound() + 1e-12
            inexact += abs(area.value() - exact) > 1e-9
    counts = answers.truth.sum(), (1 - answers.truth).sum()
    promised = sum((np.log2(count / buffer) + 2) / (4 * buffer) for count in counts)
    assert 0 < area.error_bound() <= promised
    assert inexact  # or nothing was tested


def test_every_rank_is_within_its_bound() -> None:
    numbers = np.random.default_rng(0).normal(size=5000).round(2)
    summary = RankSummary(buffer=37)
    for start in range(0, 5000, 61):
        summary.add(numbers[start : start + 61])
        so_far = np.sort(numbers[: start + 61])
        items, weights = summary.items()
        assert weights.sum() == len(so_far) == summary.count and (np.diff(items) >= 0).all()
        for x in np.unique(so_far):
            for side in ("left", "right"):
                told = weights[: np.searchsorted(items, x, side)].sum()
                off = told - np.searchsorted(so_far, x, side)
                assert -summary.too_low <= off <= summary.too_high
    assert summary.doubt > 0


def test_exact_as_long_as_rows_fit() -> None:
    answers = classified(2 * ranking.BUFFER, 2)
    area = RocAuc(2)
    area.update(answers)
    assert area.error_bound() == 0
    assert area.value() == pytest.approx(roc_auc_score(answers.truth, answers.scores), rel=1e-12)


def test_a_long_stream_in_little_room() -> None:
    answers = classified(600_000, 2)
    area = RocAuc(2)
    for chunk in chunks(answers, 50_000):
        area.update(chunk)
    kept = [len(one.items()[0]) for one in (*area.members, *area.others)]
    assert max(kept) <= 8 * ranking.BUFFER
    exact = roc_auc_score(answers.truth, answers.scores[:, 0])
    assert abs(area.value() - exact) <= area.error_bound() < 5e-4
    alarms, hits = (np.array(area.curve()[key]) for key in ("false_alarms", "hits"))
    assert auc(alarms, hits) == pytest.approx(exact, abs=2e-3)


def test_many_classes_share_the_room() -> None:
    area = RocAuc(100)
    assert area.members[0].buffer < ranking.BUFFER
    answers = classified(20_000, 100)
    area.update(answers)
    exact = [roc_auc_score(answers.truth == c, answers.scores[:, c]) for c in range(100)]
    assert abs(area.value() - np.mean(exact)) <= area.error_bound() + 1e-12
