"""The cost of a fit on a cluster, as a formula: constants measured here, checked by runs, drawn for larger clusters.

    T(W) = a + R [ N (r + l) / W + h S / W + k (F (B / b + j) + s) ] + N r / W + 2 (R + 1) P o

R rounds over N rows on W workers; a row is read in r seconds and learned in l; each of S shards takes h seconds
more for its first rows, when settings are chosen; models are B bytes, go over wires of b bytes a second, are joined
in j seconds each and solved in s, F at a time in k levels of a tree; P tasks of o seconds of the scheduler. The last
N r / W is the look at all partitions, and a what a fit takes without rows.
"""

from __future__ import annotations

import copy
import io
import math
import pickle
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from dask.distributed import Client, LocalCluster

import onkel
from benchmarks.dask import COMPONENTS, GAMMA, PARTS, drawn, fit_on_cluster
from benchmarks.report import Options, Report
from onkel.dask.estimators import CHAINS_A_THREAD
from onkel.dask.plan import FAN_IN
from onkel.stream import open_stream

TITLE = "a cost model of fits on clusters, checked with 1, 2 and 4 workers"
FEWER = 8_000
#: Runs that check the formula have so many times as many rows as the constants were measured on.
MORE = 5
#: The clusters that are drawn: rows, rows of a partition, bytes a second between machines.
MANY_ROWS, PART_ROWS, WIRE = 10**10, 10**6, 1e9
WORKERS = [1, 2, 4, 8, 16, 32, 64, 125, 250, 500, 1000]
FIGURE = Path(__file__).parents[1] / "docs" / "scaling.svg"


class Costs(NamedTuple):
    """Of one learner, in seconds and bytes."""

    name: str
    begin: float  # a fit of next to no rows, beside the rest
    read: float  # a row
    learn: float  # a row
    shard: float  # the first rows of a shard, beside the rest
    model: float  # bytes
    join: float  # a model
    solve: float  # the model of several
    task: float  # of the scheduler
    rounds: int
    chains: int  # shards, for each worker


def seconds(
    costs: Costs, rows: float, parts: float, workers: int, wire: float, cores: int | None = None
) -> dict[str, float]:
    """What a fit takes, by what it is spent for; fewer cores than workers are shared by them."""
    chains = min(parts, costs.chains * workers)
    workers = min(workers, cores or workers)
    levels = max(1, math.ceil(math.log(max(chains, 2), FAN_IN)))
    fan = min(FAN_IN, chains)
    busy = math.ceil(parts / workers) * rows / parts  # rows of the worker that has most
    return {
        "beginning": costs.begin,
        "reading": (costs.rounds + 1) * busy * costs.read,
        "learning": costs.rounds * busy * costs.learn,
        "first rows": costs.rounds * math.ceil(chains / workers) * costs.shard,
        "merging": costs.rounds * levels * (fan * (costs.model / wire + costs.join) + costs.solve),
        "scheduling": (costs.rounds + 1) * 2 * parts * costs.task,
    }


def run(report: Report, options: Options) -> None:
    rows = options.rows or FEWER
    components = COMPONENTS if rows >= FEWER else 20
    found = [measured(name, components, rows) for name in ("ridge", "FOGD")]
    for costs in found:
        report.say(
            f"{costs.name:<6} begin {costs.begin:.2f} s, read {1e6 * costs.read:.2f} µs/row, "
            f"learn {1e6 * costs.learn:.1f} µs/row, first rows of a shard {costs.shard:.2f} s"
        )
        report.say(
            f"{costs.name:<6} model {costs.model / 1e6:.2f} MB, join {1e3 * costs.join:.1f} ms, "
            f"solve {costs.solve:.2f} s, task {1e3 * costs.task:.2f} ms"
        )
    check(report, found[0], MORE * rows, components)
    for costs in found:
        for workers in WORKERS:
            parts = seconds(costs, MANY_ROWS, MANY_ROWS / PART_ROWS, workers, WIRE)
            total = sum(parts.values())
            share = ", ".join(
                f"{name} {100 * value / total:.0f} %" for name, value in parts.items()
            )
            report.say(
                f"{costs.name:<6} 10^10 rows, {workers:>4} workers: {total:12.0f} s  ({share})"
            )
    draw(found, FIGURE)
    report.say(f"drawn in {FIGURE.name}")


