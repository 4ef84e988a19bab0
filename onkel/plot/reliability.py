"""Probabilities and what happened: the reliability diagram."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from onkel.evaluate import Run
from onkel.evaluate.metrics.answers import Answers, true_numbers
from onkel.evaluate.metrics.probabilities import CalibrationError
from onkel.plot.looks import BLACK, axes_for


class ReliabilityDisplay:
    """
    What was said and what happened: the share of rows of a class by the probability that they were given.

    Of two classes the second counts, of more that with the highest probability. There is a point for each tenth of
    the probabilities that has rows, as large as there are many.

    Parameters
    ----------
    said : array-like of shape (n_points,)
        Mean probability in a tenth.
    happened : array-like of shape (n_points,)
        Share of its rows for which it came true.
    rows : array-like of shape (n_points,)
        Their number.
    name : str, default=None
        The name of the learner.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        The figure.
    line_ : matplotlib Line2D
        The curve.
    dots_ : matplotlib PathCollection
        Its points.
    ideal_ : matplotlib Line2D
        The diagonal, where happens what was said.
    error_ : float
        The mean distance of what was said from what happened, over all rows.

    Examples
    --------
    >>> from onkel import FOGDClassifier
    >>> from onkel.datasets import gaussian_mixture
    >>> from onkel.plot import ReliabilityDisplay
    >>> X, y = gaussian_mixture(4000, random_state=0)
    >>> model = FOGDClassifier(gamma=0.4, random_state=0).fit(X[:3000], y[:3000])
    >>> display = ReliabilityDisplay.from_estimator(model, X[3000:], y[3000:])
    >>> bool(display.error_ < 0.1), int(display.rows.sum())
    (True, 1000)
    """

    def __init__(self, said: Any, happened: Any, rows: Any, *, name: str | None = None) -> None:
        self.said, self.happened = np.asarray(said, float), np.asarray(happened, float)
        self.rows, self.name = np.asarray(rows), name

    @classmethod
    def from_run(cls, run: Run, *, name: str | None = None, ax: Any = None) -> Self:
        """
        Draw a run of `onkel.evaluate.prequential`: probabilities before each row was learned.

        Parameters
        ----------
        run : Run
            The run.
        name : str, default=None
            The name of the learner; None for that of its class.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        ReliabilityDisplay
            The display, drawn.
        """
        if "reliability" not in run.diagrams:
            raise ValueError(
                f"this run of {run.learner} has no probabilities: let it tell them (probabilities=True), "
                f'and ask for one of the metrics "log_loss" or "calibration_error".'
            )
        return cls(**run.diagrams["reliability"], name=name or run.learner).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, name: str | None = None, ax: Any = None
    ) -> Self:
        """
        Ask a classifier about rows that it has not learned, and draw what it says.

        Parameters
        ----------
        estimator : estimator
            A classifier that has learned, with ``predict_proba``.
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            Their labels.
        name : str, default=None
            The name of the learner; None for that of its class.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        ReliabilityDisplay
            The display, drawn.
        """
        check_is_fitted(estimator)
        name = name or type(estimator).__name__
        given = estimator.predict_proba(X)
        return cls.from_predictions(y, given, classes=estimator.classes_, name=name, ax=ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_prob: Any,
        *,
        classes: Any = None,
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """
        Draw probabilities.

        Parameters
        ----------
        y_true : array-like of shape (n_rows,)
            The labels.
        y_prob : array-like of shape (n_rows,) or (n_rows, n_classes)
            The probability of the second of two classes, or of each.
        classes : array-like of shape (n_classes,), default=None
            The labels in the order of the columns, which must be sorted; None for those of ``y_true``.
        name : str, default=None
            The name of the learner.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        ReliabilityDisplay
            The display, drawn.
        """
        check_consistent_length(y_true, y_prob)
        given = np.asarray(y_prob, dtype=float)
        if given.ndim == 1:
            given = np.column_stack([1 - given, given])
        if not (given.min() >= 0 and given.max() <= 1):  # of NaN neither is true
            raise ValueError(
                f"y_prob has values from {given.min():.3g} to {given.max():.3g}: these are no probabilities."
            )
        known = np.unique(y_true) if classes is None else np.asarray(classes)
        if len(known) != given.shape[1]:
            raise ValueError(
                f"y_prob tells of {given.shape[1]} classes, but there are {len(known)}: name all with classes=."
            )
        error = CalibrationError()
        truth = true_numbers(np.asarray(y_true), known)
        error.update(Answers(truth, given.argmax(axis=1), None, given))
        return cls(**error.curve(), name=name).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """
        Draw the diagram.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        ReliabilityDisplay
            The display itself.
        """
        (self.ax_,) = axes_for(ax)
        self.figure_ = self.ax_.figure
        there = [line for line in self.ax_.get_lines() if line.get_label() == "ideal"]
        self.error_ = float(self.rows @ np.abs(self.said - self.happened) / self.rows.sum())
        told = f"{self.name or 'probabilities'} (off by {100 * self.error_:.1f} points)"
        (self.line_,) = self.ax_.plot(self.said, self.happened, label=told)
        sizes = 12 + 130 * self.rows / self.rows.max()
        self.dots_ = self.ax_.scatter(
            self.said, self.happened, sizes, color=self.line_.get_color(), zorder=3
        )
        looks = {"color": BLACK, "linestyle": ":", "linewidth": 1, "zorder": 0}
        self.ideal_ = (
            there[0] if there else self.ax_.plot([0, 1], [0, 1], label="ideal", **looks)[0]
        )
        self.ax_.set(xlabel="probability said", ylabel="share that happened", aspect="equal")
        self.ax_.grid(True, which="major", alpha=0.3)
        self.ax_.legend(frameon=False, loc="upper left")
        return self
