r"""Who is how good: what every candidate lost before each update, the leader, and the shares of those who answer.

Means of losses count the n-th row of a candidate in proportion to :math:`n^2`: who learns gets better, and what
counts is how good it is now. A row counts as much as it weighs; in bets, in units of the heaviest so far. A loss
is a mistake (1 or 0) or, of a regressor, a squared residual; bets are on squares in units of 16 times the leader's
mean, cut off at 1. The leader has the least mean, of equal ones the first, among those that have learned 64 rows and
whose scores are finite, if there are any. In the mixture a candidate whose loss is 5 % larger than the leader's has
1/e times its share; the mixture answers unless the leader lost less by two standard errors.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from onkel.calibration.observer import Observer
from onkel.compiled.arrays import Array
from onkel.compiled.decorators import inner, jit
from onkel.engine.mixture import record
from onkel.model.questions import compiled_for, value, view, with_distinct_names
from onkel.race.betting import log_growth, remember

#: Columns of the table of candidates; the first three are the sums of its bets.
(
    BETS, GAIN, SPREAD, ROWS, SEEN, LOST, COUNT, RECENT, SQUARES, WEALTH, USELESS, SHARE, UNIT, RACING,
    LEFT_AT, WHY, RIVAL, GAP, BROKEN, COLUMNS,
) = range(20)  # fmt: skip
#: Why a candidate left.
STAYED, BEHIND, NO_BETTER, DIVERGED = range(4)
#: Places of what the race itself made of rows: the first four as of every machine; then what counts now.
(
    T, MISTAKES, LOSS, ALL_SQUARES, ANSWERS, BY_LEADER, BY_MIXTURE, APART, SAID, LEADER, MIXES, CUT,
    HEAVIEST, PLACES,
) = range(14)  # fmt: skip
#: Bets on squares are in units of so many times the leader's mean; no share of the mixture is less than this.
LONGEST, LEAST_SHARE = 16.0, 0.05
#: Rows of a candidate on which nobody bets, nor does it lead: everybody has to begin.
WARM_UP = 64.0
#: Which relative increase of the loss divides a share by e.
RELATIVE = 0.05


class Standings(Observer):
    """The table of all candidates."""

    table: np.ndarray  # (candidates, columns): see above
    sums: np.ndarray  # (13,): see the places above

    def __init__(self, n_candidates: int, decay: float) -> None:
        super().__init__(decay, table=np.zeros((n_candidates, COLUMNS)), sums=np.zeros(PLACES))
        self.table[:, [RACING, UNIT]] = 1.0
        self.table[:, LEFT_AT] = -1.0
        self.table[0, SHARE] = 1.0

    @property
    def t(self) -> int:
        return int(self.sums[T])

    @property
    def leader(self) -> int:
        return int(self.sums[LEADER])

    @property
    def racing(self) -> np.ndarray:
        """The numbers of those that have not left."""
        return np.flatnonzero(self.table[:, RACING] > 0.0)

    def counters(self) -> dict[str, float]:
        """What the race itself scored before each update, by the names that machines have for it."""
        return dict(zip(("t", "mistakes", "loss", "squared_error"), self.sums.tolist()))

    def weights(self) -> np.ndarray:
        """What scores of every candidate are multiplied with in what is said now."""
        table = self.table
        if self.sums[MIXES]:
            return table[:, SHARE] * table[:, UNIT]
        return (np.arange(len(table)) == self.leader).astype(float)

    def follow(
        self,
        task: Any,
        loss: Any,
        tolerance: float,
        scores: np.ndarray,
        targets: np.ndarray,
        weights: np.ndarray,
        said: np.ndarray,
    ) -> None:
        """Take in what those that race scored (candidates x rows x outputs); ``said`` gets the answers."""
        by_mistakes, fade = task.shows == "margin", float(self.decay[0])
        task, loss = with_distinct_names(task), with_distinct_names(loss)
        judge = compiled_for(judge_rows, task, loss)
        settings = by_mistakes, fade, float(tolerance)
        judge(
            task,
            loss,
            *settings,
            self.racing,
            self.table,
            self.sums,
            scores,
            targets,
            weights,
            said,
        )

    def finish_round(self, enough: float, patience: int, tolerance: float, mix: Any) -> list[int]:
        """Settle who leads, who leaves and who has a say from now on; the numbers of those that leave.

        ``enough`` is the wealth that decides; who has learned fewer rows than ``patience`` stays.
        """
        table, sums, racing = self.table, self.sums, self.racing
        means, leader = mean_losses(table), self._best_of(racing)
        sums[LEADER], sums[CUT] = leader, LONGEST * means[leader]
        gone = []
        for number in racing.tolist():
            why = reason(table[number], math.log(enough), patience, tolerance)
            if number != leader and why != STAYED:
                table[number, RACING] = 0.0
                table[number, [LEFT_AT, WHY, RIVAL]] = self.t, why, leader
                table[number, GAP] = means[number] - means[leader]
                gone.append(number)
        self._share_out()
        by_mixture = sums[BY_MIXTURE] - sums[BY_LEADER] <= 2.0 * math.sqrt(sums[APART])
        several = np.count_nonzero(table[:, SHARE]) > 1
        sums[MIXES] = several and (by_mixture if mix == "auto" else bool(mix))
        return gone

    def _best_of(self, racing: np.ndarray) -> int:
        """The candidate with the least mean; one that is broken, or has hardly begun, only where all are so."""
        sound = self.table[racing, BROKEN] == 0.0
        tried = sound & (self.table[racing, ROWS] >= WARM_UP)
        among = next(racing[some] for some in (tried, sound, racing >= 0) if some.any())
        return int(among[np.argmin(mean_losses(self.table)[among])])

    def _share_out(self) -> None:
        """Shares of the mixture, and units in which its voices speak."""
        table, racing = self.table, self.racing
        means = mean_losses(table)
        worse = means / max(means[self.leader], 1e-12) - 1.0
        shares = np.zeros(len(table))
        shares[racing] = np.exp(-np.clip(worse[racing], 0.0, 50.0) / RELATIVE)
        shares[shares < LEAST_SHARE * shares.max()] = 0.0
        table[:, SHARE] = shares / shares.sum()

    def measure_units(self) -> None:
        """Let scores of margins count in the unit of the leader's: residuals have one unit."""
        table = self.table
        squares = table[:, SQUARES] / np.maximum(table[:, COUNT], 1e-300)
        known = (squares > 0.0) & np.isfinite(squares)
        table[:, UNIT] = 1.0
        if known[self.leader]:
            table[known, UNIT] = np.sqrt(squares[self.leader] / squares[known])

    def bring_back(self, number: int) -> None:
        """Let a candidate race again that has learned nothing yet."""
        seen, lost = self.table[number, [SEEN, LOST]]
        self.table[number] = 0.0
        self.table[number, [SEEN, LOST, RACING, UNIT, LEFT_AT]] = seen, lost, 1.0, 1.0, -1.0


