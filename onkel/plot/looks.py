"""Colours that colour-blind readers tell apart, and axes to draw on."""

from __future__ import annotations

from typing import Any

#: Okabe and Ito's colours, yellow last: it is hardly seen on white.
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK, YELLOW = "#E69F00", "#56B4E9", "#000000", "#F0E442"
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK, YELLOW)
#: After eight lines the colours come again, with other dashes.
DASHES = ("-", "--", ":", "-.")


def pyplot() -> Any:
    """matplotlib's pyplot, or an error that says how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("pictures need matplotlib: pip install 'onkel[plot]'") from None
    return plt


def axes_for(ax: Any = None, count: int = 1) -> list[Any]:
    """So many axes to draw on, new ones if none are given, with these colours unless something is there."""
    plt = pyplot()
    if ax is None:
        _, ax = plt.subplots(
            1, count, figsize=(6.4 * count, 4.8), squeeze=False, layout="constrained"
        )
    axes = [ax] if hasattr(ax, "plot") else [one for row in ax for one in _listed(row)]
    if len(axes) != count:
        raise ValueError(
            f"ax has {len(axes)} axes, but {count} are drawn on: give as many, or None."
        )
    for one in axes:
        if not one.has_data():
            one.set_prop_cycle(linestyle_and_colour())
            one.spines[["top", "right"]].set_visible(False)
    return axes


def linestyle_and_colour() -> Any:
    """The looks of lines, in order: eight colours, then the same again with other dashes."""
    from matplotlib import cycler  # type: ignore[attr-defined, unused-ignore]

    return cycler(linestyle=DASHES) * cycler(color=COLOURS)


def _listed(row: Any) -> list[Any]:
    return [row] if hasattr(row, "plot") else list(row)
