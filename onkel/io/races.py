"""Model files: whether what was read can be a race."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from onkel.calibration import ResidualQuantiles
from onkel.drift import Adwin
from onkel.io.requirements import check_adwin, require, same_kind
from onkel.race.curves import MOST_PLACES, Curves
from onkel.race.foreign import ForeignMachine
from onkel.race.machine import Judge, RaceMachine, Terms
from onkel.race.standings import LEADER, RACING, Standings


def check_race(model: Any, check_one: Callable[[Any], None]) -> None:
    """Raise where candidates, machines or standings contradict each other; ``check_one`` looks at a machine."""
    race: RaceMachine = model._machine
    count = len(model.candidates_)
    names, params = vars(model).get("_names"), vars(model).get("_params")
    for told in (names, params, race.lines, race.resting):
        require(isinstance(told, list) and len(told) == count > 0, "its candidates do not add up")
    require(type(race.parts) is Judge and type(race.terms) is Terms, "it has no terms")
    check_standings(race, count)
    require(len(race.machines) == len(race.racing), "its machines are not those that race")
    for machine in (*race.machines, *(each for each in race.resting if each is not None)):
        if not isinstance(machine, ForeignMachine):
            check_one(machine)
        alike = machine.shape._replace(layout="") == race.whole._replace(layout="")
        require(alike, "its machines are of several shapes")
    for line in race.lines:
        require(line is None or type(line) is ResidualQuantiles, "what a candidate says is odd")
    require(race.detector is None or type(race.detector) is Adwin, "its detector is none")
    if race.detector is not None:
        check_adwin(race.detector)
    rows = len(race.racing), race.waiting.shape[1], race.whole.n_outputs
    require(race.waiting.shape == rows, "waiting is of another size or type")
    ahead = race.ahead
    require(ahead.shape == rows[:1] and ((ahead >= 0) & (ahead <= rows[1])).all(), "ahead is odd")


def check_standings(race: RaceMachine, count: int) -> None:
    standings, curves, fresh = race.standings, race.curves, Standings(count, 1.0)
    require(type(standings) is Standings and type(curves) is Curves, "it has no standings")
    for name in ("table", "sums", "decay"):
        same_kind(vars(standings).get(name), vars(fresh)[name], name)
    points = curves.points
    require(points.shape[1:] == (3 + count,) and len(points) < MOST_PLACES, "its curves are odd")
    require(curves.spacing.shape == (1,) and curves.spacing[0] > 0, "its curves are odd")
    racing = np.flatnonzero(standings.table[:, RACING] > 0.0).tolist()
    require(racing == race.racing and racing, "nobody knows who races")
    require(standings.sums[LEADER] in racing, "its leader has left")
