"""A race: how the candidates come along, who leads, who leaves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from onkel.plot.looks import BLACK, axes_for
from onkel.tables import learner_in

#: Of candidates without a colour of their own.
GREY = "#B0B0B0"


class RaceDisplay:
    """
    How the candidates of a race come along: the loss of each on the last rows, until it leaves.

    The best candidates have a colour, the others are grey; a cross is where one left the race, the black line
    what the race itself answered.

    Parameters
    ----------
    rows : array-like of shape (n_points,)
        Rows seen.
    loss : array-like of shape (n_points, n_candidates)
        Mean loss of each candidate on the last rows; nan after it left.
    answer : array-like of shape (n_points,)
        The same of what the race answered.
    candidates : sequence of str
        Names of the candidates.
    ranking : sequence of str, default=None
        The same names, the best first; None for the order of the last losses.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        The figure.
    lines_ : dict of str: matplotlib Line2D
        The curves, by candidate.
    answer_ : matplotlib Line2D
        The curve of the race itself.
    left_ : list of matplotlib Line2D
        Where candidates left.

    Examples
    --------
    >>> from onkel import RaceClassifier
    >>> from onkel.datasets import gaussian_mixture
    >>> from onkel.plot import RaceDisplay
    >>> X, y = gaussian_mixture(3000, random_state=0)
    >>> model = RaceClassifier(random_state=0).fit(X, y)
    >>> display = RaceDisplay.from_estimator(model)
    >>> len(display.lines_) == len(model.results_["candidate"])
    True
    """

    def __init__(
        self, rows: Any, loss: Any, answer: Any, candidates: Any, *, ranking: Any = None
    ) -> None:
        self.rows, self.loss = np.asarray(rows), np.asarray(loss, dtype=float)
        self.answer, self.candidates = np.asarray(answer, dtype=float), list(candidates)
        if self.loss.shape != (len(self.rows), len(self.candidates)):
            raise ValueError(
                f"loss has shape {self.loss.shape}, but there are {len(self.rows)} points of "
                f"{len(self.candidates)} candidates."
            )
        self.ranking = self._by_last_loss() if ranking is None else list(ranking)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **options: Any) -> Self:
        """
        Draw the race of a model that has learned.

        Parameters
        ----------
        estimator : estimator
            A `onkel.RaceClassifier` or `onkel.RaceRegressor`, or a pipeline that ends in one.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        **options : dict
            What ``plot`` takes.

        Returns
        -------
        RaceDisplay
            The display, drawn.
        """
        check_is_fitted(estimator)
        model = learner_in(estimator)
        curves: Mapping[str, Any] = model.curves_
        parts = (curves[key] for key in ("rows", "loss", "answer", "candidates"))
        display = cls(*parts, ranking=model.results_["candidate"])
        return display.plot(ax=ax, **options)

    def plot(self, ax: Any = None, *, named: int = 6) -> Self:
        """
        Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        named : int, default=6
            How many of the best candidates have a colour and a name in the legend.

        Returns
        -------
        RaceDisplay
            The display itself.
        """
        (self.ax_,) = axes_for(ax)
        self.figure_ = self.ax_.figure
        self.lines_: dict[str, Any] = {}
        for name in self.ranking[:named]:
            self._draw(name, label=name)
        for name in self.ranking[named:]:
            self._draw(name, label="_", color=GREY, linestyle="-", lw=0.8, zorder=1)
        looks: Any = {"color": BLACK, "linestyle": "-", "lw": 2, "label": "the race's answer"}
        (self.answer_,) = self.ax_.plot(self.rows, self.answer, **looks)
        self.left_ = [mark for name in self.ranking for mark in self._mark_end(name)]
        self.ax_.set(xlabel="rows seen", ylabel="loss of the last rows")
        self.ax_.grid(True, which="major", alpha=0.3)
        self.ax_.legend(frameon=False, fontsize="small")
        return self

    def _draw(self, name: str, **looks: Any) -> None:
        (line,) = self.ax_.plot(self.rows, self._losses(name), **looks)
        self.lines_[name] = line

    def _mark_end(self, name: str) -> list[Any]:
        """A cross where a candidate left: after its last loss."""
        there = np.flatnonzero(np.isfinite(self._losses(name)))
        if not len(there) or there[-1] == len(self.rows) - 1:
            return []
        x, y = self.rows[there[-1]], self._losses(name)[there[-1]]
        return self.ax_.plot(x, y, marker="x", color=self.lines_[name].get_color(), label="_")

    def _losses(self, name: str) -> np.ndarray:
        return self.loss[:, self.candidates.index(name)]

    def _by_last_loss(self) -> list[str]:
        """Those that stayed longest first, and of these the least loss."""
        ends = []
        for name in self.candidates:
            there = np.flatnonzero(np.isfinite(self._losses(name)))
            last = there[-1] if len(there) else -1
            ends.append((-last, self._losses(name)[last] if last >= 0 else np.inf))
        return [self.candidates[i] for i in sorted(range(len(ends)), key=ends.__getitem__)]
