"""A stream that changes: mistakes of the last rows, with the drifts that were noticed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_consistent_length

from onkel.evaluate import Run, prequential
from onkel.plot.looks import BLACK, axes_for

#: Points of a curve of predictions.
POINTS = 400


class DriftDisplay:
    """
    How a learner comes along on a stream that changes, with the drifts that it noticed.

    Parameters
    ----------
    seen : array-like of shape (n_points,)
        Rows seen.
    rate : array-like of shape (n_points,)
        Share of mistakes, or mean squared error, of the last rows before.
    drifts : sequence of dict or Drift, default=()
        What was noticed: at least ``row`` and ``taken_over``, as in `onkel.drift.Drift`.
    changes : sequence of int, default=()
        Rows at which the stream is known to change.
    name : str, default=None
        The name of the learner.
    regression : bool, default=False
        Whether ``rate`` is a mean squared error.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        The figure.
    line_ : matplotlib Line2D
        The curve.
    takeovers_ : list of matplotlib Line2D
        Drifts at which a fresh learner took over.
    alarms_ : list of matplotlib Line2D
        Drifts that were noticed, but at which the old learner went on.
    changes_ : list of matplotlib Line2D
        The known changes.

    Examples
    --------
    >>> from onkel import FOGDClassifier
    >>> from onkel.datasets import gaussian_mixture
    >>> from onkel.drift import DriftAware
    >>> from onkel.plot import DriftDisplay
    >>> X, y = gaussian_mixture(8000, random_state=0)
    >>> y[4000:] *= -1  # what was true is wrong from now on
    >>> model = DriftAware(FOGDClassifier(n_components=100, random_state=0))
    >>> display = DriftDisplay.from_estimator(model, X, y, changes=[4000])
    >>> len(display.takeovers_), len(display.changes_)
    (1, 1)
    """

    def __init__(
        self,
        seen: Any,
        rate: Any,
        *,
        drifts: Iterable[Any] = (),
        changes: Iterable[int] = (),
        name: str | None = None,
        regression: bool = False,
    ) -> None:
        self.seen, self.rate = np.asarray(seen), np.asarray(rate, dtype=float)
        self.drifts = [each if isinstance(each, dict) else each._asdict() for each in drifts]
        self.changes, self.name, self.regression = list(changes), name, regression

    @classmethod
    def from_run(
        cls, run: Run, *, changes: Iterable[int] = (), name: str | None = None, ax: Any = None
    ) -> Self:
        """
        Draw a run of `onkel.evaluate.prequential`.

        Parameters
        ----------
        run : Run
            The run.
        changes : sequence of int, default=()
            Rows at which the stream is known to change.
        name : str, default=None
            The name of the learner; None for that of its class.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        DriftDisplay
            The display, drawn.
        """
        display = cls(
            run.curve["seen"], run.curve["window_rate"], drifts=run.drifts, changes=changes,
            name=name or run.learner, regression="squared_error" in run.metrics,
        )  # fmt: skip
        return display.plot(ax=ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        window: int | None = None,
        changes: Iterable[int] = (),
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """
        Let a copy of a learner learn rows in order, and draw how it came along.

        Parameters
        ----------
        estimator : estimator
            A learner with ``partial_fit``, such as `onkel.drift.DriftAware`. It stays as it is.
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            Their labels or targets.
        window : int, default=None
            Rows that the curve looks back on; None for a 25th of all.
        changes : sequence of int, default=()
            Rows at which the stream is known to change.
        name : str, default=None
            The name of the learner; None for that of its class.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        DriftDisplay
            The display, drawn.
        """
        window = max(1, len(y) // 25) if window is None else window
        run = prequential(clone(estimator), (X, y), points=150, window=window)
        return cls.from_run(run, changes=changes, name=name, ax=ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        drifts: Sequence[Any] = (),
        window: int | None = None,
        regression: bool = False,
        changes: Iterable[int] = (),
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """
        Draw predictions, each made before its row was learned.

        Parameters
        ----------
        y_true : array-like of shape (n_rows,)
            Labels or targets in the order of the stream.
        y_pred : array-like of shape (n_rows,)
            Predictions in the same order.
        drifts : sequence of dict or Drift, default=()
            Drifts that were noticed.
        window : int, default=None
            Rows that the curve looks back on; None for a 25th of all.
        regression : bool, default=False
            Whether to draw squared errors instead of mistakes.
        changes : sequence of int, default=()
            Rows at which the stream is known to change.
        name : str, default=None
            The name of the learner.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        DriftDisplay
            The display, drawn.
        """
        check_consistent_length(y_true, y_pred)
        y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
        wrong = np.square(y_pred - y_true) if regression else (y_pred != y_true).astype(float)
        window = max(1, len(wrong) // 25) if window is None else window
        sums = np.concatenate([[0.0], np.cumsum(wrong)])
        seen = np.unique(np.linspace(min(window, len(wrong)), len(wrong), POINTS).astype(int))
        rate = (sums[seen] - sums[np.maximum(0, seen - window)]) / np.minimum(seen, window)
        display = cls(seen, rate, drifts=drifts, changes=changes, name=name, regression=regression)
        return display.plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """
        Draw the curve and the drifts.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        DriftDisplay
            The display itself.
        """
        (self.ax_,) = axes_for(ax)
        self.figure_ = self.ax_.figure
        percent = 1 if self.regression else 100
        (self.line_,) = self.ax_.plot(self.seen, percent * self.rate, label=self.name)
        taken = [drift["row"] for drift in self.drifts if drift["taken_over"]]
        alarms = [drift["row"] for drift in self.drifts if not drift["taken_over"]]
        self.changes_ = self._marks(self.changes, "the stream changes", ":")
        self.takeovers_ = self._marks(taken, "drift: a fresh learner takes over", "-")
        self.alarms_ = self._marks(alarms, "drift: the old learner goes on", "--")
        words = (
            "squared error of the last rows" if self.regression else "mistakes of the last rows (%)"
        )
        self.ax_.set(xlabel="rows seen", ylabel=words)
        self.ax_.grid(True, which="major", alpha=0.3)
        if self.ax_.get_legend_handles_labels()[0]:
            self.ax_.legend(frameon=False, fontsize="small")
        return self

    def _marks(self, rows: list[int], words: str, dash: str) -> list[Any]:
        """Vertical lines, of which one is in the legend."""
        there = {line.get_label() for line in self.ax_.get_lines()}
        lines = []
        for i, row in enumerate(rows):
            label = words if i == 0 and words not in there else "_"
            lines.append(self.ax_.axvline(row, color=BLACK, linestyle=dash, lw=1.2, label=label))
        return lines
