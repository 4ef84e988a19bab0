"""Reference room: a race, judged row by row from what every candidate said before it learned the row."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

Array = np.ndarray
ROUND = 128


class Entrant:
    """A candidate: what it lost, and who bets against it."""

    def __init__(self) -> None:
        self.racing = True
        self.n = 0
        self.losses: list[float] = []
        self.squares: list[float] = []
        self.weights: list[float] = []
        self.ages: list[float] = []
        self.bets: list[list[float]] = []  # weight, difference
        self.wealth = self.useless = 1.0
        self.share, self.unit = 0.0, 1.0
        self.left_at: int | None = None

    def mean(self) -> float:
        return float(np.dot(self.weights, self.losses) / sum(self.weights))

    def bet(self, more: float) -> float:
        rows = sum(weight for weight, _ in self.bets) + 8.0
        mean = sum(weight * d for weight, d in self.bets) / rows + more
        square = (sum(weight * d * d for weight, d in self.bets) + 1.0) / rows
        square += 2.0 * more * (mean - more) + more * more
        return min(max(mean / square, 0.0), 0.5)


class Race:
    """Judges candidates; scores are margins of labels -1 and 1, of numbers of classes, or predictions."""

    def __init__(
        self,
        count: int,
        task: str,
        alpha: float,
        tolerance: float,
        patience: int,
        decay: float = 1.0,
    ) -> None:
        self.entrants = [Entrant() for _ in range(count)]
        self.task, self.alpha, self.tolerance, self.patience = task, alpha, tolerance, patience
        self.decay = decay
        self.t, self.leader, self.mixes, self.cut = 0, 0, False, 0.0
        self.entrants[0].share = 1.0
        self.heaviest = 0.0
        self.answers: list[list[float]] = []  # weight, loss of the leader, of the mixture
        self.said: Array = np.zeros(1)

    def margin(self, scores: Array, target: float) -> float:
        if self.task == "regression":
            return float(scores[0] - target)
        if len(scores) == 1:
            return float(target * scores[0])
        others = np.delete(scores, int(target))
        return float(scores[int(target)] - others.max())

    def lost(self, m: float) -> float:
        return m * m if self.task == "regression" else float(m <= 0.0)

    def follow(self, scores: Sequence[Array | None], target: float, weight: float = 1.0) -> None:
        racing = [e for e in self.entrants if e.racing]
        spoken = [s for s, e in zip(scores, self.entrants) if e.racing]
        margins = [self.margin(s, target) for s in spoken]
        losses = [self.lost(m) for m in margins]
        leader = self.entrants[self.leader]
        mixed = sum(e.share * e.unit * s for e, s in zip(racing, spoken))
        led = losses[racing.index(leader)]
        self.said = mixed if self.mixes else spoken[racing.index(leader)]
        self.t += 1
        fade = self.decay * (1.0 - 1.0 / self.t) ** 2
        for answer in self.answers:
            answer[0] *= fade
        self.heaviest = max(self.heaviest, weight)
        self.answers.append([weight, led, self.lost(self.margin(mixed, target))])
        for e, m, loss in zip(racing, margins, losses):
            self.count(e, m, loss, led, e is leader, weight)
        if self.t % ROUND == 0 or self.t in (16, 32, 64):
            self.finish_round()

    def count(self, e: Entrant, m: float, loss: float, led: float, leads: bool, own: float) -> None:
        e.n += 1
        fade = self.decay * (1.0 - 1.0 / e.n) ** 2
        e.weights = [weight * fade for weight in e.weights] + [own]
        e.ages = [age * fade for age in e.ages] + [1.0]
        e.losses.append(loss)
        e.squares.append(m * m)
        if leads or e.n <= 64 or (self.task == "regression" and self.cut == 0.0):
            return
        difference = loss - led
        if self.task == "regression":
            difference = min(loss / self.cut, 1.0) - min(led / self.cut, 1.0)
        difference *= own / self.heaviest
        e.wealth *= 1.0 + e.bet(0.0) * difference
        e.useless *= 1.0 + e.bet(self.tolerance) * (difference + self.tolerance)
        e.bets = [[weight * fade, d] for weight, d in e.bets] + [[1.0, difference]]

    def finish_round(self) -> None:
        racing = [k for k, e in enumerate(self.entrants) if e.racing]
        self.leader = min(racing, key=lambda k: self.entrants[k].mean())
        best = self.entrants[self.leader]
        enough = len(self.entrants) / self.alpha
        for k in racing:
            e = self.entrants[k]
            useless = self.tolerance > 0.0 and e.useless >= enough
            if e is not best and e.n >= self.patience and (e.wealth >= enough or useless):
                e.racing, e.left_at = False, self.t
        self.cut = 16.0 * best.mean()
        for e in self.entrants:
            e.share = 0.0
            if e.racing:
                worse = max(e.mean() / max(best.mean(), 1e-12) - 1.0, 0.0)
                e.share = math.exp(-min(worse, 50.0) / 0.05)
            square = np.dot(e.ages, e.squares) / sum(e.weights)
            own = np.dot(best.ages, best.squares) / sum(best.weights)
            e.unit = math.sqrt(own / square) if self.task != "regression" else 1.0
        most = max(e.share for e in self.entrants)
        for e in self.entrants:
            e.share = 0.0 if e.share < 0.05 * most else e.share
        total = sum(e.share for e in self.entrants)
        for e in self.entrants:
            e.share /= total
        by_leader, by_mixture = (sum(a[0] * a[k] for a in self.answers) for k in (1, 2))
        several = sum(e.share > 0.0 for e in self.entrants) > 1
        apart = math.sqrt(sum((a[0] * (a[2] - a[1])) ** 2 for a in self.answers))
        self.mixes = several and by_mixture - by_leader <= 2.0 * apart
