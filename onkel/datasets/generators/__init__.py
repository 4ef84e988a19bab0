"""Generated streams, one file a generator; each as whole arrays and as a stream of chunks.

The same seed gives the same rows, whatever their number and the size of the chunks.
"""

from onkel.datasets.generators.clusters import (
    drifting_clusters,
    drifting_clusters_centers,
    drifting_clusters_stream,
)
from onkel.datasets.generators.gaussian import (
    gaussian_mixture,
    gaussian_mixture_bayes_rate,
    gaussian_mixture_stream,
)
from onkel.datasets.generators.hyperplane import (
    rotating_hyperplane,
    rotating_hyperplane_stream,
    rotating_hyperplane_weights,
)
from onkel.datasets.generators.sea import sea, sea_stream

__all__ = [
    "gaussian_mixture",
    "gaussian_mixture_stream",
    "gaussian_mixture_bayes_rate",
    "rotating_hyperplane",
    "rotating_hyperplane_stream",
    "rotating_hyperplane_weights",
    "drifting_clusters",
    "drifting_clusters_stream",
    "drifting_clusters_centers",
    "sea",
    "sea_stream",
]
