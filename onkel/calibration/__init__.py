"""Calibration: how sure a model is, learned from its scores before each update.

An observer is shown these scores, which are honest, since the model has not seen the row; what it knows is in
plain arrays. :class:`Calibrator` turns scores into probabilities, :class:`ResidualQuantiles` knows how far
predictions are off, :class:`ScoreSample` which scores are low.
"""

from onkel.calibration.calibrator import Calibrator, SingleClass
from onkel.calibration.quantiles import ResidualQuantiles
from onkel.calibration.sample import ScoreSample

__all__ = ["Calibrator", "ResidualQuantiles", "ScoreSample", "SingleClass"]
