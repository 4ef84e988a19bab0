"""Reference room: approximation vector machine, SGD whose terms are charged to cells of a cover.

With probability p_t = max(0, 1 - beta / t^rho) the term of x_t goes to the core point of the cell
that holds x_t (a new cell if there is none), otherwise x_t becomes a support vector that is no core
point.
"""

import math
from typing import Any

import numpy as np

from tests.reference.base import Array, Draws, Kernel, Loss, Twin
from tests.reference.sgd import SGD


class Cells(Twin):
    """`diameter` is delta, `exact_rate` beta, `exact_decay` rho; `cores` lists the core slots.

    `gamma` is not needed here: the kernel function has it. Cells are measured in input space.
    """

    def __init__(
        self,
        task: str,
        n_outputs: int,
        kernel: Kernel,
        loss: Loss,
        *,
        diameter: float,
        cells: str = "sphere",
        exact_rate: float = 0.0,
        exact_decay: float = 1.0,
        max_cores: int | None = None,
        at_cap: str = "charge",
        gamma: float | None = None,
        **shared: Any,
    ) -> None:
        super().__init__(task, n_outputs, kernel, loss, **shared)
        if cells not in ("sphere", "box") or at_cap not in ("charge", "drop"):
            raise ValueError(f"unknown cells {cells!r} or at_cap {at_cap!r}")
        self.diameter = diameter
        self.cells = cells
        self.exact_rate = exact_rate
        self.exact_decay = exact_decay
        self.max_cores = max_cores
        self.at_cap = at_cap
        self.gamma = gamma
        self.cores: list[int] = []

    def absorb(self, x: Array, coefficient: Array, draws: Draws) -> None:
        p_t = max(0.0, 1.0 - self.exact_rate / self.t**self.exact_decay)
        if draws.exact >= p_t:
            if coefficient.any():
                self.append(x, coefficient)
            return
        home = self.cell_of(x)
        if home is None and (self.max_cores is None or len(self.cores) < self.max_cores):
            # an uncovered arrival opens a cell whatever its loss
            self.cores.append(len(self.slots))
            self.append(x, coefficient)
            return
        if home is None and self.at_cap == "charge":
            home = self.nearest(x)
        if home is not None:
            self.slots[home].value += coefficient

    def pass_by(self, x: Array, draws: Draws) -> None:
        self.absorb(x, np.zeros(self.n_outputs), draws)

    def distance(self, x: Array, slot: int) -> float:
        difference = x - self.slots[slot].vector
        if self.cells == "box":
            return float(np.max(np.abs(difference)))
        return math.sqrt(float(difference @ difference))

    def nearest(self, x: Array) -> int:
        """min() keeps the first of equals: the lowest slot."""
        return min(self.cores, key=lambda slot: self.distance(x, slot))

    def cell_of(self, x: Array) -> int | None:
        """The slot of the core point whose cell holds x: nearest sphere, or first box."""
        if not self.cores:
            return None
        if self.cells == "sphere":
            home = self.nearest(x)
            return home if self.distance(x, home) < self.diameter / 2.0 else None
        reach = self.diameter / (2.0 * math.sqrt(x.size))
        return next((slot for slot in self.cores if self.distance(x, slot) < reach), None)


class AVM(Cells, SGD):
    """SGD with cells."""
