"""Intervals of a regressor, with the targets that came: those inside, and those outside."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from onkel.plot.looks import BLACK, BLUE, VERMILION, axes_for


class IntervalDisplay:
    """
    Intervals of a regressor, with the targets that came: those inside, and those outside.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        The targets.
    interval : array-like of shape (n_rows, 2)
        Lower and upper ends.
    y_pred : array-like of shape (n_rows,), default=None
        The predictions; None for the middle of the intervals.
    x : array-like of shape (n_rows,), default=None
        What to draw over; None for the numbers of the rows.
    coverage : float, default=None
        The share of targets that the intervals shall hold.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        The figure.
    band_ : matplotlib PolyCollection
        The intervals.
    line_ : matplotlib Line2D
        The predictions.
    inside_ : matplotlib Line2D
        The targets inside.
    outside_ : matplotlib Line2D
        The targets outside, as crosses.
    share_ : float
        The share of targets inside.

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import FOGDRegressor
    >>> from onkel.plot import IntervalDisplay
    >>> X = np.random.default_rng(0).uniform(0, 6, (3000, 1))
    >>> y = np.sin(X[:, 0]) + np.random.default_rng(1).normal(0, 0.1, 3000)
    >>> model = FOGDRegressor(random_state=0).fit(X[:2000], y[:2000])
    >>> display = IntervalDisplay.from_estimator(model, X[2000:], y[2000:], x=X[2000:, 0])
    >>> bool(0.85 < display.share_ < 0.98)
    True
    """

    def __init__(
        self,
        y_true: Any,
        interval: Any,
        *,
        y_pred: Any = None,
        x: Any = None,
        coverage: float | None = None,
    ) -> None:
        self.y_true, self.interval = np.asarray(y_true, float), np.asarray(interval, float)
        if self.interval.shape != (len(self.y_true), 2):
            raise ValueError(
                f"interval has shape {self.interval.shape}, but there are {len(self.y_true)} targets: "
                f"give a lower and an upper end for each."
            )
        self.y_pred = self.interval.mean(axis=1) if y_pred is None else np.asarray(y_pred, float)
        self.x = np.arange(len(self.y_true)) if x is None else np.asarray(x)
        self.coverage = coverage
        check_consistent_length(self.y_true, self.y_pred, self.x)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        coverage: float = 0.9,
        x: Any = None,
        ax: Any = None,
    ) -> Self:
        """
        Ask a regressor for intervals of rows that it has not learned, and draw them.

        Parameters
        ----------
        estimator : estimator
            A regressor that has learned, with ``predict_interval``.
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            Their targets.
        coverage : float in (0, 1), default=0.9
            The share of targets that the intervals shall hold.
        x : array-like of shape (n_rows,), default=None
            What to draw over, such as a column of X; None for the numbers of the rows.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        IntervalDisplay
            The display, drawn.
        """
        check_is_fitted(estimator)
        interval = estimator.predict_interval(X, coverage=coverage)
        said = estimator.predict(X)
        return cls(y, interval, y_pred=said, x=x, coverage=coverage).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        interval: Any,
        *,
        y_pred: Any = None,
        x: Any = None,
        coverage: float | None = None,
        ax: Any = None,
    ) -> Self:
        """
        Draw intervals, such as those that were told before each row was learned.

        Parameters
        ----------
        y_true : array-like of shape (n_rows,)
            The targets.
        interval : array-like of shape (n_rows, 2)
            Lower and upper ends.
        y_pred : array-like of shape (n_rows,), default=None
            The predictions; None for the middle of the intervals.
        x : array-like of shape (n_rows,), default=None
            What to draw over; None for the numbers of the rows.
        coverage : float, default=None
            The share of targets that the intervals shall hold.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        IntervalDisplay
            The display, drawn.
        """
        return cls(y_true, interval, y_pred=y_pred, x=x, coverage=coverage).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """
        Draw the intervals and the targets.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        IntervalDisplay
            The display itself.
        """
        (self.ax_,) = axes_for(ax)
        self.figure_ = self.ax_.figure
        order = np.argsort(self.x, kind="stable")
        x, y, (low, high) = self.x[order], self.y_true[order], self.interval[order].T
        inside = (low <= y) & (y <= high)
        self.share_ = float(inside.mean())
        asked = "" if self.coverage is None else f", {self.coverage:.0%} asked for"
        told = f"interval ({self.share_:.1%} inside{asked})"
        self.band_ = self.ax_.fill_between(x, low, high, color=BLUE, alpha=0.2, lw=0, label=told)
        (self.line_,) = self.ax_.plot(
            x, self.y_pred[order], color=BLUE, linestyle="-", lw=1, label="prediction"
        )
        (self.inside_,) = self._dots(x[inside], y[inside], BLACK, ".", "target")
        (self.outside_,) = self._dots(x[~inside], y[~inside], VERMILION, "x", "target outside")
        self.ax_.legend(frameon=False, fontsize="small")
        return self

    def _dots(self, x: Any, y: Any, colour: str, marker: str, label: str) -> Any:
        looks = {"linestyle": "none", "markersize": 4}
        return self.ax_.plot(x, y, color=colour, marker=marker, label=label, **looks)
