"""Streams that change: detectors of drift, and learners that give way to fresh ones when something has changed."""

from onkel.drift.adwin import Adwin
from onkel.drift.aware import Drift, DriftAware
from onkel.drift.detector import Detector

__all__ = ["Adwin", "Detector", "Drift", "DriftAware"]
