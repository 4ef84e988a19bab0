"""The report: one self-contained HTML page of comparisons, curves, model sizes and how it was run.

`Page` says what is on the page (`page.py`), `write_report` makes the file (`write.py`), `page_of_results`
and `page_of_run` fill a page from what `onkel.evaluate` returns (`results.py`, `run_page.py`), `page_of_race` from
a race (`race_page.py`). The page's template, style sheet and scripts are files in `assets/`; writing puts them into
the page, so that it opens from disk, offline.
"""

from onkel.report.page import (
    Agreement,
    Chart,
    ChartKind,
    Comparison,
    ComparisonRow,
    Fact,
    Figure,
    Page,
    Series,
    Size,
)
from onkel.report.race_page import page_of_race
from onkel.report.results import page_of_results
from onkel.report.run_page import page_of_run
from onkel.report.write import write_report

__all__ = [
    "Page",
    "Fact",
    "Figure",
    "Comparison",
    "ComparisonRow",
    "Agreement",
    "Chart",
    "ChartKind",
    "Series",
    "Size",
    "page_of_race",
    "page_of_results",
    "page_of_run",
    "write_report",
]
