"""Losses: one number in (a margin or a residual), one number out, and its slope."""

from onkel.losses.declarations import declares
from onkel.losses.margin import Hinge, Logistic, Odm, SmoothHinge, SquaredHinge
from onkel.losses.residual import L1, L2, EpsilonInsensitive

__all__ = [
    "L1",
    "L2",
    "EpsilonInsensitive",
    "Hinge",
    "Logistic",
    "Odm",
    "SmoothHinge",
    "SquaredHinge",
    "declares",
]
