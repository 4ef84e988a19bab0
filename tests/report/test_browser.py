"""The page in a real browser: it opens from disk, sorts, filters, switches curves; light and dark, wide and narrow.

Screenshots go to the folder named by ONKEL_SCREENSHOTS, else to a temporary one.
"""

import base64
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from onkel.report import Chart, Comparison, ComparisonRow, Figure, Page, Series, write_report
from onkel.report.race_page import SHARE, race_chart, race_table

from .conftest import ALGORITHMS, EVIL
from .races import made_up_race

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="chromium is not installed")

FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage"
)
Browser = Any  # selenium's, which is imported only where chromium is


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for flag in FLAGS.split():
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def address(full_page: Page, tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_report(tmp_path_factory.mktemp("report") / "page.html", full_page).as_uri()


@pytest.fixture(scope="module")
def screenshots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = Path(os.environ.get("ONKEL_SCREENSHOTS") or tmp_path_factory.mktemp("screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Browser]:
    """The page, freshly opened on a wide and light screen; no test may leave an error in the console."""
    show(browser, width=1280)
    browser.get_log("performance")
    browser.get(address)
    browser.execute_script("localStorage.clear()")
    yield browser
    assert browser.get_log("browser") == []


def show(browser: Browser, width: int, scheme: str = "light") -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})


def take_picture(browser: Browser, path: Path, height: int = 3000) -> None:
    width = browser.execute_script("return document.documentElement.clientWidth")
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    shot = {"format": "png", "captureBeyondViewport": True, "clip": clip}
    path.write_bytes(
        base64.b64decode(browser.execute_cdp_cmd("Page.captureScreenshot", shot)["data"])
    )
    assert path.stat().st_size > 10_000  # an empty page is smaller


def column(browser: Browser, name: str) -> list[str]:
    """The texts of the rows on show."""
    return browser.execute_script(
        "return [...document.querySelectorAll('tbody:not([hidden]) td.' + arguments[0])]"
        ".map(cell => cell.firstChild ? cell.textContent.trim() : '')",
        name,
    )


def press(browser: Browser, selector: str, key: str | None = None) -> None:
    element = browser.find_element("css selector", selector)
    if key is None:
        browser.execute_script("arguments[0].click()", element)
    else:
        element.send_keys(key)


def curves(browser: Browser) -> list[list[str]]:
    """The labels drawn in each chart."""
    return browser.execute_script(
        "return [...document.querySelectorAll('figure.chart')]"
        ".map(f => [...f.querySelectorAll('g.series')].map(g => g.dataset.label))"
    )


def switch(browser: Browser, label: str) -> Any:
    found = browser.find_elements("css selector", "#legend button")
    return next(button for button in found if button.text == label)


def test_opens_without_errors_or_requests(page: Browser, address: str, screenshots: Path) -> None:
    asked = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    urls = [
        m["params"]["request"]["url"] for m in asked if m["method"] == "Network.requestWillBeSent"
    ]
    assert address in urls  # requests are seen at all
    assert [url for url in urls if url != address and not url.startswith("data:")] == []
    take_picture(page, screenshots / "light.png")


def test_hostile_names_are_only_text(page: Browser) -> None:
    assert page.execute_script("return window.pwned === undefined")
    assert EVIL.rstrip("\u2028") in column(page, "dataset")
    assert page.execute_script("return document.images.length") == 0


def test_a_heading_sorts_by_number(page: Browser) -> None:
    def ours() -> list[str]:
        return column(page, "ours")

    press(page, "[data-column=ours] button")
    first = ours()
    numbers = [float(text.split()[0]) for text in first if text != "–"]
    assert numbers == sorted(numbers) and numbers[-1] == 14.0
    assert first[-6:] == ["–"] * 6  # what is missing comes last
    press(page, "[data-column=ours] button")
    down = [float(text.split()[0]) for text in ours()[:-6]]
    assert down == sorted(numbers, reverse=True) and ours()[-6:] == ["–"] * 6
    head = page.find_element("css selector", "[data-column=ours]")
    assert head.get_attribute("aria-sort") == "descending"


def test_the_keyboard_sorts(page: Browser) -> None:
    press(page, "[data-column=algorithm] button", "\n")
    names = column(page, "algorithm")
    assert names == sorted(names, key=str.lower) != names[::-1]
    assert (
        page.execute_script("return document.querySelectorAll('[aria-sort=ascending]').length") == 1
    )


def test_the_filter_filters(page: Browser) -> None:
    page.find_element("id", "filter-text").send_keys("fogd german")
    assert (column(page, "dataset"), column(page, "algorithm")) == (["german"], ["FOGD"])
    assert page.find_element("id", "filter-count").text == "1 of 30 rows"
    page.find_element("id", "filter-text").clear()
    for agreement in ("std", "percent", "absent"):
        press(page, f"input[value={agreement}]")
    words = column(page, "agrees")
    assert len(words) == 6 and all("differs" in word for word in words)
    page.find_element("id", "filter-text").send_keys("nothing like this")
    assert column(page, "agrees") == []
    assert page.find_element("css selector", ".none").is_displayed()


def explained(browser: Browser) -> list[tuple[str, str]]:
    """Agreement and explanation of the rows on show that have one, from top to bottom."""
    cells = browser.find_elements("css selector", "tbody:not([hidden]) td.explanation")
    rows = sorted((cell.location["y"], cell.find_element("xpath", "../..")) for cell in cells)
    return [
        (
            row.find_element("css selector", "td.agrees").text,
            row.find_element("css selector", "td.dataset").text,
        )
        for _, row in rows
    ]


def test_an_explanation_is_read_without_scrolling_and_stays_with_its_row(page: Browser) -> None:
    boxes = page.execute_script(
        "const box = document.querySelector('.scroll').getBoundingClientRect();"
        "return [...document.querySelectorAll('td.explanation p')].map(p => p.getBoundingClientRect())"
        ".map(p => [p.left - box.left, box.right - p.right, p.width])"
    )
    assert len(boxes) == 6
    assert all(left >= 0 and right >= 0 and width > 500 for left, right, width in boxes)
    follows = (
        "return [...document.querySelectorAll('td.explanation')].every(cell => cell.getBoundingClientRect().top >="
        " cell.closest('tbody').rows[0].getBoundingClientRect().bottom - 1)"
    )
    assert page.execute_script(follows)
    press(page, "[data-column=dataset] button")
    press(page, "[data-column=dataset] button")
    assert page.execute_script(follows)
    kept = explained(page)
    assert [name for name, _ in kept] == ["≠ differs"] * 6
    assert [name for _, name in kept][:2] == ["spambase"] * 2  # the last set comes first
    page.find_element("id", "filter-text").send_keys("german")
    assert [name for _, name in explained(page)] == ["german"] * 2
    page.find_element("id", "filter-text").clear()
    page.find_element("id", "filter-text").send_keys("otherwise")  # a word of the explanations
    assert len(column(page, "agrees")) == 6
    press(page, "input[value=differs]")
    assert explained(page) == []


def test_print_opens_how_it_was_run(page: Browser, tmp_path: Path) -> None:
    plain = Page("A page without charts", how={"onkel": "0.1.0"})
    page.get(write_report(tmp_path / "page.html", plain).as_uri())
    details = page.find_element("css selector", "details")
    assert details.get_attribute("open") is None
    page.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    assert details.get_attribute("open") is not None


def test_a_switch_works_in_all_charts(page: Browser) -> None:
    assert curves(page) == [ALGORITHMS] * 9
    switch(page, "FOGD").click()
    rest = [name for name in ALGORITHMS if name != "FOGD"]
    assert curves(page) == [rest] * 9
    assert switch(page, "FOGD").get_attribute("aria-pressed") == "false"
    off = page.find_elements("css selector", ".size-row.off")
    assert [row.get_attribute("data-label") for row in off] == ["FOGD"] * 3
    press(page, "#show-all")
    assert curves(page) == [ALGORITHMS] * 9


def test_an_algorithm_looks_the_same_everywhere(page: Browser) -> None:
    looks = page.execute_script(
        "return [...document.querySelectorAll('g.series')].map(g => { const line = g.querySelector('.line');"
        "return [g.dataset.label, getComputedStyle(line).stroke, line.getAttribute('stroke-dasharray'),"
        " g.querySelector('.mark').getAttribute('d')].join('|'); })"
    )
    assert len(looks) == 90
    assert len(set(looks)) == len(ALGORITHMS) == len({look.split("|", 1)[1] for look in looks})


def test_values_are_read_by_mouse_and_keyboard(page: Browser) -> None:
    chart = page.find_element("css selector", "figure.chart .plot > svg")
    chart.send_keys("\ue012")  # arrow left: the first curve's end
    assert page.find_element("id", "reader").get_attribute("textContent") == (
        "Perceptron: mistakes (%) 12.28 at 48,000 instances"
    )
    readout = page.find_element("css selector", "figure.chart .readout")
    assert readout.is_displayed() and readout.text.count("\n") >= 10
    chart.send_keys("\ue00c")  # escape
    assert not readout.is_displayed()
    from selenium.webdriver import ActionChains

    ActionChains(page).move_to_element(chart).perform()
    assert readout.is_displayed() and "instances" in readout.text


def test_picking_a_data_set_and_a_kind(page: Browser) -> None:
    def on_show() -> int:
        return sum(f.is_displayed() for f in page.find_elements("css selector", "figure.chart"))

    page.find_element("css selector", "#pick-kind option[value=time]").click()
    assert on_show() == 3
    page.find_element("css selector", "#pick-dataset option[value='1']").click()
    assert on_show() == 1
    page.find_element("css selector", "#pick-kind option[value='*']").click()
    assert on_show() == 3


def test_dark_follows_the_system_and_the_button(page: Browser, screenshots: Path) -> None:
    def paper() -> str:
        return page.execute_script("return getComputedStyle(document.body).backgroundColor")

    assert paper() == "rgb(255, 255, 255)"
    press(page, "#theme")
    dark = paper()
    assert dark != "rgb(255, 255, 255)"
    take_picture(page, screenshots / "dark.png")
    press(page, "#theme")
    assert paper() == "rgb(255, 255, 255)"
    page.execute_script("localStorage.clear(); delete document.documentElement.dataset.theme")
    show(page, 1280, scheme="dark")
    assert paper() == dark


def test_a_narrow_screen_does_not_scroll_sideways(page: Browser, screenshots: Path) -> None:
    show(page, width=360)
    page.refresh()
    widths = page.execute_script(
        "const e = document.documentElement; return [e.clientWidth, e.scrollWidth, document.body.scrollWidth]"
    )
    assert widths[0] == 360 and max(widths) == 360
    beyond = page.execute_script(
        "return [...document.querySelectorAll('main *')].filter(e => !e.closest('svg') && e.id !== 'reader'"
        " && e.getBoundingClientRect().right > 361).map(e => e.outerHTML.slice(0, 80))"
    )
    assert beyond == []
    page.find_element("css selector", "#sort-by option[value=theirs]").click()
    theirs = [float(text.split()[0]) for text in column(page, "theirs")]
    assert theirs == sorted(theirs)
    take_picture(page, screenshots / "narrow.png")


def test_without_scripts_it_is_a_plain_table(page: Browser, address: str) -> None:
    page.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        page.get(address)
        rows = page.find_elements("css selector", "tbody")
        assert len(rows) == 30 and "german" in rows[0].text
        told = page.find_elements("css selector", "td.explanation")
        assert len(told) == 6 and all(cell.is_displayed() for cell in told)
        assert not page.find_element("id", "filters").is_displayed()
        assert page.find_element("css selector", "noscript p").is_displayed()
    finally:
        page.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_metrics_sort_best_first_and_the_best_is_marked(
    page: Browser, tmp_path: Path, screenshots: Path
) -> None:
    values = {"AVM": (0.91, 0.4), "FOGD": (0.97, 0.3), "OGD": (0.85, 0.6)}
    rows = [
        ComparisonRow(
            "a9a", name, "mistakes", "%", ours=10.0, figures={"ROC AUC": Figure(area), "log loss": Figure(loss)}
        )
        for name, (area, loss) in values.items()
    ]  # fmt: skip
    table = Comparison("Online", rows, better={"ROC AUC": 1, "log loss": -1})
    diagonal = [0.0, 1.0]
    charts = [
        Chart("ROC", "false alarms", "hits", False, [Series(n, diagonal, diagonal)], "roc")
        for n in values
    ]
    path = write_report(tmp_path / "metrics.html", Page("a9a", comparisons=[table], charts=charts))
    page.get(path.as_uri())
    stars = page.find_elements("css selector", "td.best .star")
    assert len(stars) == 2 and {star.get_attribute("aria-label") for star in stars} == {"best"}
    assert [star.find_element("xpath", "../..").text.split()[1] for star in stars] == ["FOGD"] * 2
    expected = ["FOGD", "AVM", "OGD"]
    for heading, first in (("ROC AUC", "descending"), ("log loss", "ascending")):
        head = page.find_element("css selector", f"th[data-title='{heading}']")
        press(page, f"th[data-title='{heading}'] button")
        assert column(page, "algorithm") == expected and head.get_attribute("aria-sort") == first
        press(page, f"th[data-title='{heading}'] button")
        assert column(page, "algorithm") == expected[::-1]
    assert [o.text for o in page.find_elements("css selector", "figure.chart[data-kind=roc] svg")]
    page.save_screenshot(str(screenshots / "metrics.png"))


def test_a_race_has_its_leader_drawn_thick_and_a_cross_where_one_left(
    browser: Browser, tmp_path: Path, screenshots: Path
) -> None:
    race = made_up_race()
    page = Page("Race", comparisons=[race_table(race, SHARE)], charts=[race_chart(race, SHARE)])
    show(browser, width=1280)
    browser.get(write_report(tmp_path / "race.html", page).as_uri())
    marks = browser.execute_script(
        "return ['lead', 'end'].map(kind => [...document.querySelectorAll('g.series .' + kind)]"
        ".map(mark => [mark.parentNode.dataset.label, mark.textContent, mark.getBBox().width > 0]))"
    )
    assert {label for label, _, _ in marks[0]} == {"steady", "</title>late", "returns"}
    assert ["</title>late", "</title>late: left at row 300: behind steady by 0.1", True] in marks[1]
    assert all(drawn for kind in marks for _, _, drawn in kind)
    width = "return document.querySelector('figure.chart svg').getBoundingClientRect().width"
    assert browser.execute_script(width) > 1000  # many curves have the whole page
    take_picture(browser, screenshots / "race.png", height=1200)
    assert browser.get_log("browser") == []
