"""Links between pages lead somewhere, pictures are there, and public names have pages."""

from __future__ import annotations

import importlib
import importlib.util
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import onkel
from tests.docs.pages import PAGES, ROOT, name_of

#: Pages of the checkout alone have links too.
LINKED = sorted({*PAGES, *ROOT.glob("*.md")})
LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchor(heading: str) -> str:
    """The anchor of a heading, as GitHub and MyST make it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(path: Path) -> set[str]:
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    return {anchor(found) for found in re.findall(r"^#+ (.*)$", text, re.M)}


@pytest.mark.parametrize("path", LINKED, ids=name_of)
def test_links_lead_somewhere(path: Path) -> None:
    for target in LINK.findall(path.read_text(encoding="utf-8")):
        if target.startswith(("http", "mailto")):
            continue
        file, _, part = target.partition("#")
        there = (path.parent / file).resolve() if file else path
        made = there.parent.name in ("gallery", "api") and there.name == "index.rst"
        assert made or there.exists(), f"{name_of(path)}: {target}"
        assert not part or part in anchors(there), f"{name_of(path)}: {target}"


@pytest.fixture(scope="module")
def api_pages() -> Any:
    pytest.importorskip("sphinx")
    spec: Any = importlib.util.spec_from_file_location("api_pages", ROOT / "docs" / "api_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_public_room_has_a_page(api_pages: Any) -> None:
    names = list(api_pages.every_name())
    for room in set(onkel._ROOMS) - {"maps"}:
        module = importlib.import_module(f"onkel.{room}")
        for name in getattr(module, "__all__", []):
            at_the_top = getattr(onkel, name, None) is getattr(module, name)
            assert f"{'onkel' if at_the_top else module.__name__}.{name}" in names
    assert len(set(names)) == len(names) > 150
    assert {f"onkel.{name}" for name in [*onkel.__all__, *onkel._BESIDE]} <= set(names)
    assert {"onkel.tasks.Binary", "onkel.reproduce.PAPERS", "onkel.io.save"} <= set(names)


def test_a_public_name_without_an_entry_stops_the_build(api_pages: Any) -> None:
    known = dict.fromkeys(api_pages.every_name())
    environment = SimpleNamespace(get_domain=lambda name: SimpleNamespace(objects=known))
    api_pages.check_all_documented(None, environment)
    known.pop("onkel.io.save")
    with pytest.raises(api_pages.ExtensionError, match=r"not documented: onkel\.io\.save"):
        api_pages.check_all_documented(None, environment)
