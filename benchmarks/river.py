"""At home in river: what learn_one and predict_one of one dict cost, against river's linear model and its sampler.

Features of the sampler are cosines of single coordinates: 100 components of 20 features are 2,000, as many as FOGD
has by default (1,000 sines and as many cosines).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.data import AbsentError
from benchmarks.report import Options, Report
from benchmarks.timing import Job, best_times

TITLE = "predict_one and learn_one of dicts with 20 features, against river's LogisticRegression"
FEATURES, ROWS, BEFORE = 20, 1000, 600
LINEAR, SAMPLER = "river's LogisticRegression", "river's RBFSampler (100) | LogisticRegression"
SMALL = "FOGDClassifier, 100 components"
#: Learners beside FOGD; with --all every classifier.
OTHERS = ("AVM", "BSGD", "NOGD", "Projectron", "RBP", "FourierRidge")
#: At most so many times the linear model, and such a share of the sampler.
MOST, SHARE = 3.0, 1 / 15


def run(report: Report, options: Options) -> None:
    try:
        import river  # noqa: F401
    except ModuleNotFoundError:
        raise AbsentError("river is not installed: pip install onkel[river]") from None
    stream = dicts(BEFORE + min(ROWS, options.rows or ROWS))
    jobs = {name: taught(model, stream) for name, model in models(options).items()}
    best = best_times(jobs, options)
    rows = len(stream) - BEFORE
    for what, seconds in best.items():
        report.time(what, seconds, rows)
    report.bar(f"{SMALL} / {LINEAR}", best[SMALL] / best[LINEAR], at_most=MOST)
    report.bar(f"{SMALL} / {SAMPLER}", best[SMALL] / best[SAMPLER], at_most=SHARE)
    for what in best:
        if what not in (LINEAR, SAMPLER, SMALL):
            linear, sampler = best[what] / best[LINEAR], best[what] / best[SAMPLER]
            verdict = "both bars met" if linear <= MOST and sampler <= SHARE else "not both met"
            report.say(
                f"{what}: {linear:.2f} x linear, 1/{1 / sampler:.0f} of the sampler: {verdict}"
            )


def dicts(n: int) -> list[tuple[dict[str, float], bool]]:
    """Rows of normal numbers, whose label is the sign of a product."""
    X = np.random.default_rng(0).normal(size=(n, FEATURES))
    names = [f"f{j}" for j in range(FEATURES)]
    return [(dict(zip(names, x)), x[0] * x[1] > 0) for x in X.tolist()]


def models(options: Options) -> dict[str, Any]:
    from river import feature_extraction, linear_model

    import onkel.river as ours

    made: dict[str, Any] = {
        LINEAR: linear_model.LogisticRegression(),
        SAMPLER: feature_extraction.RBFSampler(n_components=100, seed=0)
        | linear_model.LogisticRegression(),
        SMALL: ours.FOGDClassifier(n_components=100, seed=0),
        "FOGDClassifier, 1000 components": ours.FOGDClassifier(seed=0),
        "RandomFourier (100) | LogisticRegression": ours.RandomFourier(gamma=0.02, seed=0)
        | linear_model.LogisticRegression(),
    }
    for name in ours.__all__:
        family = name.removesuffix("Classifier")
        if family != name and family != "FOGD" and (options.everything or family in OTHERS):
            cls = getattr(ours, name)
            taken = cls()._get_params()
            sizes = {size: 100 for size in ("budget", "n_components") if size in taken}
            made[f"{name}{', size 100' if sizes else ''}"] = cls(**sizes, seed=0)
    return made


def taught(model: Any, stream: list[Any]) -> Job:
    """A job that predicts and learns rows, by a model that has learned others before."""
    for x, y in stream[:BEFORE]:
        model.learn_one(x, y)
    rows = stream[BEFORE:]

    def job() -> None:
        predict, learn = model.predict_one, model.learn_one
        for x, y in rows:
            predict(x)
            learn(x, y)

    return job
