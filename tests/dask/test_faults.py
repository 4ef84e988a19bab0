"""Workers that are killed in the middle: the fit goes on, the model is the same, and no row counts twice."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import dask
import numpy as np
from dask.distributed import Client, LocalCluster

import onkel
from onkel.dask import DaskClassifier
from onkel.parallel.limits import threads_for

KILLS, WORKERS = 10, 2
PARTS, ROWS, RACED = 6, 200, 8_000
#: Seconds after which a fit loses a worker, at most, and in which it is replaced or never.
SOON, PATIENCE = 1.5, 20


def chunk(i: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows that take a while to come."""
    time.sleep(0.2)
    rng = np.random.default_rng(i)
    X = rng.normal(size=(ROWS, 3))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


@contextmanager
def cluster_of_processes() -> Iterator[LocalCluster]:
    # A task that is running when its worker is killed is to blame, as far as dask knows.
    settings: dict[str, Any] = {
        "distributed.scheduler.allowed-failures": 2 * KILLS,
        "distributed.admin.tick.limit": "60s",
    }
    with (
        dask.config.set(settings),
        LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=50,
        ) as cluster,
        Client(cluster),
    ):
        yield cluster


def is_whole(cluster: LocalCluster) -> bool:
    """Whether all workers are there: dask does not replace one that is killed while it starts."""
    try:
        cluster.get_client().wait_for_workers(WORKERS, timeout=PATIENCE)
    except TimeoutError:
        return False
    return True


def kill_one(cluster: LocalCluster, which: int) -> None:
    running = [nanny.pid for nanny in cluster.workers.values() if nanny.pid]
    os.kill(running[which % len(running)], signal.SIGKILL)


def test_workers_do_not_take_each_others_cores() -> None:
    """A learner in a worker process of one thread has one, whatever it asks for."""
    with cluster_of_processes() as cluster:
        allowed = cluster.get_client().map(threads_for, [-1, 8, None], pure=False)
        assert [each.result() for each in allowed] == [1, 1, 1]


def fit_of_chunks(learner: Any, **settings: Any) -> Callable[[Client], Any]:
    """A fit of partitions; its shards learn as tasks."""
    chunks = [dask.delayed(chunk)(i) for i in range(PARTS)]
    fit = DaskClassifier(learner, shards=3, **settings)
    return lambda client: fit.fit(chunks, classes=[0, 1]).model_


def race(client: Client) -> Any:
    """A race whose candidates learn as tasks."""
    random = np.random.default_rng(0)
    X = random.normal(size=(RACED, 3))
    widths = [0.03, 0.3, 3.0]
    settings = {"n_components": 200, "random_state": 0}
    candidates = [onkel.FourierRidgeClassifier(gamma=gamma, **settings) for gamma in widths]
    learner = onkel.RaceClassifier(candidates=candidates, random_state=0)
    return learner.fit(X, X[:, 0] * X[:, 1] > 0, executor=client)


def test_ten_kills_at_random_leave_every_model_as_it_is() -> None:
    ridge = onkel.FourierRidgeClassifier(n_components=20, gamma=0.3, random_state=0)
    fogd = onkel.FOGDClassifier(n_components=20, gamma=0.3, random_state=0)
    fits = [fit_of_chunks(ridge), fit_of_chunks(fogd, rounds=2, tol=0.0), race]
    with cluster_of_processes() as cluster:
        expected = [fit(cluster.get_client()) for fit in fits]
    assert [model.t_ for model in expected] == [PARTS * ROWS, 2 * PARTS * ROWS, RACED]
    X = np.random.default_rng(1).normal(size=(200, 3))
    random, kills = np.random.default_rng(0), 0
    while kills < KILLS:
        with cluster_of_processes() as cluster:
            while kills < KILLS and is_whole(cluster):
                which = kills % len(fits)
                told = cluster, int(random.integers(WORKERS))
                killer = threading.Timer(random.uniform(0.0, SOON), kill_one, told)
                killer.start()
                model = fits[which](cluster.get_client())
                killer.join()
                kills += 1
                scores = [each.decision_function(X) for each in (model, expected[which])]
                np.testing.assert_array_equal(*scores)
                assert model.progress_ == expected[which].progress_
                time.sleep(0.5)  # who is lost is known to be
