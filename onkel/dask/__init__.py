"""All machines: learners of onkel on dask, shard by shard, and one model of all.

Needs the extra ``onkel[dask]``. How models of shards become one is no matter of dask: it is ``merge`` of the model,
see :class:`onkel.SupportsMerge`.
"""

from onkel.dask.estimators import DaskClassifier, DaskOneClass, DaskRegressor
from onkel.dask.partitions import PartitionError

__all__ = ["DaskClassifier", "DaskOneClass", "DaskRegressor", "PartitionError"]
