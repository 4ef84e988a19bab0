"""The report: charts as the JSON that the page's script draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from onkel.report.looks import DASHES, Look
from onkel.report.page import Chart, Series
from onkel.report.thinning import thinned

MOST_POINTS = 160  # of one curve; a chart is some 400 pixels wide


def drawing_of(charts: list[Chart], looks: dict[str, Look]) -> dict[str, Any]:
    """Everything the script needs, in types that JSON has."""
    labels = list(looks)
    return {
        "dashes": list(DASHES),
        "labels": labels,
        "looks": [list(looks[label]) for label in labels],
        "charts": [_chart(chart, labels) for chart in charts],
    }


def _chart(chart: Chart, labels: list[str]) -> dict[str, Any]:
    curves: list[dict[str, Any]] = [
        {"label": labels.index(series.label), **_points(series, chart.x_log)}
        for series in chart.series
    ]
    return {
        "title": chart.title,
        "dataset": chart.dataset,
        "kind": chart.kind,
        "x": chart.x_label,
        "y": chart.y_label,
        "xlog": chart.x_log,
        "ylog": chart.y_log,
        "series": [curve for curve in curves if curve["x"]],
    }


def _points(series: Series, x_log: bool) -> dict[str, Any]:
    """The curve without what cannot be drawn, thinned, and with as many digits as a screen can show."""
    x, y = np.asarray(series.x, float), np.asarray(series.y, float)
    drawable = np.isfinite(x) & np.isfinite(y)
    at = np.flatnonzero(drawable)
    across = np.log(np.maximum(x[at], 1e-300)) if x_log else x[at]
    at = at[thinned(across, y[at], MOST_POINTS)]
    points: dict[str, Any] = {"x": _short(x[at]), "y": _short(y[at])}
    if series.band is not None:
        points["band"] = _short(np.nan_to_num(np.asarray(series.band, float)[at], posinf=0.0))
    if len(series.drifts):
        points["drifts"] = _short(np.asarray(series.drifts, float))
    if len(series.leads):
        points["leads"] = [_short(np.asarray(lead, float)) for lead in series.leads]
    if series.ends:
        points["ends"] = series.ends
    return points


def _short(values: np.ndarray) -> list[float]:
    return [float(f"{value:.6g}") for value in values]
