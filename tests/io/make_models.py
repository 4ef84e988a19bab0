"""Writes the models of tests/io/models: run ``python -m tests.io.make_models`` once for a format version.

Models of former versions stay where they are: they must load for ever.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import onkel
from onkel.io import save
from onkel.io.models import VERSION

FOLDER = Path(__file__).parent / "models"
ROWS = np.array([[0.1, -0.2], [0.8, 0.5], [-0.6, 0.3], [0.0, 0.9]])


def stream(seed: int) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(seed).uniform(-1, 1, size=(150, 2)).round(3)
    return X, X[:, 0] * X[:, 1]


def main() -> None:
    X, y = stream(0)
    classifier = onkel.AVMClassifier(diameter=0.4, gamma=2.0, random_state=0)
    classifier.partial_fit(X, np.where(y > 0, "same", "other"), classes=["other", "same"])
    regressor = onkel.FOGDRegressor(n_components=20, gamma=1.0, random_state=0).partial_fit(X, y)
    for name, model in {"classifier": classifier, "regressor": regressor}.items():
        scores = model.decision_function if name == "classifier" else model.predict
        save(model, FOLDER / f"{name}_{VERSION}.onkel", {"expected": scores(ROWS).tolist()})
        print(json.dumps({name: scores(ROWS).tolist()}))


if __name__ == "__main__":
    main()
