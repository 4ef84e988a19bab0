"""The pictures of the algorithms' pages: what a learner of each family makes of the same moons.

They are kept in `docs/algorithms/pictures`; `python docs/pictures.py` draws them again.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

import onkel
from onkel.plot import DecisionSurfaceDisplay

FOLDER = Path(__file__).parent / "algorithms" / "pictures"
COMMON = {"gamma": 2.0, "random_state": 0}
#: Of each page two learners, small enough that their vectors can be seen.
LEARNERS = {
    "sgd": [
        onkel.BSGDClassifier(budget=20, **COMMON),
        onkel.BSGDClassifier(budget=20, maintenance="removal", **COMMON),
    ],
    "avm": [
        onkel.AVMClassifier(diameter=0.5, **COMMON),
        onkel.AVMClassifier(diameter=0.7, cells="box", **COMMON),
    ],
    "sampling": [
        onkel.SPAClassifier(sampling=20.0, **COMMON),
        onkel.SPAOneClass(sampling=20.0, **COMMON),
    ],
    "fourier": [
        onkel.FOGDClassifier(n_components=20, **COMMON),
        onkel.FOGDClassifier(n_components=500, **COMMON),
    ],
    "nystrom": [
        onkel.NOGDClassifier(budget=20, rank=10, **COMMON),
        onkel.NOGDClassifier(budget=100, **COMMON),
    ],
    "ridge": [
        onkel.FourierRidgeClassifier(n_components=100, **COMMON),
        onkel.NystromRidgeClassifier(n_components=50, **COMMON),
    ],
    "perceptron": [
        onkel.KernelPerceptronClassifier(**COMMON),
        onkel.ProjectronClassifier(budget=20, **COMMON),
    ],
    "gradient": [onkel.OGDClassifier(**COMMON), onkel.BOGDClassifier(budget=40, **COMMON)],
    "passive_aggressive": [onkel.PAClassifier(**COMMON), onkel.BPASClassifier(budget=40, **COMMON)],
    "csvrg": [
        onkel.CSVRGClassifier(diameter=0.5, **COMMON),
        onkel.CSVRGClassifier(diameter=0.2, **COMMON),
    ],
}


def draw(name: str) -> None:
    """Two learners of a family, side by side."""
    X, y = make_moons(1_000, noise=0.2, random_state=0)
    test, labels = make_moons(1_000, noise=0.2, random_state=1)
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for model, ax in zip(LEARNERS[name], axes):
        one_class = isinstance(model, onkel.SPAOneClass)
        model.fit(X) if one_class else model.fit(X, y)
        shown = None if one_class else y[:200]
        DecisionSurfaceDisplay.from_estimator(model, X[:200], shown, ax=ax, resolution=80)
        size = getattr(model, "n_support_", None)
        told = f"{model.coef_.shape[-1]} features" if size is None else f"{size} vectors"
        right = "" if one_class else f", {model.score(test, labels):.1%} right"
        ax.set_title(f"{type(model).__name__}: {told}{right}", fontsize="medium")
        ax.get_legend().remove() if ax.get_legend() else None
    figure.savefig(FOLDER / f"{name}.png", dpi=80)
    plt.close(figure)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for family in LEARNERS:
        draw(family)
