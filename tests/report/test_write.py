"""The written file: complete in itself, escaped, replaced in one step."""

import base64
import hashlib
import html.parser
import json
import re
import sys
from pathlib import Path

import pytest

from onkel.report import Chart, Comparison, ComparisonRow, Page, Series, Size, write_report
from onkel.report import write as writing

from .conftest import ALGORITHMS, EVIL


class Elements(html.parser.HTMLParser):
    """All tags with their attributes, and the text of each script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.in_script = False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.in_script = True
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.in_script = self.in_script and tag != "script"

    def handle_data(self, data):
        if self.in_script:
            self.scripts[-1] += data


@pytest.fixture(scope="module")
def text(full_page: Page, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = write_report(tmp_path_factory.mktemp("report") / "page.html", full_page)
    return path.read_text(encoding="utf-8")


def test_the_page_asks_for_nothing_else(text: str) -> None:
    for tag, attributes in Elements(text).tags:
        for name in ("src", "href", "action", "data", "poster", "srcset"):
            value = attributes.get(name)
            assert value is None or value.startswith(("#", "data:")), (tag, name, value)
    assert "@import" not in text and not re.search(r"url\(", text)


def test_hostile_text_adds_no_element(text: str) -> None:
    elements = Elements(text)
    assert [tag for tag, _ in elements.tags].count("script") == 2  # the data and our own
    assert "img" not in [tag for tag, _ in elements.tags]
    assert not [a for _, a in elements.tags if any(name.startswith("on") for name in a)]


def test_data_survive_the_escaping(text: str) -> None:
    drawing = json.loads(Elements(text).scripts[0])
    assert drawing["labels"] == ALGORITHMS
    assert {chart["dataset"] for chart in drawing["charts"]} == {"german", "spambase", EVIL}
    assert len({tuple(look) for look in drawing["looks"]}) == len(ALGORITHMS)


def test_only_our_own_script_may_run(text: str) -> None:
    elements = Elements(text)
    policy = next(a["content"] for t, a in elements.tags if a.get("http-equiv"))
    digest = hashlib.sha256(elements.scripts[1].encode("utf-8")).digest()
    assert f"'sha256-{base64.b64encode(digest).decode()}'" in policy
    assert policy.startswith("default-src 'none'")


def test_scripts_and_style_cannot_end_their_element() -> None:
    for name in (*writing.SCRIPTS, "page.css"):
        assert "</" not in writing._asset(name)


def test_columns_without_a_value_are_left_out(tmp_path: Path) -> None:
    rows = [ComparisonRow("a9a", "FOGD", "mistakes", "%", ours=16.93, ours_seconds=1.0)]
    page = Page("Ours alone", comparisons=[Comparison("Table", rows)])
    elements = Elements(write_report(tmp_path / "page.html", page).read_text(encoding="utf-8"))
    columns = [a["data-column"] for tag, a in elements.tags if "data-column" in a]
    assert columns == ["dataset", "algorithm", "metric", "ours", "ours_seconds"]
    headings = [a["data-title"] for tag, a in elements.tags if "data-column" in a]
    assert headings == [
        "Data set",
        "Algorithm",
        "Metric",
        "Result",
        "Seconds",
    ]  # nobody else's to tell from


def test_without_jinja2_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    writing._environment.cache_clear()
    with pytest.raises(ImportError, match=r"needs jinja2: pip install 'onkel\[report\]'"):
        write_report(tmp_path / "page.html", Page("none"))
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_drawn_is_left_out(tmp_path: Path) -> None:
    series = Series(
        "OGD", [1, 2, 3, 4], [0.5, float("nan"), float("inf"), 0.25], [0.1, 0, 0, float("nan")]
    )
    page = Page("Gaps", charts=[Chart("c", "x", "y", series=[series])])
    text = write_report(tmp_path / "page.html", page).read_text(encoding="utf-8")
    drawn = json.loads(Elements(text).scripts[0])["charts"][0]["series"][0]
    assert drawn == {"label": 0, "x": [1, 4], "y": [0.5, 0.25], "band": [0.1, 0]}


def test_long_curves_are_thinned_but_keep_their_peaks(tmp_path: Path) -> None:
    y = [0.0] * 5000
    y[1234] = 7.0
    page = Page("Long", charts=[Chart("c", "x", "y", series=[Series("a", list(range(5000)), y)])])
    text = write_report(tmp_path / "page.html", page).read_text(encoding="utf-8")
    drawn = json.loads(Elements(text).scripts[0])["charts"][0]["series"][0]
    assert len(drawn["x"]) <= 160
    assert (
        drawn["x"][0] == 0 and drawn["x"][-1] == 4999 and drawn["x"][drawn["y"].index(7.0)] == 1234
    )


def test_a_failure_leaves_the_old_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_report(tmp_path / "page.html", Page("old"))
    before = path.read_text(encoding="utf-8")

    def fail(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(writing.os, "replace", fail)
    with pytest.raises(OSError, match="no space left"):
        write_report(path, Page("new"))
    assert path.read_text(encoding="utf-8") == before
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]


def test_a_series_of_unequal_lengths_is_refused() -> None:
    with pytest.raises(
        ValueError, match="series 'OGD' needs equally many values: x has 2, y has 1"
    ):
        Series("OGD", [1, 2], [1])


def test_an_unknown_agreement_is_refused() -> None:
    with pytest.raises(
        ValueError, match="agrees='yes' of OGD on a9a: use 'std', 'percent', 'differs'"
    ):
        ComparisonRow("a9a", "OGD", "mistakes", agrees="yes")  # type: ignore[arg-type]


def test_a_size_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="size=nan of OGD on a9a"):
        write_report(tmp_path / "page.html", Page("p", sizes=[Size("a9a", "OGD", float("nan"))]))
    assert list(tmp_path.iterdir()) == []


def test_an_empty_series_and_odd_numbers_are_written(tmp_path: Path) -> None:
    nan = float("nan")
    rows = [
        ComparisonRow("a9a", "OGD", "rmse", ours=nan, ours_size=nan, difference_std=float("inf"))
    ]
    page = Page(
        "Odd",
        comparisons=[Comparison("t", rows)],
        charts=[Chart("c", "x", "y", series=[Series("a", [], [])])],
    )
    text = write_report(tmp_path / "page.html", page).read_text(encoding="utf-8")
    assert "nan" not in text.split("<main")[1].split("<script")[0].lower()
    assert 'data-key="inf"' not in text
    assert json.loads(Elements(text).scripts[0])["charts"][0]["series"] == []


# -- contrast -----------------------------------------------------------------------------------


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted([luminance(one), luminance(other)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_and_curves_stand_out(theme: int) -> None:
    pairs = re.findall(r"(--[\w-]+): light-dark\((#\w{6}), (#\w{6})\)", writing._asset("page.css"))
    colour = {name: values[theme] for name, *values in pairs}
    for text in ("--ink", "--soft", "--accent"):
        for back in ("--paper", "--raised", "--hover"):
            assert contrast(colour[text], colour[back]) >= 4.5, (text, back)
    for badge in ("--std", "--percent", "--differs", "--absent"):
        assert contrast(colour[badge], colour[f"{badge}-back"]) >= 4.5, badge
    for i in range(8):  # lines need less than letters do
        assert contrast(colour[f"--c{i}"], colour["--paper"]) >= 3, i
