"""The machine of a race: candidates learn side by side, and the ones that are clearly behind leave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from onkel.drift.adwin import Adwin
from onkel.drift.detector import watched
from onkel.engine.judging import judged
from onkel.engine.layout import as_layout, widened_layout
from onkel.engine.lessons import Lesson
from onkel.engine.machine import Shape
from onkel.engine.side_by_side import SideBySide, Stretch, copied
from onkel.kernels.geometry import PRODUCTS, geometry_of
from onkel.parallel.executors import current_executor
from onkel.race.curves import Curves
from onkel.race.rounds import ends_round, rows_left
from onkel.race.standings import Standings
from onkel.race.teams import FEWEST, Learned, rows_at_once, taught, with_maps_of


class Judge(NamedTuple):
    """By what answers are judged."""

    task: Any
    loss: Any


class Terms(NamedTuple):
    """The rules of a race."""

    alpha: float  # probability that anybody leaves who is not behind
    tolerance: float  # who is surely not better than the leader by this leaves, too; 0: nobody
    patience: int  # rows that everybody may learn before that
    mix: Any  # "auto", True or False: whether the last few answer together
    decay: float  # what an old row counts, one row later


class RaceMachine(SideBySide):
    """Learns rows with all candidates that race, and answers with the leader or with the last few.

    ``racing`` has the numbers of the candidates that these machines are.
    """

    def __init__(
        self, machines: Sequence[Any], lines: Sequence[Any], judged_by: Judge, terms: Terms
    ) -> None:
        self.parts, self.terms = judged_by, terms
        self.standings = Standings(len(machines), terms.decay)
        self.curves = Curves(len(machines))
        #: Of every candidate, who turns its scores into what it says; None where it says its scores.
        self.lines = list(lines)
        self.racing = list(range(len(machines)))
        forgets = terms.decay < 1.0
        #: Those that left, as they were in the beginning; kept where they may come back.
        self.resting: list[Any] = [machine.blank() if forgets else None for machine in machines]
        self.detector: Any = Adwin(warning_delta=None) if forgets else None
        self.got_worse = False  # what is answered, since the last round
        self.whole = machines[0].shape  # before they adapt themselves to the rows
        super().__init__(machines)

    @property
    def shape(self) -> Shape:
        return self.whole

    @property
    def t(self) -> int:
        return self.standings.t

    @property
    def kernel(self) -> Any:
        """The kernel that asks most of rows: one of inner products, where there is any."""
        kernels = [machine.kernel for machine in self.machines]
        growing = [kernel for kernel in kernels if geometry_of(kernel) == PRODUCTS]
        return (growing or kernels)[0]

    @property
    def loss(self) -> float:
        """A candidate whose loss is not finite leaves: the race has none."""
        return 0.0

    @property
    def loss_part(self) -> Any:
        return self.parts.loss

    @property
    def decay(self) -> float:
        return self.terms.decay

    @property
    def leader(self) -> Any:
        """The machine that leads."""
        return self.machines[self.racing.index(self.standings.leader)]

    @property
    def n_support(self) -> int:
        """Vectors of the leader, or features of its map."""
        leader = self.leader
        if leader.feature_map is not None:
            return int(leader.feature_map.n_map_features)
        return int(getattr(leader, "n_support", 0))

    # -- learning ------------------------------------------------------------------------------

    def _learn_stretch(self, stretch: Stretch) -> int:
        """Learn the first of some rows; by teams, if there is an executor and enough to do."""
        executor = current_executor()
        if executor is None:
            return super()._learn_stretch(stretch)
        stretch = stretch.before(rows_at_once(self.t, self.terms.patience))
        parts = sum(len(lesson.parts()) for lesson in self.lessons)
        worth = len(stretch.targets) >= FEWEST and parts > 1 and not self.ahead.any()
        learned = taught(executor, self.lessons, self.t, stretch) if worth else None
        if learned is None:
            return super()._learn_stretch(stretch)
        after = self._apart()  # the race itself stays as it is until all has succeeded
        after._become(self.machines, learned.machines)
        done = after._judge_stretch(learned, stretch)
        if done < len(stretch.targets):
            again = taught(executor, self.lessons, self.t, stretch.before(done))
            assert again is not None  # who did not pause later did not before
            after._become(learned.machines, again.machines)
        with self.lock.writing:
            vars(self).update(vars(after))
        return done

    def _apart(self) -> RaceMachine:
        """The same race, with the same machines, that can be judged apart from this one."""
        apart = object.__new__(RaceMachine)
        vars(apart).update(vars(self))
        for name in ("standings", "curves", "detector", "observer", "ahead"):
            setattr(apart, name, copy(getattr(self, name)))
        apart.lines = [copy(line) for line in self.lines]
        return apart

    def _become(self, before: Sequence[Any], after: Sequence[Any]) -> None:
        """Go on with what has become of machines; others have learned nothing yet."""
        there = dict(zip(map(id, before), after))
        others = [machine for machine in self.machines if id(machine) not in there]
        there |= zip(map(id, others), with_maps_of(others, before, after))
        self.resting = with_maps_of(self.resting, before, after)
        self.set_machines([there[id(machine)] for machine in self.machines])

    def _judge_stretch(self, learned: Learned, stretch: Stretch) -> int:
        """Judge rows that all have learned; return how many.

        It ends where somebody comes back, or leaves without whom others learn on in other last digits.
        """
        began, lessons, position = list(self.racing), self.lessons, 0
        while position < len(stretch.targets):
            rows = slice(position, min(position + self.rows_left(), len(stretch.targets)))
            count = rows.stop - rows.start
            known = [began.index(number) for number in self.racing]
            self.waiting[:, :count], self.ahead[:] = learned.scores[known, rows], count
            targets, weights, told, trace = (each[rows] for each in stretch[1:])
            position += self._settle(trace, targets, weights, told)
            if not self._go_on_alike(learned.machines, lessons):
                break
        return position

    def _go_on_alike(self, machines: Sequence[Any], lessons: Sequence[Lesson]) -> bool:
        """Whether those that race now are some of these, and learn as they did in these groups."""
        here, known = set(map(id, self.machines)), set(map(id, machines))
        return here <= known and all(
            lesson.is_same_without({p for p, m in enumerate(lesson.machines) if id(m) not in here})
            for lesson in lessons
        )

    def judge(self, targets: np.ndarray, weights: np.ndarray, trace: np.ndarray) -> None:
        for place, number in enumerate(self.racing):
            line = self.lines[number]
            if line is not None:
                scores = self.waiting[place, : len(targets)]
                scores[:] = line.observe(scores.copy(), targets, weights)
        lesson = self.waiting, targets, weights, trace
        self.standings.follow(*self.parts, self.terms.tolerance, *lesson)
        if self.detector is not None:
            self._watch(trace[: len(targets)], targets)

    def _watch(self, said: np.ndarray, targets: np.ndarray) -> None:
        """Notice when the answers get worse."""
        margins, _ = judged(*self.parts, said, targets)
        by_mistakes = self.parts.task.shows == "margin"
        values = (margins <= 0.0).astype(float) if by_mistakes else np.abs(margins)
        while len(values):
            before = self.detector.mean
            count, _, drifts = watched(self.detector, values)
            self.got_worse = self.got_worse or (drifts and self.detector.mean > before)
            values = values[count:]

    def rows_left(self) -> int:
        return rows_left(self.t)

    def decide(self) -> None:
        if ends_round(self.t):
            self.finish_round()

    def finish_round(self) -> None:
        """Settle who leads, who leaves, and who comes back."""
        standings, terms = self.standings, self.terms
        enough = len(standings.table) / terms.alpha
        gone = standings.finish_round(enough, terms.patience, terms.tolerance, terms.mix)
        if self.parts.task.shows == "margin":
            standings.measure_units()
        self.curves.note(standings)
        machines = dict(zip(self.racing, self.machines))
        for number in gone:
            del machines[number]
        back = set(range(len(self.resting))) - machines.keys() if self.got_worse else set()
        self.got_worse = False
        for number in back:
            standings.bring_back(number)
            machines[number] = self.resting[number].blank()
        if gone or back:
            self._go_on_with(machines)

    def _go_on_with(self, machines: dict[int, Any]) -> None:
        """Let these race on."""
        self.racing = sorted(machines)
        self.ahead = np.zeros(len(machines), np.int64)
        self.set_machines([machines[number] for number in self.racing])

    def change_machines(self, change: Callable[[Any], Any], task: Any = None) -> None:
        machines = [change(machine) for machine in self.machines]
        layout = widened_layout(self.whole.layout, machines[0].shape.n_features)
        self.whole = machines[0].shape._replace(layout=layout)
        self.parts = self.parts if task is None else self.parts._replace(task=task)
        self.resting = [None if each is None else change(each) for each in self.resting]
        self.set_machines(machines)

    # -- reading -------------------------------------------------------------------------------

    def scorer_of(self, X: Any) -> Callable[[Any], np.ndarray]:
        weights = self.standings.weights()
        voices = [
            (float(weights[number]), self._scorer_of(place, X))
            for place, number in enumerate(self.racing)
            if weights[number] > 0.0
        ]
        return lambda X: np.sum([weight * scorer(X) for weight, scorer in voices], axis=0)

    def _scorer_of(self, place: int, X: Any) -> Callable[[Any], np.ndarray]:
        shape = self.machines[place].shape
        scorer = self.machines[place].scorer_of(as_layout(X, shape.layout, shape.dtype))
        return lambda X: scorer(as_layout(X, shape.layout, shape.dtype))

    def counters(self) -> dict[str, float]:
        """What was answered before each update, all of one moment."""
        with self.lock.reading:
            return self.standings.counters()

    def __getstate__(self) -> dict[str, Any]:
        with self.lock.reading:
            return super().__getstate__() | {
                "standings": copy(self.standings),
                "curves": copy(self.curves),
                "lines": [copy(line) for line in self.lines],
                "resting": copied(self.resting),
                "detector": copy(self.detector),
                "got_worse": self.got_worse,
                "racing": list(self.racing),
                "whole": self.whole,
                "parts": self.parts,
                "terms": self.terms,
            }
