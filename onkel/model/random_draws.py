"""The random stream of a learner: each part draws from a lane of its own.

A draw is a hash of the learner's seed, the instance's number and the lane, so that two parts of one
learner never see the same number, and it does not matter who draws first, or whether.
"""

from __future__ import annotations

from onkel.compiled.decorators import inner
from onkel.compiled.draws import draw
from onkel.model.instance import Instance

#: Whether a rule takes the instance; which vector goes; which score an estimate of quantiles keeps.
SAMPLING, VICTIM, RESERVOIR = 0, 1, 2
#: Whether a budget beyond its size acts; whether AVM keeps the instance as it is.
MAINTENANCE, EXACT = 3, 4
#: This lane and those above are for the parts of users.
USER = 16


@inner
def random_draw(instance: Instance, lane: int) -> float:
    """A number in [0, 1) that belongs to the instance and the lane."""
    return draw(instance.seed, instance.t, lane)
