"""A model file of a learner in its first look that contradicts itself is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from onkel.estimators.class_weight import ClassWeights
from onkel.io import ModelFileError, load, save
from tests.estimators.cases import learn_on
from tests.look.streams import default, stream


def set_row(name: str, value: float) -> Callable[[Any], None]:
    def change(look: Any) -> None:
        array = getattr(look.chunks[0], name)
        array.flat[0] = value

    return change


def set_rows(name: str, value: Any) -> Callable[[Any], None]:
    def change(look: Any) -> None:
        look.chunks = (look.chunks[0]._replace(**{name: value}),)

    return change


LIES: dict[str, Callable[[Any], None]] = {
    "a class that is none": set_row("targets", 3.0),
    "half a class": set_row("targets", 0.5),
    "a negative class": set_row("targets", -1.0),
    "no weight": set_row("weights", 0.0),
    "rows that are no numbers": set_row("X", np.nan),
    "weights that are no numbers": set_row("weights", np.inf),
    "fewer targets than rows": set_rows("targets", np.zeros(9)),
    "another number of features": set_rows("X", np.zeros((30, 5))),
    "rows of another type": set_rows("X", np.zeros((30, 3), np.float16)),
    "whole numbers": set_rows("weights", np.ones(30, int)),
    "a parameter that is not allowed": lambda look: look.parameters.update(gamma=-1.0),
    "a parameter that there is not": lambda look: look.parameters.update(gama=1.0),
    "a seed that is none": lambda look: vars(look).update(seed="1"),
    "more rows than are looked at": lambda look: vars(look).update(chunks=20 * look.chunks),
}


@pytest.mark.parametrize("lie", LIES)
def test_what_cannot_be(lie: str, tmp_path: Path) -> None:
    X, _ = stream("AVMClassifier", rows=30)
    y = np.array(["a", "b", "c"])[np.arange(30) % 3]
    model = learn_on(default("AVMClassifier"), X, y, classes=["a", "b", "c"])
    save(model, tmp_path / "good")
    load(tmp_path / "good")
    LIES[lie](model._look)
    save(model, tmp_path / "bad")
    with pytest.raises(ModelFileError):
        load(tmp_path / "bad")


@pytest.mark.parametrize(
    "weights", [ClassWeights(np.ones(3), np.zeros(1)), ClassWeights(np.ones(1), np.zeros(0)), 3.0]
)
def test_weights_of_fewer_classes_than_there_are(weights: Any, tmp_path: Path) -> None:
    """Compiled code counts in these arrays, and does not ask how long they are."""
    X, _ = stream("AVMClassifier", rows=30)
    model = default("AVMClassifier").set_params(class_weight="balanced")
    model.fit(X, np.arange(30) % 3)
    save(model, tmp_path / "good")
    load(tmp_path / "good")
    model._machine.class_weights = weights
    save(model, tmp_path / "bad")
    with pytest.raises(ModelFileError, match="class"):
        load(tmp_path / "bad")
