"""A sample of the scores that rows had before they were learned: what is normal, and what is not."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, Self

import numpy as np

from onkel.calibration.observer import Observer, shares_of
from onkel.compiled.arrays import Array
from onkel.compiled.decorators import jit
from onkel.compiled.draws import draw
from onkel.model.random_draws import RESERVOIR

SCORES_KEPT = 4096


class ScoreSample(Observer):
    """Keeps at most so many scores, each as likely as any other; and an exact quantile while nothing is learned."""

    scores: np.ndarray  # (kept,)
    seen: np.ndarray  # (2,): rows, and the seed of the draws
    exact: np.ndarray  # (1,): the quantile of all rows given to fit, or (0,)

    def __init__(self, seed: int, decay: float = 1.0) -> None:
        seen = np.array([0, seed], np.int64)
        super().__init__(decay, scores=np.zeros(0), seen=seen, exact=np.zeros(0))

    def observe(self, scores: np.ndarray, targets: np.ndarray, weights: np.ndarray) -> np.ndarray:
        kept, seen = self.scores, self.seen
        room = np.zeros(min(len(scores), SCORES_KEPT - len(kept)))
        self.scores = np.concatenate([kept, room])
        new = np.ascontiguousarray(scores[:, 0])
        sample_scores(self.scores, len(kept), new, int(seen[0]), int(seen[1]), float(self.decay[0]))
        seen[0] += len(scores)
        self.exact = np.zeros(0)  # it was that of a model which has changed
        return scores

    def conclude(self, scores: np.ndarray, share: float) -> None:
        """All rows' scores by the final model: keep their quantile, and a sample to go on from."""
        self.exact = np.array([np.quantile(scores, share)])
        rows, seed = map(int, self.seen)
        kept = min(rows, SCORES_KEPT)
        if len(scores) > kept:
            random = np.random.default_rng(seed)
            scores = scores[np.sort(random.choice(len(scores), kept, replace=False))]
        self.scores = np.resize(scores, kept)

    def joined(
        self, others: Sequence[Self], factors: Sequence[float], common: Self | None = None
    ) -> Self:
        """A sample of all scores: of each as many as its rows have a share of them."""
        made, each = copy(self), [self, *others]
        rows = [int(one.seen[0]) for one in each]
        shares, total = shares_of(rows, 0.0 if common is None else float(common.seen[0]))
        made.seen[0], made.exact = int(total), np.zeros(0)
        room = min(SCORES_KEPT, sum(len(one.scores) for one in each))
        ends = np.rint(np.cumsum(shares) * room).astype(int)
        random = np.random.default_rng((int(self.seen[1]), int(total)))
        kept = []
        for one, count in zip(each, np.diff(ends, prepend=0).tolist()):
            if len(one.scores):
                few = len(one.scores) < count  # then some stand for more rows than one
                kept.append(random.choice(one.scores, count, replace=few))
        made.scores = np.concatenate(kept) if kept else np.zeros(0)
        return made

    def quantile(self, share: float) -> float:
        """The score that this share of rows is below."""
        if len(self.exact):
            return float(self.exact[0])
        return float(np.quantile(self.scores, share)) if len(self.scores) else 0.0


@jit
def sample_scores(
    sample: Array, filled: int, scores: Array, first: int, seed: Any, decay: float
) -> None:
    """Keep a sample of all scores: once it is full, number t replaces one with probability size/t.

    So it is uniform; where the learner forgets, t is the number of rows that count, or the size.
    """
    for i in range(scores.size):
        t = first + i + 1
        count = float(t) if decay == 1.0 else max(sample.size, (1.0 - decay**t) / (1.0 - decay))
        place = filled if filled < sample.size else int(draw(seed, t, RESERVOIR) * count)
        if place < sample.size:
            sample[place] = scores[i]
        filled += 1
