"""The command line: raw rows to what a learner sees, and its answers back; kept with the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from onkel.cli.errors import Complaint

KEY = "preparation"  # in model files


@dataclass
class Preprocessing:
    """Scaling of features and targets, labels, and names of columns.

    Learners of numbers see targets of mean 0 and variance 1; `answers` gives the user's unit back.
    """

    task: str
    scaler: Any = None  # an onkel.stream.Scaler, or None
    classes: Any = None
    target_mean: float = 0.0
    target_spread: float = 1.0
    n_features: int | None = None
    feature_names: list[str] | None = None
    target: str | None = None

    def rows(self, X: Any) -> Any:
        """Features as the learner sees them."""
        return X if self.scaler is None else self.scaler.transform(X)

    def targets(self, y: Any) -> Any:
        """Labels of the type of the classes, or standardised numbers."""
        if self.task == "regression":
            return (numbers(y) - self.target_mean) / self.target_spread
        if self.classes.dtype.kind in "iu" and y.dtype.kind == "f":
            whole = y.astype(np.int64)
            return whole if (whole == y).all() else y
        if self.classes.dtype.kind == "U" and y.dtype.kind != "U":
            return np.array([label_text(label) for label in y.tolist()])
        return y

    def answers(self, predictions: np.ndarray) -> np.ndarray:
        """Predictions in the user's unit."""
        if self.task == "regression":
            return predictions * self.target_spread + self.target_mean
        return predictions

    def extras(self) -> dict[str, Any]:
        """All of it, for a model file."""
        scaler = None if self.scaler is None else self.scaler.state()
        return {KEY: vars(self) | {"scaler": scaler}}

    @classmethod
    def from_extras(cls, extras: dict[str, Any], model: Any) -> Preprocessing:
        """The preprocessing of a model, or none at all where it was saved without."""
        kept = extras.get(KEY)
        if kept is None:
            classes = getattr(model, "classes_", None)
            task = "regression" if classes is None else "classification"
            return cls(task, classes=classes, n_features=getattr(model, "n_features_in_", None))
        from onkel.stream import Scaler

        scaler = None if kept["scaler"] is None else Scaler.from_state(kept["scaler"])
        return cls(**kept | {"scaler": scaler})


def numbers(y: Any) -> Any:
    """Targets of a regression, or a complaint."""
    if y.dtype.kind == "U":
        raise Complaint(
            f"regression needs numbers as targets, got {y[0]!r}: use --task classification"
        )
    return y.astype(float)


def label_text(label: Any) -> str:
    """A label as people write it: 1, not 1.0."""
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def shown_labels(labels: Sequence[Any], most: int = 10) -> str:
    """The first labels of a list, for people."""
    texts = [label_text(label) for label in labels]
    return ", ".join(texts[:most]) + (f", ... ({len(texts)} in all)" if len(texts) > most else "")
