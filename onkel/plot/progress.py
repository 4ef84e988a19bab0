"""How several learners come along on a stream: mistakes, loss, size, time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_consistent_length

from onkel.evaluate import Run, checkpoints, prequential
from onkel.plot.looks import axes_for

#: What can be drawn, by its key in a curve, and what stands beside the axis.
MEASURES = {
    "rate": "mistakes so far (%)",
    "window_rate": "mistakes of the last rows (%)",
    "loss": "mean loss so far",
    "size": "size of the model",
    "seconds": "seconds of learning",
}
SQUARES = {"rate": "mean squared error so far", "window_rate": "squared error of the last rows"}


class ProgressDisplay:
    """
    How several learners come along on a stream, each row predicted before it is learned.

    Parameters
    ----------
    curves : dict of str: dict of str: sequence
        Of each learner, by name, lists of equal length: ``seen`` and what is measured there (as `onkel.evaluate.Run`
        has them in ``curve``).
    regression : bool, default=False
        Whether ``rate`` is a mean squared error, not a share of mistakes.

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        Where it was drawn, one for each measure.
    ax_ : matplotlib Axes
        The first of these.
    figure_ : matplotlib Figure
        The figure.
    lines_ : list of list of matplotlib Line2D
        The lines of each of the axes, one a learner.

    Examples
    --------
    >>> from onkel import BSGDClassifier, FOGDClassifier
    >>> from onkel.datasets import gaussian_mixture
    >>> from onkel.plot import ProgressDisplay
    >>> X, y = gaussian_mixture(2000, random_state=0)
    >>> learners = {
    ...     "FOGD": FOGDClassifier(gamma=0.4, random_state=0),
    ...     "BSGD": BSGDClassifier(gamma=0.4, random_state=0),
    ... }
    >>> display = ProgressDisplay.from_estimator(learners, X, y, measures=("rate", "size"))
    >>> [line.get_label() for line in display.lines_[0]]
    ['FOGD', 'BSGD']
    """

    def __init__(self, curves: Mapping[str, Mapping[str, Any]], regression: bool = False) -> None:
        self.curves = {name: dict(curve) for name, curve in curves.items()}
        self.regression = regression

    @classmethod
    def from_runs(cls, runs: Mapping[str, Run], *, ax: Any = None, **options: Any) -> Self:
        """
        Draw runs of `onkel.evaluate.prequential`.

        Parameters
        ----------
        runs : dict of str: Run
            The runs, by name of the learner.
        ax : matplotlib Axes or sequence of them, default=None
            Where to draw; None for a new figure.
        **options : dict
            What ``plot`` takes.

        Returns
        -------
        ProgressDisplay
            The display, drawn.
        """
        regression = any("squared_error" in run.metrics for run in runs.values())
        curves = {name: run.curve for name, run in runs.items()}
        return cls(curves, regression).plot(ax=ax, **options)

    @classmethod
    def from_estimator(
        cls, estimators: Any, X: Any, y: Any, *, ax: Any = None, **options: Any
    ) -> Self:
        """
        Let copies of learners learn rows in order, and draw how they came along.

        Parameters
        ----------
        estimators : estimator or dict of str: estimator
            A learner with ``partial_fit``, or several by name. They stay as they are.
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            Their labels or targets.
        ax : matplotlib Axes or sequence of them, default=None
            Where to draw; None for a new figure.
        **options : dict
            What ``plot`` takes.

        Returns
        -------
        ProgressDisplay
            The display, drawn.
        """
        if not isinstance(estimators, Mapping):
            estimators = {type(estimators).__name__: estimators}
        runs = {name: prequential(clone(each), (X, y)) for name, each in estimators.items()}
        return cls.from_runs(runs, ax=ax, **options)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Mapping[str, Any],
        *,
        regression: bool = False,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """
        Draw how predictions, each made before its row was learned, went wrong in the course of a stream.

        Parameters
        ----------
        y_true : array-like of shape (n_rows,)
            Labels or targets in the order of the stream.
        y_pred : dict of str: array-like of shape (n_rows,)
            Predictions in the same order, by name of who made them.
        regression : bool, default=False
            Whether to draw squared errors instead of mistakes.
        ax : matplotlib Axes or sequence of them, default=None
            Where to draw; None for a new figure.
        **options : dict
            What ``plot`` takes.

        Returns
        -------
        ProgressDisplay
            The display, drawn.
        """
        y_true = np.asarray(y_true)
        curves = {}
        for name, guess in y_pred.items():
            check_consistent_length(y_true, guess)
            wrong = np.asarray(guess) - y_true if regression else np.asarray(guess) != y_true
            seen = np.array(checkpoints(len(y_true), 100))
            rate = np.cumsum(np.square(wrong, dtype=float))[seen - 1] / seen
            curves[name] = {"seen": seen.tolist(), "rate": rate.tolist()}
        return cls(curves, regression).plot(ax=ax, **options)

    def plot(
        self, *, ax: Any = None, measures: str | Sequence[str] = "rate", against: str = "seen"
    ) -> Self:
        """
        Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of them, default=None
            Where to draw, one for each measure; None for a new figure.
        measures : str or sequence of str, default="rate"
            ``"rate"`` (share of mistakes, or mean squared error, so far), ``"window_rate"`` (of the last rows),
            ``"loss"`` (the mean of the learner's own), ``"size"`` (support vectors or features), ``"seconds"``.
        against : {"seen", "seconds"}, default="seen"
            What the curves are drawn over: rows, or seconds of learning.

        Returns
        -------
        ProgressDisplay
            The display itself.
        """
        measures = [measures] if isinstance(measures, str) else list(measures)
        for name in measures:
            if name not in MEASURES:
                raise ValueError(
                    f"measures={name!r} is not known: choose of {', '.join(MEASURES)}."
                )
        if against not in ("seen", "seconds"):
            raise ValueError(f'against={against!r} is not known: it is "seen" or "seconds".')
        self.axes_ = axes_for(ax, len(measures))
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        self.lines_ = [self._draw(ax, name, against) for ax, name in zip(self.axes_, measures)]
        self.ax_.legend(frameon=False)
        return self

    def _draw(self, ax: Any, measure: str, against: str) -> list[Any]:
        percent = measure in SQUARES and not self.regression
        lines = []
        for name, curve in self.curves.items():
            if measure not in curve:
                raise ValueError(
                    f"{name} does not tell its {measure}; it tells {', '.join(curve)}."
                )
            values = np.asarray(curve[measure], dtype=float) * (100 if percent else 1)
            lines += ax.plot(curve[against], values, label=name)
        words = {"seen": "rows seen", "seconds": "seconds of learning"}
        label = MEASURES[measure] if percent else SQUARES.get(measure, MEASURES[measure])
        ax.set(xlabel=words[against], ylabel=label)
        ax.set_xscale("log" if measure == "rate" else "linear")
        ax.grid(True, which="major", alpha=0.3)
        return lines
