"""What a model of two features says everywhere: its surface, with support vectors and cells."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from sklearn.base import is_outlier_detector, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from onkel.plot.looks import BLACK, BLUE, COLOURS, VERMILION, axes_for
from onkel.tables import learner_in

#: Corners of the polygon that is drawn for a ball.
CORNERS = 48


class DecisionSurfaceDisplay:
    """
    What a model of two features says everywhere, with its support vectors and, of AVM and CSVRG, their cells.

    Of two classes, and of outlier detectors, the surface is the score: blue where it is negative, vermilion where it
    is positive, with a line where it is 0. Of more classes it is the class, of a regressor the prediction.

    Parameters
    ----------
    xx0 : ndarray of shape (rows, columns)
        First coordinates of the grid.
    xx1 : ndarray of shape (rows, columns)
        Second coordinates of the grid.
    response : ndarray of shape (rows, columns)
        What the model says there: scores, numbers of classes, or predictions.
    kind : {"score", "class", "value"}
        Which of these it is.
    classes : ndarray of shape (n_classes,), default=None
        The labels, in order; None of a regressor.
    X : ndarray of shape (n_rows, 2), default=None
        Rows to draw as points.
    y : ndarray of shape (n_rows,), default=None
        Their labels or targets.
    vectors : ndarray of shape (n_support, 2), default=None
        The support vectors.
    cells : ndarray of shape (n_cells, n_corners, 2), default=None
        Outlines of the cells.
    names : sequence of two str, default=("", "")
        Names of the features.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        The figure.
    surface_ : matplotlib artist
        The coloured surface.
    boundary_ : matplotlib QuadContourSet or None
        The line where the score is 0.
    points_ : list of matplotlib PathCollection
        The rows: of each class, or of all.
    vectors_ : matplotlib PathCollection or None
        The support vectors.
    cells_ : matplotlib PolyCollection or None
        The cells.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel import AVMClassifier
    >>> from onkel.plot import DecisionSurfaceDisplay
    >>> X, y = make_moons(600, noise=0.1, random_state=0)
    >>> model = AVMClassifier(diameter=0.5, gamma=2.0, random_state=0).fit(X, y)
    >>> display = DecisionSurfaceDisplay.from_estimator(model, X, y)
    >>> len(display.vectors) == len(display.cells) == model.n_support_
    True
    """

    def __init__(
        self,
        *,
        xx0: Any,
        xx1: Any,
        response: Any,
        kind: str,
        classes: Any = None,
        X: Any = None,
        y: Any = None,
        vectors: Any = None,
        cells: Any = None,
        names: Any = ("", ""),
    ) -> None:
        self.xx0, self.xx1, self.response, self.kind = xx0, xx1, response, kind
        self.classes, self.X, self.y = classes, X, y
        self.vectors, self.cells, self.names = vectors, cells, names

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        resolution: int = 150,
        margin: float = 0.1,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """
        Ask a model about a grid that covers the rows, and draw it.

        Parameters
        ----------
        estimator : estimator
            A model of two features that has learned, or a pipeline that ends in one: support vectors and cells go
            back through the steps before it, as far as these have an ``inverse_transform``.
        X : array-like of shape (n_rows, 2)
            Rows, which are drawn as points.
        y : array-like of shape (n_rows,), default=None
            Their labels or targets, which colour the points.
        resolution : int, default=150
            Points of the grid in each direction.
        margin : float, default=0.1
            What the grid leaves free around the rows, as a share of their range.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        **options : dict
            What ``plot`` takes.

        Returns
        -------
        DecisionSurfaceDisplay
            The display, drawn.
        """
        check_is_fitted(estimator)
        names = [str(name) for name in getattr(X, "columns", ("", ""))]
        X = np.asarray(X, dtype=float)
        if X.ndim != 2 or X.shape[1] != 2:
            raise ValueError(
                f"X has shape {X.shape}, but a surface is drawn of two features: choose two columns, "
                f"or project the rows to two."
            )
        spread = np.ptp(X, axis=0) * margin
        sides = np.linspace(X.min(axis=0) - spread, X.max(axis=0) + spread, resolution).T
        xx0, xx1 = np.meshgrid(*sides)
        said, kind = _response(estimator, np.column_stack([xx0.ravel(), xx1.ravel()]))
        vectors, cells = _vectors_and_cells(estimator)
        display = cls(
            xx0=xx0, xx1=xx1, response=said.reshape(xx0.shape), kind=kind,
            classes=getattr(estimator, "classes_", None), X=X, y=None if y is None else np.asarray(y),
            vectors=vectors, cells=cells, names=names,
        )  # fmt: skip
        return display.plot(ax=ax, **options)

    def plot(
        self, ax: Any = None, *, points: bool = True, vectors: bool = True, cells: bool = True
    ) -> Self:
        """
        Draw the surface.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        points : bool, default=True
            Whether to draw the rows.
        vectors : bool, default=True
            Whether to draw the support vectors, as rings.
        cells : bool, default=True
            Whether to draw the cells.

        Returns
        -------
        DecisionSurfaceDisplay
            The display itself.
        """
        (self.ax_,) = axes_for(ax)
        self.figure_ = self.ax_.figure
        self.boundary_: Any = None
        self._draw_surface()
        self.points_: list[Any] = []
        if points and self.X is not None:
            self._draw_points()
        limits = self.ax_.get_xlim(), self.ax_.get_ylim()
        self.cells_ = self._draw_cells() if cells and self.cells is not None else None
        self.vectors_: Any = None
        if vectors and self.vectors is not None:
            rings = {"s": 22, "facecolors": "none", "edgecolors": BLACK, "linewidths": 0.9}
            self.vectors_ = self.ax_.scatter(*self.vectors.T, **rings, label="support vectors")
        self.ax_.set(xlim=limits[0], ylim=limits[1], xlabel=self.names[0], ylabel=self.names[1])
        if self.ax_.get_legend_handles_labels()[0]:
            self.ax_.legend(loc="best", fontsize="small")
        return self

    def _draw_surface(self) -> None:
        from matplotlib.colors import LinearSegmentedColormap, ListedColormap

        grid = self.xx0, self.xx1, self.response
        if self.kind == "value":
            self.surface_ = self.ax_.contourf(*grid, levels=20, cmap="cividis")
            self.figure_.colorbar(self.surface_, ax=self.ax_)
        elif self.kind == "class":
            colours = [COLOURS[i % len(COLOURS)] for i in range(len(self.classes))]
            ends = {"vmin": -0.5, "vmax": len(colours) - 0.5}
            self.surface_ = self.ax_.pcolormesh(
                *grid, cmap=ListedColormap(colours), alpha=0.25, shading="nearest", **ends
            )
        else:
            two = LinearSegmentedColormap.from_list("scores", [BLUE, "white", VERMILION])
            most = float(np.percentile(np.abs(self.response), 98)) or 1.0
            levels = np.linspace(-most, most, 22)
            self.surface_ = self.ax_.contourf(*grid, levels, cmap=two, extend="both", alpha=0.6)
            if self.response.min() < 0 < self.response.max():
                self.boundary_ = self.ax_.contour(*grid, [0.0], colors=BLACK, linewidths=1.5)

    def _draw_points(self) -> None:
        looks = {"s": 10, "linewidths": 0, "alpha": 0.9}
        if self.kind == "value" and self.y is not None:
            norm = self.surface_.norm
            self.points_ = [
                self.ax_.scatter(*self.X.T, c=self.y, cmap="cividis", norm=norm, **looks)
            ]
        elif self.y is None or self.classes is None:
            self.points_ = [self.ax_.scatter(*self.X.T, color=BLACK, **looks)]
        else:
            for label, colour in zip(self.classes, COLOURS * len(self.classes)):
                rows = self.X[self.y == label]
                self.points_.append(
                    self.ax_.scatter(*rows.T, color=colour, label=str(label), **looks)
                )

    def _draw_cells(self) -> Any:
        from matplotlib.collections import PolyCollection

        looks: Any = {"facecolors": "none", "edgecolors": BLACK, "linewidths": 0.5, "alpha": 0.35}
        return self.ax_.add_collection(PolyCollection(list(self.cells), label="cells", **looks))


def _response(estimator: Any, grid: np.ndarray) -> tuple[np.ndarray, str]:
    """What a model says at points, and what kind of thing that is."""
    if is_regressor(estimator):
        return estimator.predict(grid), "value"
    if is_outlier_detector(estimator) or len(estimator.classes_) == 2:
        if hasattr(estimator, "decision_function"):
            return estimator.decision_function(grid), "score"
        return estimator.predict_proba(grid)[:, 1] - 0.5, "score"
    numbers = np.searchsorted(estimator.classes_, estimator.predict(grid))
    return numbers.astype(float), "class"


def _vectors_and_cells(estimator: Any) -> tuple[np.ndarray | None, np.ndarray | None]:
    """The support vectors and the outlines of cells, in the units of the rows."""
    learner = learner_in(estimator)
    learner = getattr(learner, "learner_", learner)
    vectors = getattr(learner, "support_vectors_", None)
    if vectors is None or not vectors.shape[0]:
        return None, None
    cores = _dense(vectors)
    outlines = _outlines(learner, cores)
    if not isinstance(estimator, Pipeline) or len(estimator) == 1:
        return cores, outlines
    front: Any = estimator[:-1]
    if not hasattr(front, "inverse_transform"):
        return None, None
    if outlines is not None:
        flat = front.inverse_transform(outlines.reshape(-1, 2))
        outlines = np.asarray(flat).reshape(outlines.shape)
    return np.asarray(front.inverse_transform(cores)), outlines


def _dense(vectors: Any) -> np.ndarray:
    return np.asarray(vectors.toarray() if hasattr(vectors, "toarray") else vectors, dtype=float)


def _outlines(learner: Any, cores: np.ndarray) -> np.ndarray | None:
    """The cells of a learner whose support vectors are all core points."""
    diameter = getattr(learner, "diameter_", None)
    if not diameter or getattr(learner, "exact_rate", 0) > 0:
        return None
    if getattr(learner, "cells", "sphere") == "box":
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * diameter / (2 * math.sqrt(2))
    else:
        angles = np.linspace(0, 2 * np.pi, CORNERS, endpoint=False)
        corners = np.column_stack([np.cos(angles), np.sin(angles)]) * diameter / 2
    return cores[:, None, :] + corners[None, :, :]
