"""Explicit feature maps as scikit-learn transformers."""

from onkel.transformers.fourier import RandomFourier
from onkel.transformers.nystrom import Nystrom

__all__ = ["Nystrom", "RandomFourier"]
