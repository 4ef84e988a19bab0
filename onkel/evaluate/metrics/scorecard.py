"""Several metrics of one learner, over all rows so far and over the last of them."""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from typing import Any, Self

import numpy as np

from onkel.evaluate.metrics.accumulator import Accumulator
from onkel.evaluate.metrics.answers import Answers, joined
from onkel.evaluate.metrics.probabilities import CalibrationError
from onkel.evaluate.metrics.ranking import RocAuc
from onkel.evaluate.metrics.table import Metric
from onkel.evaluate.metrics.window import Window

#: Rows wait for so many others before they are counted, unless somebody asks: chunks may be single rows.
WAITING = 4096


class Scorecard:
    """Takes answers, and tells the metrics.

    A metric that needs what the learner doesn't tell (probabilities, say) is left out. `window` 0 is for
    no window.
    """

    def __init__(self, metrics: Mapping[str, Metric], n_classes: int, window: int = 0) -> None:
        self.metrics = dict(metrics)
        self.n_classes = n_classes
        self.classes: Any = None  # where labels are met on the way, those that were
        self.window = Window(window) if window else None
        self.rows = 0
        self._waiting: list[Answers] = []
        self._waiting_rows = 0
        self._all: dict[str, Accumulator] = {}
        self._reliability = CalibrationError()  # for its curve, whatever metrics there are
        self._has_probabilities = False

    def know(self, classes: Any) -> None:
        """From now on rows are of these classes, in order; those before are among them."""
        if self.classes is not None and len(classes) > len(self.classes):
            self._count()
            places = np.searchsorted(classes, self.classes)
            for one in self._all.values():
                one.grow(places, len(classes))
            if self.window is not None:
                self.window.grow(places, len(classes))
        self.classes, self.n_classes = classes, max(2, len(classes))

    def update(self, answers: Answers) -> None:
        """Take more rows."""
        if not answers.rows:
            return
        if not self.rows:
            self.metrics = {
                name: metric
                for name, metric in self.metrics.items()
                if getattr(answers, metric.needs) is not None
            }
            self._all = self._accumulators(self.metrics, None)
            self._has_probabilities = answers.probabilities is not None
        self.rows += answers.rows
        self._waiting.append(answers)
        self._waiting_rows += answers.rows
        if self._waiting_rows >= WAITING:
            self._count()

    def values(self, slow: bool = True) -> dict[str, float]:
        """Every metric over all rows so far; nan for slow ones, if these aren't wanted."""
        self._count()
        wanted = {name: slow or not one.slow for name, one in self._all.items()}
        return {name: one.value() if wanted[name] else nan for name, one in self._all.items()}

    def window_values(self) -> dict[str, float]:
        """Every metric over the window, exactly."""
        self._count()
        last = None if self.window is None else self.window.answers()
        if last is None:
            return {}
        fresh = self._accumulators(self.metrics, last.rows)
        for one in fresh.values():
            one.update(last)
        return {name: one.value() for name, one in fresh.items()}

    def bounds(self) -> dict[str, float]:
        """How far values may be off, of those that aren't exact any more."""
        self._count()
        found = {name: one for name, one in self._all.items() if isinstance(one, RocAuc)}
        doubts = {f"{name}_error_bound": one.error_bound() for name, one in found.items()}
        return {name: doubt for name, doubt in doubts.items() if doubt > 0}

    def curves(self) -> dict[str, dict[str, list[float]]]:
        """The ROC curve ("roc") and the reliability diagram ("reliability"), as far as there are any."""
        self._count()
        found = {}
        for one in self._all.values():
            if isinstance(one, RocAuc) and (curve := one.curve()):
                found["roc"] = curve
        if self._has_probabilities:
            found["reliability"] = self._reliability.curve()
        return found

    def _accumulators(
        self, metrics: Mapping[str, Metric], exact_rows: int | None
    ) -> dict[str, Accumulator]:
        return {name: m.kind(self.n_classes, exact_rows) for name, m in metrics.items()}

    def _count(self) -> None:
        """Let the metrics see the rows that waited."""
        if not self._waiting:
            return
        answers = joined(self._waiting)
        self._waiting, self._waiting_rows = [], 0
        for one in self._all.values():
            one.update(answers)
        if self._has_probabilities:
            self._reliability.update(answers)
        if self.window is not None:
            self.window.add(answers)

    def state(self) -> dict[str, Any]:
        """Everything it knows, as JSON can hold it."""
        self._count()
        last = None if self.window is None else self.window.answers()
        return {
            "rows": self.rows,
            "classes": as_list(self.classes),
            "metrics": {name: one.state() for name, one in self._all.items()},
            "reliability": self._reliability.state() if self._has_probabilities else None,
            "window": None if last is None else [as_list(field) for field in last],
        }

    def restore(self, state: Mapping[str, Any]) -> Self:
        """Go on from a state; of a scorecard that was made alike."""
        self.rows = state["rows"]
        if not self.rows:
            return self
        if state["classes"] is not None:
            self.know(np.array(state["classes"]))
        self.metrics = {name: self.metrics[name] for name in state["metrics"]}
        self._all = self._accumulators(self.metrics, None)
        for name, one in self._all.items():
            one.restore(state["metrics"][name])
        self._has_probabilities = state["reliability"] is not None
        if self._has_probabilities:
            self._reliability.restore(state["reliability"])
        if self.window is not None and state["window"] is not None:
            self.window.add(Answers._make(map(as_array, state["window"])))
        return self


def as_list(field: Any) -> Any:
    return None if field is None else field.tolist()


def as_array(field: Any) -> Any:
    return None if field is None else np.array(field)
