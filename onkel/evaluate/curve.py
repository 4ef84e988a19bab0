"""The curve of a run: what is looked at, and kept, while a learner goes through a stream."""

from __future__ import annotations

import math
import time
from bisect import bisect_left, bisect_right
from typing import Any, NamedTuple

from onkel.evaluate.checkpoints import checkpoints
from onkel.evaluate.metrics import Answers, Scorecard
from onkel.evaluate.run import Run, error_metrics, model_size, race_of
from onkel.evaluate.scores import FromPredictions, FromProgress
from onkel.tables import learner_in

#: So many looks before the window, then every second of them is forgotten: a stream may never end.
MOST_LOOKS = 8192


class Look(NamedTuple):
    """A run so far, as `on_progress` gets it; the fields are the keys of `Run.curve`.

    Rates are nan as long as nothing was scored.

    Parameters
    ----------
    seen : int
        Rows learned.
    rate : float
        Share of mistakes, or mean squared error of a regressor, over everything so far.
    window_rate : float
        The same over the last rows.
    size : int
        Support vectors, or features of an explicit map.
    seconds : float
        Time spent on learning.
    loss : float, default=nan
        The mean of the learner's own loss over everything so far; nan where it doesn't tell.
    """

    seen: int
    rate: float
    window_rate: float
    size: int
    seconds: float
    loss: float = math.nan


class CurveRecorder:
    """Lets a learner learn piece by piece, and keeps a look at it after each."""

    def __init__(
        self,
        scorer: FromProgress | FromPredictions,
        window: int,
        scorecard: Scorecard | None = None,
    ) -> None:
        self.scorer = scorer
        self.scorecard = scorecard
        self.measured: dict[int, dict[str, float]] = {}  # metrics, by the rows seen then
        self.due = self.slow_due = 0
        self.window = window
        self.seen = 0
        self.seconds = 0.0
        self.cpu_seconds = 0.0
        self.looks: list[Look] = []
        self.at = [0]  # rows seen at each look
        self.errors = [0.0]
        self.scored = [0.0]

    def learn(self, X: Any, y: Any) -> Look:
        self.scorer.ask(X, y)
        began, began_cpu = time.perf_counter(), time.thread_time()
        self.scorer.learn(X, y)
        self.seconds += time.perf_counter() - began
        self.cpu_seconds += time.thread_time() - began_cpu
        self.seen += len(y)
        answers = self.scorer.answers(y)
        if answers is not None:
            self._score(answers)
        totals = self.scorer.totals()
        self.at.append(self.seen)
        self.errors.append(totals.errors)
        self.scored.append(totals.scored)
        since = self.seen - self.window
        recent = totals.errors - self._then(self.errors, since)
        rows = totals.scored - self._then(self.scored, since)
        rate = totals.errors / totals.scored if totals.scored else math.nan
        size = model_size(self.scorer.learner)
        window_rate = recent / rows if rows > 0 else math.nan
        loss = math.nan if totals.loss is None else totals.loss / max(1, totals.scored)
        self.looks.append(Look(self.seen, rate, window_rate, size, self.seconds, loss))
        self._forget()
        return self.looks[-1]

    def _score(self, answers: Answers) -> None:
        if self.scorecard is not None:
            if self.scorer.classes is not None and not self.scorer.options:
                self.scorecard.know(self.scorer.classes)
            self.scorecard.update(answers)

    def measure_if_due(self) -> None:
        """Take the metrics down, unless that was done lately."""
        if self.scorecard is not None and self.scorecard.rows and self.seen >= self.due:
            self._measure(self.scorecard, slow=self.seen >= self.slow_due)

    def _measure(self, scorecard: Scorecard, slow: bool) -> None:
        """Windows follow each other at first, then they are a quarter of the rows apart; slow metrics are rarer."""
        self.due = self.seen + max(1, min(self.window, self.seen // 2), self.seen // 4)
        if slow:
            self.slow_due = 2 * self.seen
        lately = {f"window_{name}": v for name, v in scorecard.window_values().items()}
        self.measured[self.seen] = scorecard.values(slow) | lately

    def _forget(self) -> None:
        """Thin out the looks that no window will ask for again, when they are many."""
        old = bisect_left(self.at, self.seen - self.window) - 2
        if old < MOST_LOOKS:
            return
        kept = [*range(0, old, 2), *range(old, len(self.looks))]
        self.looks = [self.looks[i] for i in kept]
        for sums in (self.at, self.errors, self.scored):
            sums[1:] = [sums[i + 1] for i in kept]
        self.measured = {at: self.measured[at] for at in self.at if at in self.measured}

    def _then(self, sums: list[float], seen: int) -> float:
        """A sum as it was after so many rows (evenly between the two looks around it)."""
        if seen <= 0:
            return 0.0
        after = bisect_left(self.at, seen)
        if self.at[after] == seen:
            return sums[after]
        share = (seen - self.at[after - 1]) / (self.at[after] - self.at[after - 1])
        return sums[after - 1] + share * (sums[after] - sums[after - 1])

    def conclude(self, points: int, reading_seconds: float) -> Run:
        learner, totals = self.scorer.learner, self.scorer.totals()
        scored = totals.scored
        if not scored:
            raise ValueError(
                f"{type(learner).__name__} can't predict its first {self.seen} rows, before it has "
                "learned some, and there are no more: nothing was scored"
            )
        metrics = {"seen": self.seen} | error_metrics(learner, totals.errors / scored)
        diagrams = {}
        if self.scorecard is not None:
            rest = self.scorer.rest()
            if rest is not None:
                self._score(rest)
            self._measure(self.scorecard, slow=True)
            # an accuracy that is there is 1 - mistake_rate, to the last digit
            metrics = self.measured[self.seen] | self.scorecard.bounds() | metrics
            diagrams = self.scorecard.curves()
        if totals.loss is not None:
            metrics["loss"] = totals.loss / scored
        metrics |= {"size": self.looks[-1].size, "seconds": self.seconds}
        metrics |= {"cpu_seconds": self.cpu_seconds, "reading_seconds": reading_seconds}
        shown = self._nearest(checkpoints(self.seen, points))
        told = [key for key in Look._fields if key != "loss" or totals.loss is not None]
        curve = {key: [getattr(look, key) for look in shown] for key in told}
        inner, course = learner_in(learner), self._course()
        params = inner.get_params(deep=False)
        drifts = [drift._asdict() for drift in getattr(inner, "drifts_", ())]
        name, race = type(inner).__name__, race_of(inner)
        return Run(name, params, metrics, curve, course, diagrams, drifts, race)

    def _course(self) -> dict[str, list[float]]:
        """The metrics, where they were taken down."""
        names = self.measured.get(self.seen, ())
        course: dict[str, list[float]] = {"seen": list(self.measured)} if names else {}
        for name in names:
            course[name] = [taken.get(name, math.nan) for taken in self.measured.values()]
        return course

    def close(self) -> None:
        """Listen no longer."""
        self.scorer.close()

    def _nearest(self, places: list[int]) -> list[Look]:
        """The looks nearest to the places, each once, from the first where something was scored."""
        looks = self.looks[bisect_right(self.scored, 0) - 1 :]
        seen = [look.seen for look in looks]
        chosen = set()
        for place in places:
            after = min(bisect_left(seen, place), len(seen) - 1)
            before = max(0, after - 1)
            chosen.add(after if seen[after] - place <= place - seen[before] else before)
        return [looks[i] for i in sorted(chosen)]
