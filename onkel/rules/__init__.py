"""Rules: given the loss and its slope, how far to step and how much to shrink the rest."""

from onkel.model.instance import Step
from onkel.rules.gradient import ConstantStep, DecreasingStep
from onkel.rules.mistake import OnMarginError, OnMistake
from onkel.rules.norma import AdaptiveMargin, AdaptiveTube
from onkel.rules.passive_aggressive import PassiveAggressive
from onkel.rules.sampled import SampledGradient, SampledPassiveAggressive

__all__ = [
    "AdaptiveMargin",
    "AdaptiveTube",
    "ConstantStep",
    "DecreasingStep",
    "OnMarginError",
    "OnMistake",
    "PassiveAggressive",
    "SampledGradient",
    "SampledPassiveAggressive",
    "Step",
]
