"""Ridge regression on features of the same landmarks: one block of distances (or products) serves all kernels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from onkel.engine.lessons import Lesson, Part
from onkel.engine.matrix import KernelMatrix
from onkel.engine.ridge.landmarks import LandmarkMap
from onkel.kernels.geometry import CITY_BLOCK, PRODUCTS, SQUARED_DISTANCES, geometry_of, is_part
from onkel.model.questions import is_own


class Product(NamedTuple):
    """What a kernel of products is a function of."""

    @property
    def geometry(self) -> str:
        return PRODUCTS

    def value(self, g: Any) -> Any:
        return g


class SquaredDistance(NamedTuple):
    """What a kernel of Euclidean distances is a function of."""

    @property
    def geometry(self) -> str:
        return SQUARED_DISTANCES

    def value(self, g: Any) -> Any:
        return g


class CityBlock(NamedTuple):
    """What a kernel of city-block distances is a function of."""

    @property
    def geometry(self) -> str:
        return CITY_BLOCK

    def value(self, g: Any) -> Any:
        return g


RAW: dict[Any, Any] = {part.geometry: part for part in (Product(), SquaredDistance(), CityBlock())}


class OnLandmarks(Lesson):
    """Machines whose features are kernel values of the same landmarks, whatever the kernel."""

    def __init__(self, machine: Any, number: int) -> None:
        super().__init__(machine, number)
        first: LandmarkMap = machine.feature_map
        self.raw = KernelMatrix(RAW[geometry_of(first.kernel)], first.landmarks)
        self.features: dict[int, np.ndarray] = {}  # of each map, of the rows at hand

    @staticmethod
    def may_take(machine: Any) -> bool:
        """Whether it has landmarks, and a kernel of onkel's own: a user's may be for numbers only."""
        found = getattr(machine, "feature_map", None)
        return type(found) is LandmarkMap and is_part(found.kernel) and is_own(found.kernel)

    def takes(self, machine: Any) -> bool:
        mine, other = self.machines[0].feature_map, machine.feature_map
        alike = machine.shape == self.machines[0].shape
        return alike and geometry_of(mine.kernel) == geometry_of(other.kernel) and (
            mine.has_landmarks_of(other)
        )  # fmt: skip

    def join(self, machine: Any, number: int) -> None:
        super().join(machine, number)
        for known in self.machines:
            if machine.feature_map.is_same(known.feature_map):
                machine.feature_map = known.feature_map  # once is enough
                return

    def parts(self) -> list[Part]:
        """Each for itself: what they share is little beside what each does."""
        return [Part([place]) for place in range(len(self.machines))]

    def is_same_without(self, gone: set[int]) -> bool:
        return True

    def evaluate(self, start: int, stop: int) -> None:
        raw = self.raw(self.X[start:stop])
        self.features = {}
        for machine in self.machines:
            found = machine.feature_map
            if id(found) not in self.features:
                values = np.asarray(found.kernel.value(raw), raw.dtype)
                self.features[id(found)] = found.turned(values)

    def walk(self, place: int, start: int, stop: int, trace: np.ndarray) -> None:
        machine, rows = self.machines[place], slice(start, stop)
        lesson = self.targets[rows], self.weights[rows], trace[: stop - start]
        machine.learn_features(self.features[id(machine.feature_map)], *lesson)
