"""The data room: benchmark files from a folder, and generated streams.

`load` and `available` read the svmlight files of the papers' benchmarks, `gaussian_mixture` and its
relatives draw the synthetic stream of the SPA paper.
"""

from onkel.datasets.files import available, load, scale_to
from onkel.datasets.generators import (
    gaussian_mixture,
    gaussian_mixture_bayes_rate,
    gaussian_mixture_stream,
)

__all__ = [
    "available",
    "load",
    "scale_to",
    "gaussian_mixture",
    "gaussian_mixture_stream",
    "gaussian_mixture_bayes_rate",
]