def mean_losses(table: np.ndarray) -> np.ndarray:
    """What candidates lose a row, of late."""
    return table[:, RECENT] / np.maximum(table[:, COUNT], 1e-300)


def reason(row: np.ndarray, enough: float, patience: int, tolerance: float) -> int:
    """Why a candidate leaves, if it does."""
    if row[BROKEN]:
        return DIVERGED
    if row[ROWS] < patience:
        return STAYED
    if row[WEALTH] >= enough:
        return BEHIND
    return NO_BETTER if tolerance > 0.0 and row[USELESS] >= enough else STAYED


@jit
def judge_rows(
    task: Any,
    loss: Any,
    by_mistakes: bool,
    decay: float,
    tolerance: float,
    racing: Array,
    table: Array,
    sums: Array,
    scores: Array,
    targets: Array,
    weights: Array,
    said: Array,
) -> None:
    outputs, lost = said.shape[1], np.empty(racing.size)
    mixed, leader = np.empty(outputs), 0
    for k in range(racing.size):
        if racing[k] == int(sums[LEADER]):
            leader = k
    for i in range(targets.size):
        mixed[:] = 0.0
        for k in range(racing.size):
            row, given = table[racing[k]], scores[k, i]
            m = view(task, given, targets[i]).m
            if not (math.isfinite(m) and are_finite(given)):
                row[BROKEN], m = 1.0, -1.0
                for c in range(outputs):
                    given[c] = 0.0
            lost[k] = lost_by(m, by_mistakes)
            row[SQUARES] = fade_of(row, decay) * row[SQUARES] + m * m
            for c in range(outputs):
                mixed[c] += row[SHARE] * row[UNIT] * given[c]
        for c in range(outputs):
            said[i, c] = mixed[c] if sums[MIXES] > 0.0 else scores[leader, i, c]
        m = view(task, said[i], targets[i]).m
        record(sums, m, value(loss, m))
        mixture = lost_by(view(task, mixed, targets[i]).m, by_mistakes)
        sums[HEAVIEST] = max(sums[HEAVIEST], weights[i])
        count_answers(sums, decay, weights[i], lost[leader], mixture, lost_by(m, by_mistakes))
        for k in range(racing.size):
            count_candidate(table[racing[k]], sums, decay, tolerance, by_mistakes, weights[i], lost[k],
                            lost[leader], k == leader)  # fmt: skip


