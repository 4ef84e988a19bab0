"""The test by which candidates leave: it holds at any time, and notices who is behind."""

import numpy as np

from onkel.losses import Hinge
from onkel.race.standings import LEFT_AT, WHY, Standings
from onkel.tasks import Binary

ROUND = 128
ALPHA = 0.2


def raced(rates: list[float], rows: int, seed: int, common: float = 0.5) -> np.ndarray:
    """When candidates leave that make mistakes at these rates, partly on the same rows; -1: never."""
    random = np.random.default_rng(seed)
    standings, said = Standings(len(rates), 1.0), np.empty((ROUND, 1))
    targets = np.ones(ROUND)
    for _ in range(rows // ROUND):
        hard = random.random(ROUND) < common
        shared, own = random.random(ROUND), random.random((len(rates), ROUND))
        wrong = np.where(hard, shared, own) < np.array(rates)[:, None]
        kept = standings.racing
        scores = np.where(wrong, -1.0, 1.0)[kept, :, None]
        standings.follow(
            Binary(), Hinge(), 0.0, np.ascontiguousarray(scores), targets, targets, said
        )
        standings.finish_round(len(rates) / ALPHA, 0, 0.0, False)
    return standings.table[:, LEFT_AT]


def test_equal_candidates_stay() -> None:
    """A race of five equal ones drops any with a probability below alpha, over all of the stream."""
    races = 200
    dropped = sum((raced([0.2] * 5, 4096, seed) >= 0).any() for seed in range(races))
    assert dropped / races <= ALPHA


def test_the_better_stay_and_the_worse_go() -> None:
    left = np.array([raced([0.1, 0.1, 0.2], 4096, seed) for seed in range(20)])
    assert (left[:, 2] > 0).all() and (left[:, 2] < 3000).all()
    assert ((left[:, :2] >= 0).sum()) <= 4


def test_a_candidate_whose_scores_are_no_numbers_leaves() -> None:
    standings, said = Standings(2, 1.0), np.empty((ROUND, 1))
    scores = np.ones((2, ROUND, 1))
    scores[1, 5] = np.nan
    standings.follow(Binary(), Hinge(), 0.0, scores, np.ones(ROUND), np.ones(ROUND), said)
    assert standings.finish_round(40.0, 1000, 0.0, "auto") == [1]
    assert standings.table[1, WHY] == 3
    assert np.isfinite(said).all()
