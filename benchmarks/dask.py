"""A cluster against one process: time, coefficients, accuracy, and the memory of the client.

The cluster is local: worker processes of one thread each, which draw their own rows. The client is in a process of
its own, and the scheduler in another, as on a cluster of many machines; what a client needs that keeps the scheduler,
too, is told beside it, and what it needs before it does anything.
"""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, NamedTuple

import dask
import numpy as np
from dask.distributed import Client, LocalCluster
from sklearn.base import clone

import onkel
from benchmarks.data import AbsentError, standardised
from benchmarks.memory import most_memory
from benchmarks.report import Options, Report
from onkel.compiled.threads import one_blas_thread
from onkel.dask import DaskClassifier, DaskRegressor
from onkel.datasets import available, gaussian_mixture, load

TITLE = "ridge regression and FOGD on a local cluster, beside one process"
COMPONENTS, GAMMA = 1000, 0.4
#: All of them with --all; fewer tell the same, since every row costs as much.
ROWS, FEWER = 2_000_000, 60_000
PARTS = 16
SETS, MOST_ROWS = ("cod-rna", "ijcnn1", "skin"), 60_000
NUMBERS = ("casp",)


class Fitted(NamedTuple):
    """What a run on a cluster gave."""

    seconds: float
    imported: float  # peak memory of the client's process, MB, before it connects
    megabytes: float  # and in the end
    coef: np.ndarray


def run(report: Report, options: Options) -> None:
    beside_one_process(report, options)
    rounds(report, options)


def ridge(components: int) -> Any:
    return onkel.FourierRidgeClassifier(n_components=components, gamma=GAMMA, random_state=0)


def drawn(part: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows of a partition, always the same."""
    X, y = gaussian_mixture(rows, part)
    return X, y


def local_cluster(workers: int) -> LocalCluster:
    """Its scheduler is in this process."""
    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        memory_limit=0,
    )


def fit_on_cluster(rows: int, workers: int, learner: Any) -> Fitted:
    """Fit on a cluster whose scheduler is in this process, and whose client in one of its own."""
    with local_cluster(workers) as cluster:
        where = cluster.scheduler_address
        return in_process_of_its_own(fit_as_client, where, rows, workers, learner)


def fit_with_scheduler(rows: int, workers: int, learner: Any) -> Fitted:
    """Fit as a client that keeps the scheduler in its process."""
    imported = most_memory()
    with local_cluster(workers) as cluster:
        fitted = fit_as_client(cluster.scheduler_address, rows, workers, learner)
        return fitted._replace(imported=imported)


def fit_as_client(where: str, rows: int, workers: int, learner: Any) -> Fitted:
    """Fit in this process as the client; a small fit before loads the machine code."""
    imported = most_memory()
    parts = min(PARTS, rows)
    with Client(where) as client:
        client.wait_for_workers(workers)
        few = [dask.delayed(drawn)(part, 300) for part in range(2 * workers)]
        small = clone(learner).set_params(n_components=20)
        DaskClassifier(small).fit(few, classes=[-1, 1])
        chunks = [dask.delayed(drawn)(part, rows // parts) for part in range(parts)]
        began = time.perf_counter()
        model = DaskClassifier(learner).fit(chunks, classes=[-1, 1]).model_
        seconds = time.perf_counter() - began
        return Fitted(seconds, imported, most_memory(), model.coef_)


def in_process_of_its_own(function: Any, *arguments: Any) -> Any:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as one:
        return one.submit(function, *arguments).result()


def fit_alone(rows: int, components: int) -> tuple[float, np.ndarray]:
    """The same rows in one process, from drawing them to the model."""
    parts = min(PARTS, rows)
    ridge(20).fit(*drawn(0, 600))
    began = time.perf_counter()
    chunks = [drawn(part, rows // parts) for part in range(parts)]
    X, y = (np.concatenate(each) for each in zip(*chunks))
    model = ridge(components).fit(X, y)
    return time.perf_counter() - began, model.coef_


def beside_one_process(report: Report, options: Options) -> None:
    rows = options.rows or (ROWS if options.everything else FEWER)
    components = COMPONENTS if rows >= 10_000 else 20
    alone, coef = fit_alone(rows, components)
    report.time(f"Fourier ridge, D = {components}, one process", alone, rows)
    two = fit_on_cluster(rows, 2, ridge(components))
    report.time("the same, two workers of one thread", two.seconds, rows)
    gap = float(np.abs(two.coef - coef).max() / np.abs(coef).max())
    report.bar(f"time of two workers / one process, {rows} rows", two.seconds / alone, at_most=0.6)
    report.bar("coefficients differ by 1e-8 times", gap / 1e-8, at_most=1.0)
    both = in_process_of_its_own(fit_with_scheduler, min(rows, FEWER), 2, ridge(components))
    report.say(
        f"peak memory of a process: imports {two.imported:.0f} MB, as client {two.megabytes:.0f} MB, as client and "
        f"scheduler {both.megabytes:.0f} MB"
    )
    report.bar("peak memory of the client, MB", two.megabytes, at_most=300)


def rounds(report: Report, options: Options) -> None:
    """FOGD in at most five rounds, two shards, beside one pass over the same rows."""
    present = [name for name in (*SETS, *NUMBERS) if name in available()]
    if not present:
        raise AbsentError("no data sets")
    most = options.rows or MOST_ROWS
    with Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None):
        for name in present:
            report_rounds(report, name, most)


def report_rounds(report: Report, name: str, most: int) -> None:
    is_number = name in NUMBERS
    train_X, train_y, test_X, test_y = (
        numbers(name, most) if is_number else standardised(name, most, most)
    )
    learner = (onkel.FOGDRegressor if is_number else onkel.FOGDClassifier)(random_state=0)
    alone = learner.fit(train_X, train_y)
    size = -(-len(train_y) // 8)
    chunks = [
        dask.delayed((train_X[i : i + size], train_y[i : i + size]), traverse=False)
        for i in range(0, len(train_y), size)
    ]
    fit = (DaskRegressor if is_number else DaskClassifier)(learner, shards=2, rounds=5).fit(chunks)
    if is_number:
        errors = [
            float(np.sqrt(np.mean((m.predict(test_X) - test_y) ** 2))) for m in (alone, fit.model_)
        ]
        worse, unit, limit = 100 * (errors[1] / errors[0] - 1), "% of RMSE", 1.0
    else:
        errors = [1 - m.score(test_X, test_y) for m in (alone, fit.model_)]
        worse, unit, limit = 100 * (errors[1] - errors[0]), "points", 0.3
    report.say(f"{name:<10} errors {errors[0]:.4f} and {errors[1]:.4f}, {fit.n_rounds_} rounds")
    report.bar(f"FOGD on {name}: {unit} worse than one pass", worse, at_most=limit)


def numbers(name: str, most: int) -> Any:
    """A regression set, standardised, 30 % of it to be judged by."""
    random = np.random.default_rng(0)
    X, y = load(name)
    order = random.permutation(len(y))
    held_out, rest = np.split(order, [int(0.3 * len(y))])
    X = X.toarray()
    mean, spread = X[rest].mean(axis=0), X[rest].std(axis=0) + 1e-12
    X = (X - mean) / spread
    return X[rest[:most]], y[rest[:most]], X[held_out[:most]], y[held_out[:most]]


def one_thread_seconds(job: Any) -> float:
    """Seconds of a call on one BLAS thread."""
    with one_blas_thread(1 << 20):
        began = time.perf_counter()
        job()
        return time.perf_counter() - began
