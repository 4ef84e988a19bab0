"""Explicit feature maps as scikit-learn transformers."""

from onkel.transformers.fourier import RandomFourier

__all__ = ["RandomFourier"]
