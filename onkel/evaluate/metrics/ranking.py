"""ROC AUC over a stream: how often a row of the class is scored above a row of another."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from onkel.evaluate.metrics.accumulator import Accumulator
from onkel.evaluate.metrics.answers import Answers
from onkel.evaluate.metrics.summary import RankSummary

#: Numbers in a buffer of a summary: twice as many rows of a class are kept as they are.
BUFFER = 8192
#: So many at least, where many classes share the room, and the time.
SMALLEST_BUFFER = 512
#: Where the ROC curve is told, in shares of false alarms: more closely near 0, where it is steep.
FALSE_ALARMS = np.linspace(0, 1, 101) ** 2


class RocAuc(Accumulator):
    """The area under the ROC curve; of more than two classes the mean of each against the rest.

    Scores of rows of the class and of other rows are kept in two summaries (`summary.py`). With P and N such rows,
    and ranks off by at most p and n, the area is off by at most p/P + n/N: it is the mean rank of
    the ones among the others, which changes by n/N if the others' shares do, and by p/P if the ones' do
    (by parts). `error_bound` tells it. Exact, as scikit-learn's, as long as there are fewer than twice
    `buffer` rows of each.

    Classes that never came, or that all rows are of, are left out; it is nan where none is left.
    """

    slow = True

    def __init__(self, n_classes: int = 0, exact_rows: int | None = None) -> None:
        outputs = 1 if n_classes == 2 else n_classes
        self.exact_rows = exact_rows
        self.diverged = False  # nan has no rank
        self.blank = 0  # rows whose scores are all 0
        self.members = [self._summary(outputs) for _ in range(outputs)]
        self.others = [self._summary(outputs) for _ in range(outputs)]

    def _summary(self, outputs: int) -> RankSummary:
        if self.exact_rows is not None:
            return RankSummary(max(1, self.exact_rows))
        return RankSummary(max(SMALLEST_BUFFER, BUFFER // outputs))

    def grow(self, places: NDArray[np.intp], n_classes: int) -> None:
        """Rows from before a class was known get scores as in `scores_among`."""
        members, others = self.members, self.others
        if n_classes == 2:  # one class has become two: the scores are those of the second
            if places[0] == 1:
                self.members, self.others = _negated(others), _negated(members)
            return
        rows = members[0].count + others[0].count
        if len(places) == 1:
            members, others = [self._summary(n_classes)], [self._summary(n_classes)]
            members[0].add(np.repeat([0.0, np.inf], [self.blank, rows - self.blank]))
        elif len(places) == 2:
            firsts, seconds = _negated(others), [one.times(0.5) for one in members]
            rivals, others = _negated(members), [one.times(0.5) for one in others]
            members, others = firsts + seconds, rivals + others
        self.members = [self._summary(n_classes) for _ in range(n_classes)]
        self.others = [self._summary(n_classes) for _ in range(n_classes)]
        for place, ones, rest in zip(places.tolist(), members, others):
            self.members[place], self.others[place] = ones, rest
        for place in set(range(n_classes)).difference(places.tolist()):
            self.others[place].add(np.repeat([0.0, -np.inf], [self.blank, rows - self.blank]))

    def update(self, answers: Answers) -> None:
        scores = answers.scores
        assert scores is not None
        self.diverged = self.diverged or bool(np.isnan(scores).any())
        self.blank += int((scores == 0.0).all(axis=1).sum())
        first = 1 if scores.shape[1] == 1 else 0  # two classes have one score, for the second
        columns = np.ascontiguousarray(scores.T)
        for number, (ones, rest) in enumerate(zip(self.members, self.others)):
            is_one = answers.truth == number + first
            ones.add(columns[number][is_one])
            rest.add(columns[number][~is_one])

    def value(self) -> float:
        if self.diverged:
            return math.nan
        areas = [_area(ones, rest) for ones, rest in self._ranked()]
        return float(np.mean(areas)) if areas else math.nan

    def error_bound(self) -> float:
        """The most that `value` can be off."""
        doubts = [
            ones.doubt / ones.count + rest.doubt / rest.count for ones, rest in self._ranked()
        ]
        return float(np.mean(doubts)) if doubts else 0.0

    def curve(self) -> dict[str, list[float]]:
        """The ROC curve, the mean of those of the classes, at `FALSE_ALARMS`."""
        curves = [_hits_at(FALSE_ALARMS, ones, rest) for ones, rest in self._ranked()]
        if not curves:
            return {}
        hits = np.mean(curves, axis=0)
        return {"false_alarms": FALSE_ALARMS.tolist(), "hits": hits.tolist()}

    def _ranked(self) -> list[tuple[RankSummary, RankSummary]]:
        pairs = zip(self.members, self.others)
        return [(ones, rest) for ones, rest in pairs if ones.count and rest.count]


def _negated(summaries: list[RankSummary]) -> list[RankSummary]:
    """Half of the scores of two classes with the other sign: those of the other class."""
    return [one.times(-0.5) for one in summaries]


def _area(ones: RankSummary, rest: RankSummary) -> float:
    """The share of pairs where the one is scored above the other; ties are half."""
    (scores, weights), (others, heavy) = ones.items(), rest.items()
    below = np.concatenate([[0], np.cumsum(heavy)])
    less = below[np.searchsorted(others, scores, "left")]
    at_most = below[np.searchsorted(others, scores, "right")]
    return float(weights @ (less + at_most) / (2.0 * ones.count * rest.count))


def _hits_at(
    false_alarms: NDArray[np.float64], ones: RankSummary, rest: RankSummary
) -> NDArray[np.float64]:
    """The share of ones above the threshold that so many of the others are above."""
    thresholds = np.unique(np.concatenate([ones.items()[0], rest.items()[0]]))[::-1]
    hits, alarms = (np.concatenate([[0.0], _share_from(thresholds, one)]) for one in (ones, rest))
    return np.asarray(np.interp(false_alarms, alarms, hits))


def _share_from(thresholds: NDArray[np.float64], summary: RankSummary) -> NDArray[np.float64]:
    """The share of numbers at or above each threshold."""
    numbers, weights = summary.items()
    from_here = np.concatenate([np.cumsum(weights[::-1])[::-1], [0]])
    return from_here[np.searchsorted(numbers, thresholds, "left")] / summary.count
