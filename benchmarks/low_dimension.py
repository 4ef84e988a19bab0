"""Low dimension: where a row is eight numbers, everything around the kernel values counts."""

from __future__ import annotations

from typing import Any

import onkel
from benchmarks.data import cod_rna
from benchmarks.report import Options, Report
from benchmarks.timing import best_times

TITLE = "AVM on cod-rna (d = 8, float32, δ = 1, γ = 0.0625), one core"


def run(report: Report, options: Options) -> None:
    X, y = cod_rna(options.rows)

    def fitted(**changes: Any) -> Any:
        settings: dict[str, Any] = {"diameter": 1.0, "gamma": 0.0625, "regularization": 8.3984e-05}
        settings |= {"average": False, "shuffle": False, "random_state": 0}
        return onkel.AVMClassifier(**(settings | changes)).fit(X, y)

    model = fitted()
    jobs = {
        "in the order given": fitted,
        "in random order": lambda: fitted(shuffle=True),
        "in the order given, suffix average": lambda: fitted(average=0.5),
    }
    best = best_times(jobs, options)
    for what, seconds in best.items():
        report.time(what, seconds, len(y), len(y) * model.n_support_)
    rate = 100 * model.progress_.mistake_rate
    report.say(f"{model.n_support_} core points, {rate:.2f} % mistakes")
    speed = len(y) / best["in the order given"] / 1e6
    report.bar("million instances per second", speed, at_least=1)
