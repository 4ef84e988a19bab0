"""A learner that gets its rows one by one: what is checked and looked up for a chunk stays as it is meanwhile."""

from __future__ import annotations

from typing import Any

import numpy as np

from onkel.engine.single import lane_for
from onkel.estimators.checks import ROOM, largest_value
from onkel.estimators.hearing import LISTENER
from onkel.kernels.geometry import PRODUCTS, geometry_of


def single_rows(learner: Any) -> SingleRows | None:
    """The quick way to give a learner one row at a time; None while only the usual one is open.

    That is so during the first look, while a classifier knows a single class, and where somebody listens.
    """
    state = vars(learner)
    if "_machine" not in state or LISTENER in state or len(state.get("classes_", "ab")) < 2:
        return None
    return SingleRows(learner)


class SingleRows:
    """Learns and scores rows that are written into ``row``, in the columns of the learner, and then taken."""

    def __init__(self, learner: Any) -> None:
        self.learner, self.machine = learner, learner._machine
        self.lane = lane_for(self.machine)
        self.row, self.scores = self.lane.row, self.lane.scores
        self._most = float(np.finfo(self.machine.shape.dtype).max) / ROOM
        kernel = self.machine.kernel
        grows = geometry_of(kernel) == PRODUCTS and largest_value(kernel, self._most) > self._most
        self._growing_kernel = kernel if grows else None

    @property
    def serves(self) -> bool:
        """Whether the learner is the one it was: it may have grown, or gone on as another machine."""
        state = vars(self.learner)
        return state.get("_machine") is self.machine and LISTENER not in state

    def take(self) -> bool:
        """Take the row, if it is of finite numbers, and none too large. If not, ``partial_fit`` tells why."""
        squares = self.lane.take()
        if self._growing_kernel is not None and squares < self._most:
            return largest_value(self._growing_kernel, squares) <= self._most
        return squares < self._most

    def learn(self, target: float, weight: float) -> None:
        """Learn the row; the target is as the machine has it."""
        self.lane.learn(target, weight)
        if self.machine.paused:
            self.learner._machine = self.machine.resumed(self.learner._after_pause)
        self.learner._check_divergence()
