"""The report: a page becomes one HTML file. Template, style sheet and scripts come from `assets/`."""

from __future__ import annotations

import base64
import hashlib
import math
import os
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from onkel import __version__
from onkel.atomic import replaced
from onkel.report.digits import counted
from onkel.report.drawing import drawing_of
from onkel.report.looks import looks_of
from onkel.report.page import Page, Size
from onkel.report.tables import AGREEMENTS, table_of

SCRIPTS = ("theme.js", "tables.js", "scales.js", "chart.js", "charts.js")


def write_report(path: str | os.PathLike[str], page: Page) -> Path:
    """Write the page to one file that needs nothing else: no network, no server, no other file.

    An existing file is replaced in one step, so that a browser never sees half a page.

    >>> import tempfile
    >>> from onkel.report import Page
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = write_report(Path(folder) / "report.html", Page("A9A, one pass"))
    ...     "<title>A9A, one pass</title>" in written.read_text(encoding="utf-8")
    True
    """
    path = Path(path)
    text = render(page)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replaced(path) as file:
        file.write(text.encode("utf-8"))
    return path


def render(page: Page) -> str:
    """The page as HTML text."""
    looks = looks_of(page)
    tables = [table_of(comparison, i + 1) for i, comparison in enumerate(page.comparisons)]
    script = "\n".join(_asset(name) for name in SCRIPTS)
    return str(
        _environment()
        .get_template("page.html")
        .render(
            page=page,
            tables=tables,
            agreements=_agreements(tables),
            looks=looks,
            groups=_chart_groups(page),
            sizes=_size_groups(page.sizes),
            drawing=drawing_of(page.charts, looks),
            style=_asset("page.css"),
            script=script,
            script_hash=_hash(script),
            version=__version__,
        )
    )


@cache
def _asset(name: str) -> str:
    return resources.files("onkel.report").joinpath("assets", name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """As a content security policy names a script: no other script may run on the page."""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return "sha256-" + base64.b64encode(digest).decode("ascii")


@cache
def _environment() -> Any:
    try:
        import jinja2
    except ImportError as error:
        raise ImportError("writing a report needs jinja2: pip install 'onkel[report]'") from error
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_asset),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["counted"] = counted
    environment.globals["AGREEMENTS"] = AGREEMENTS
    return environment


def _agreements(tables: list[Any]) -> list[tuple[str, str, str, int]]:
    """What the filter offers: the agreements that occur, with how many rows have each."""
    counts = dict.fromkeys(AGREEMENTS, 0)
    for table in tables:
        for key, _, _, count in table.tally:
            counts[key] += count
    return [(key, *AGREEMENTS[key], count) for key, count in counts.items() if count]


def _chart_groups(page: Page) -> list[tuple[str, list[int]]]:
    """Charts by data set, in order of first appearance; charts are named by their position."""
    groups: dict[str, list[int]] = {}
    for i, chart in enumerate(page.charts):
        groups.setdefault(chart.dataset, []).append(i)
    return list(groups.items())


def _size_groups(sizes: list[Size]) -> list[tuple[str, list[tuple[Size, float]]]]:
    """Sizes by data set, each with its share in per cent of the largest there."""
    groups: dict[str, list[Size]] = {}
    for size in sizes:
        if not 0 <= size.size < math.inf:
            raise ValueError(
                f"size={size.size} of {size.algorithm} on {size.dataset} is no number of vectors"
            )
        groups.setdefault(size.dataset, []).append(size)
    return [
        (dataset, [(s, 100 * s.size / (max(t.size for t in group) or 1.0)) for s in group])
        for dataset, group in groups.items()
    ]
