"""Budgets: how the support set takes a new term in."""

from onkel.budgets.cells import Boxes, Spheres
from onkel.budgets.drop import DropOldest, DropRandom, DropRandomUnbiased, DropSmallest, Replace
from onkel.budgets.forget import Forget
from onkel.budgets.merge import Merge, merging
from onkel.budgets.project_newest import ProjectNewest
from onkel.budgets.project_smallest import ProjectSmallest, ProjectSmallestNearby
from onkel.budgets.sometimes import Sometimes
from onkel.budgets.unbounded import Explicit, Unbounded

__all__ = [
    "Boxes",
    "DropOldest",
    "DropRandom",
    "DropRandomUnbiased",
    "DropSmallest",
    "Explicit",
    "Forget",
    "Merge",
    "ProjectNewest",
    "ProjectSmallest",
    "ProjectSmallestNearby",
    "Replace",
    "Sometimes",
    "Spheres",
    "Unbounded",
    "merging",
]
