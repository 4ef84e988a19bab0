"""Projection: Projectron's O(B²) a mistake beside RBP, and that it stays stable."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import onkel
from benchmarks.data import a9a
from benchmarks.report import Options, Report
from benchmarks.timing import best_times, by_products

TITLE = "Projectron against RBP, B = 1000, a9a dense float32"
BUDGET = 1000
GAMMA = 1 / 128
PERMUTATIONS = 5


def run(report: Report, options: Options) -> None:
    X, y = a9a(options.rows)
    common: dict[str, Any] = {"gamma": GAMMA, "random_state": 0}
    # Without tolerance the budget fills soonest, and every mistake after that is projected.
    models: dict[str, Any] = {
        "RBP": onkel.RBPClassifier(budget=BUDGET, **common),
        "Projectron": onkel.ProjectronClassifier(budget=BUDGET, tolerance=0.0, **common),
        "Projectron, tolerance 0.1": onkel.ProjectronClassifier(
            budget=BUDGET, tolerance=0.1, **common
        ),
    }
    jobs = {name: partial(model.fit, X, y) for name, model in models.items()}
    dense = best_times({name: by_products(job) for name, job in jobs.items()}, options)
    best = best_times(jobs, options)
    for times, way in ((dense, "by matrix products"), (best, "by non-zeros")):
        for name, seconds in times.items():
            note = f"{models[name].n_support_} vectors, {way}"
            report.time(name, seconds, len(y), len(y) * BUDGET, note)
    ratio = dense["Projectron"] / dense["RBP"]
    report.bar("Projectron / RBP, by matrix products", ratio, at_most=8)
    ratio = best["Projectron"] / best["RBP"]
    report.say(
        f"by non-zeros {ratio:.2f}: RBP takes half the time, a projection what it took before"
    )
    rival = onkel.KernelPerceptronClassifier(average=0, **common)
    rates = {
        name: mistake_rates(model, X, y) for name, model in (models | {"Perceptron": rival}).items()
    }
    for name, values in rates.items():
        spread = f"{np.mean(values):.2f} ± {np.std(values):.2f} % mistakes"
        report.say(f"{name:<48} {spread}, {PERMUTATIONS} permutations")
    for name in ("Projectron", "Projectron, tolerance 0.1"):
        points = float(np.mean(rates[name]) - np.mean(rates["Perceptron"]))
        report.bar(f"{name}: points of mistakes above Perceptron", points, at_most=2)


def mistake_rates(model: Any, X: np.ndarray, y: np.ndarray) -> list[float]:
    """Mistakes in per cent, over several random orders."""
    seeds = range(PERMUTATIONS)
    fits = (model.set_params(random_state=seed).fit(X, y) for seed in seeds)
    return [100 * fit.progress_.mistake_rate for fit in fits]
