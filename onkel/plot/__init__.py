"""Pictures of learners, as scikit-learn's displays: the data of a picture, and ``plot`` that draws it.

They need matplotlib (``pip install "onkel[plot]"``), which is imported when something is drawn. Colours are those
of Okabe and Ito, who chose them for colour-blind readers.
"""

from onkel.plot.drift import DriftDisplay
from onkel.plot.intervals import IntervalDisplay
from onkel.plot.progress import ProgressDisplay
from onkel.plot.race import RaceDisplay
from onkel.plot.reliability import ReliabilityDisplay
from onkel.plot.surface import DecisionSurfaceDisplay

__all__ = [
    "DecisionSurfaceDisplay",
    "DriftDisplay",
    "IntervalDisplay",
    "ProgressDisplay",
    "RaceDisplay",
    "ReliabilityDisplay",
]
