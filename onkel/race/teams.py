"""Candidates that learn a stretch of rows as tasks of an executor, and are judged afterwards.

They learn independently of each other; who leads, leaves or comes back is all that they have in common. So teams of
those that share something learn wherever there is room, and come back with what they scored before each update. Who
turns out to have left on the way has learned the rest of the stretch in vain: so after the first, in which nobody may
leave, a stretch has half as many rows as there were before, within limits.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np

from onkel.engine.machine import FOREVER
from onkel.engine.sharing import grouped
from onkel.engine.side_by_side import SideBySide, Stretch
from onkel.parallel.executors import Manners
from onkel.parallel.limits import at_work
from onkel.race.rounds import ROUND, rows_left

#: Rows below which it takes longer to send candidates than to let them learn.
FEWEST = 512


class Learned(NamedTuple):
    """What came of rows."""

    machines: list[Any]
    scores: np.ndarray  # (machines, rows, outputs), before each update


class Lender(NamedTuple):
    """What is needed of a machine that lends its map to others, and does not learn itself."""

    feature_map: Any
    shape: Any
    paused: bool = False


class Team(SideBySide):
    """Candidates, and who lends them a map, where nobody judges them: what they score is written down."""

    def __init__(self, machines: Sequence[Any], t: int, n_rows: int) -> None:
        super().__init__(machines)
        self.started_at, self.rows = t, 0
        self.said = np.zeros((len(machines), n_rows, self.waiting.shape[2]))
        self.ahead[[isinstance(machine, Lender) for machine in machines]] = FOREVER

    @property
    def t(self) -> int:
        return self.started_at + self.rows

    def rows_left(self) -> int:
        return rows_left(self.t)

    def _settle(self, *lesson: Any) -> int:
        done = int(self.ahead.min())
        self.said[:, self.rows : self.rows + done] = self.waiting[:, :done]
        self.ahead -= done
        self.rows += done
        return done


def learn_rows(machines: Sequence[Any], lenders: Sequence[Lender], t: int, rows: Any) -> Any:
    """The task: what is :class:`Learned` of rows, after t others, by machines; None if one of them pauses.

    What is given stays as it is: it may be somebody else's, or be needed once more.
    """
    X, targets, weights = rows
    team = Team(deepcopy([*lenders, *machines]), t, len(targets))
    with at_work(1, FEWEST):  # one thread, however few rows there are
        team.learn(X, targets, weights)
    first = len(lenders)
    return None if team.paused else Learned(team.machines[first:], team.said[first:])


def rows_at_once(t: int, patience: int) -> int:
    """How many rows teams learn after t rows before they are judged: whole rounds."""
    stop = t + max(FEWEST, patience - t, t // 2)
    return stop + rows_left(stop) % ROUND - t


def taught(executor: Manners, lessons: Sequence[Any], t: int, stretch: Stretch) -> Learned | None:
    """What becomes of all machines, in the order of their numbers; None if one of them pauses."""
    rows = executor.submit(None, (stretch.X, stretch.targets, stretch.weights))
    tasks: dict[Any, list[int]] = {}
    try:
        for lesson in lessons:
            for places, lender in lesson.parts():
                sent = [lesson.machines[place] for place in places]
                first = [] if lender is None else [lesson.machines[lender]]
                lenders = [Lender(each.feature_map, each.shape) for each in first]
                task = executor.submit(learn_rows, sent, lenders, t, rows)
                tasks[task] = [lesson.numbers[place] for place in places]
        found = {task: task.result() for task in tasks}
    finally:
        executor.cancel(list(tasks))
    if any(learned is None for learned in found.values()):
        return None
    each = {
        number: one
        for task, numbers in tasks.items()
        for number, one in zip(numbers, zip(*found[task]), strict=True)
    }
    machines, scores = zip(*(each[number] for number in sorted(each)))
    grouped(machines)  # maps that are alike are one again
    return Learned(list(machines), np.stack(scores))


def with_maps_of(blanks: Sequence[Any], before: Sequence[Any], after: Sequence[Any]) -> list[Any]:
    """Machines that have learned nothing, on the maps that those of others have become.

    A map draws what it needs when it is needed: who had one in common goes on so.
    """
    maps = {
        id(old.feature_map): new.feature_map
        for old, new in zip(before, after)
        if getattr(old, "feature_map", None) is not None
    }
    made: list[Any] = [None if each is None else each.blank() for each in blanks]
    for each in made:
        found = getattr(each, "feature_map", None)
        if id(found) in maps:
            each.feature_map = maps[id(found)]
    return made
