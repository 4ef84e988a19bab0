"""The data room: a registry of benchmark sets, their files from folder or network, generated streams.

`names` and `info` tell what is known of the papers' data sets, `load` gives one as arrays, `locate` gives
its files (to open a stream on), `fetch` downloads them, `where` tells which are here. `gaussian_mixture`
and the others draw synthetic streams, with and without drift.
"""

from onkel.datasets.fetching import Place, available, fetch, locate, where
from onkel.datasets.files import load
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
from onkel.datasets.registry import DatasetInfo, FileInfo, PaperUse, info, names
from onkel.datasets.scaling import scale_to

__all__ = [
    "names",
    "info",
    "DatasetInfo",
    "FileInfo",
    "PaperUse",
    "load",
    "locate",
    "fetch",
    "where",
    "Place",
    "available",
    "scale_to",
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