def learner(name: str, components: int) -> Any:
    kind = onkel.FourierRidgeClassifier if name == "ridge" else onkel.FOGDClassifier
    return kind(n_components=components, gamma=GAMMA, random_state=0)


def measured(name: str, components: int, rows: int) -> Costs:
    """The constants of a learner on this machine, on one thread."""
    X, y = drawn(0, rows)
    settled = learner(name, components).settle(X[:2000], y[:2000])
    copy.deepcopy(settled).partial_fit(X[:600], y[:600])
    model = copy.deepcopy(settled)
    few = rows // 4  # over a choice of settings
    first = took(lambda: model.partial_fit(X, y).partial_fit(X[:few], y[:few]))
    learn = took(lambda: model.partial_fit(X, y)) / rows
    shard = max(0.0, first - (rows + few) * learn)
    others = [copy.deepcopy(model) for _ in range(FAN_IN - 1)]
    one, many = (
        min(took(lambda n=n: copy.deepcopy(model).merge(*others[:n])) for _ in range(3))
        for n in (1, FAN_IN - 1)
    )
    join = max((many - one) / (FAN_IN - 2), 0.0)
    size = len(pickle.dumps(model, protocol=5))
    rounds, chains = (1, CHAINS_A_THREAD) if name == "ridge" else (3, 1)
    costs = Costs(
        name, 0.0, reading(X, y), learn, shard, size, join, max(one - join, 0.0), scheduling(), rounds, chains
    )  # fmt: skip
    return with_beginning(costs, components)


def with_beginning(costs: Costs, components: int) -> Costs:
    """What a fit of next to no rows takes beside what is known: to settle a model, and to hand it over."""
    rows = 8 * PARTS
    found = fit_on_cluster(rows, 1, learner(costs.name, components)).seconds
    known = sum(seconds(costs._replace(read=0.0, shard=0.0), rows, PARTS, 1, WIRE).values())
    return costs._replace(begin=max(0.0, found - known))


def took(job: Any) -> float:
    """Seconds of the processor: others may keep the cores busy."""
    began = time.process_time()
    job()
    return time.process_time() - began


def reading(X: np.ndarray, y: np.ndarray) -> float:
    """Seconds a row of a CSV file."""
    text = io.StringIO()
    np.savetxt(text, np.c_[X, y], delimiter=",", header="a,b,y", comments="", fmt="%.9g")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "rows.csv")
        file.write_text(text.getvalue())
        return min(took(lambda: list(open_stream(file, target="y"))) for _ in range(3)) / len(y)


def scheduling() -> float:
    """Seconds that the scheduler needs for a task that does nothing."""
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        many = 500
        return took(lambda: client.gather(client.map(abs, range(many)))) / many


def check(report: Report, costs: Costs, rows: int, components: int) -> None:
    """The formula beside runs; where there are fewer cores than workers, they share them."""
    import os

    cores = os.cpu_count() or 1
    parts = min(PARTS, rows)
    local = costs._replace(read=0.0)  # workers draw their rows
    for workers in (1, 2, 4):
        found = fit_on_cluster(rows, workers, learner(costs.name, components))
        told = seconds(local, rows, parts, workers, WIRE, cores)
        report.say(
            f"{costs.name:<6} {rows} rows, {workers} workers on {cores} cores: {found.seconds:.1f} s, by the formula "
            f"{sum(told.values()):.1f} s"
        )


def draw(found: list[Costs], path: Path) -> None:
    """Time over workers, and what perfect scaling would be."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "onkel"
    figure, axes = plt.subplots(1, len(found), figsize=(9, 3.6), layout="constrained")
    for axis, costs in zip(axes, found):
        told = [seconds(costs, MANY_ROWS, MANY_ROWS / PART_ROWS, w, WIRE) for w in WORKERS]
        for name in told[0]:
            axis.loglog(WORKERS, [each[name] for each in told], label=name, lw=1)
        total = [sum(each.values()) for each in told]
        axis.loglog(WORKERS, total, "k", lw=2, label="in all")
        axis.loglog(
            WORKERS, [total[0] / w for w in WORKERS], "k:", lw=1, label="if it scaled perfectly"
        )
        axis.set(title=f"{costs.name}, $10^{{10}}$ rows", xlabel="workers", ylabel="seconds")
    axes[0].legend(fontsize=7)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
