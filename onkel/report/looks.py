"""The report: which colour, dash and marker an algorithm has. One look per algorithm on the whole page.

Eight colours (after Okabe and Ito, who chose them for colour-blind readers) each with its own marker, then the
same again dashed, dotted and dash-dotted: 32 looks that can be told apart without seeing the colour. The colours
themselves are in the style sheet, one set for light and one for dark.
"""

from __future__ import annotations

from typing import NamedTuple

from onkel.report.page import Page

COLOURS = 8
DASHES = ("", "7 4", "2 3", "9 3 2 3")


class Look(NamedTuple):
    colour: int
    dash: int
    marker: int


def look(position: int) -> Look:
    """The look of the algorithm that is first met at this position.

    >>> look(0), look(9)
    (Look(colour=0, dash=0, marker=0), Look(colour=1, dash=1, marker=1))
    """
    return Look(position % COLOURS, position // COLOURS % len(DASHES), position % COLOURS)


def looks_of(page: Page) -> dict[str, Look]:
    """A look for everything that is drawn, in order of first appearance."""
    labels = [series.label for chart in page.charts for series in chart.series]
    labels += [size.algorithm for size in page.sizes]
    return {label: look(i) for i, label in enumerate(dict.fromkeys(labels))}
