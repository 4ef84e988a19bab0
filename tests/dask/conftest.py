"""What tests of the cluster share: one small cluster a module."""

from collections.abc import Iterator

import dask
import pytest
from dask.distributed import Client, LocalCluster


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """Two workers in this process: what is shared in memory must not be changed by tasks."""
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 10}),
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client
