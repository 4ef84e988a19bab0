"""The learners whose probabilities, intervals and class weights are judged, and how good these are."""

from __future__ import annotations

from typing import Any

import numpy as np

import onkel

BINS = 15


def classifiers(**settings: Any) -> dict[str, Any]:
    """Newly made, with nothing chosen but the seed and these settings."""
    return {
        "AVM": onkel.AVMClassifier(random_state=0, **settings),
        "FOGD": onkel.FOGDClassifier(random_state=0, **settings),
        "NOGD": onkel.NOGDClassifier(random_state=0, **settings),
        "BSGD-merging": onkel.BSGDClassifier(random_state=0, **settings),
        "Perceptron": onkel.KernelPerceptronClassifier(random_state=0, **settings),
    }


def regressors() -> dict[str, Any]:
    """The same for numbers."""
    return {
        "AVM": onkel.AVMRegressor(random_state=0),
        "FOGD": onkel.FOGDRegressor(random_state=0),
        "NOGD": onkel.NOGDRegressor(random_state=0),
        "BSGD-merging": onkel.BSGDRegressor(random_state=0),
        "Perceptron": onkel.KernelPerceptronRegressor(random_state=0),
    }


def calibration_error(p: np.ndarray, codes: np.ndarray) -> float:
    """Mean gap of confidence and accuracy over bins of the most likely class's probability (ECE)."""
    confidence, right = p.max(axis=1), p.argmax(axis=1) == codes
    bins = np.minimum((BINS * confidence).astype(int), BINS - 1)
    gaps = np.bincount(bins, confidence - right, BINS)
    return float(np.abs(gaps).sum() / len(codes))


def log_loss(p: np.ndarray, codes: np.ndarray) -> float:
    """Mean negative logarithm of the true class's probability."""
    given = p[np.arange(len(codes)), codes]
    return float(-np.log(np.maximum(given, np.finfo(float).tiny)).mean())