@inner
def are_finite(scores: Array) -> bool:
    for c in range(scores.size):
        if not math.isfinite(scores[c]):
            return False
    return True


@inner
def lost_by(m: float, by_mistakes: bool) -> float:
    if by_mistakes:
        return 1.0 if m <= 0.0 else 0.0
    return m * m


@inner
def fade_of(row: Array, decay: float) -> float:
    """What is left of earlier rows when another comes: the n-th counts in proportion to its square."""
    kept = 1.0 - 1.0 / (row[ROWS] + 1.0)
    return decay * kept * kept


@inner
def count_answers(
    sums: Array, decay: float, weight: float, leader: float, mixture: float, said: float
) -> None:
    """What leader, mixture and the race itself lost on a row."""
    kept = 1.0 - 1.0 / sums[T]
    fade = decay * kept * kept
    sums[ANSWERS] = fade * sums[ANSWERS] + weight
    sums[BY_LEADER] = fade * sums[BY_LEADER] + weight * leader
    sums[BY_MIXTURE] = fade * sums[BY_MIXTURE] + weight * mixture
    apart = weight * (mixture - leader)
    sums[APART] = fade * fade * sums[APART] + apart * apart
    sums[SAID] = fade * sums[SAID] + weight * said


@inner
def count_candidate(
    row: Array,
    sums: Array,
    decay: float,
    tolerance: float,
    by_mistakes: bool,
    weight: float,
    lost: float,
    leader: float,
    leads: bool,
) -> None:
    """What a candidate lost on a row, and what that is worth to who bets against it."""
    fade = fade_of(row, decay)
    row[ROWS] += 1.0
    row[SEEN] += 1.0
    row[LOST] += lost
    row[COUNT] = fade * row[COUNT] + weight
    row[RECENT] = fade * row[RECENT] + weight * lost
    cut = sums[CUT]
    if leads or row[ROWS] <= WARM_UP or (not by_mistakes and cut <= 0.0):
        return
    difference = lost - leader
    if not by_mistakes:
        difference = min(lost / cut, 1.0) - min(leader / cut, 1.0)
    difference *= weight / sums[HEAVIEST]
    row[WEALTH] += log_growth(row, 0.0, difference)
    row[USELESS] += log_growth(row, tolerance, difference)
    remember(row, fade, difference)
