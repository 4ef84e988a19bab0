"""README.md as packages show it: its links are addresses or words, never paths."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

import onkel
from tests.docs.pages import ROOT

TEXT = """![A picture](docs/a.png) of [one](docs/one.md#part), [two](https://two.org) and [here](#below).
"""
AT = "https://host.org/us/onkel"


@pytest.fixture(scope="module")
def setup_file() -> Any:
    pytest.importorskip("setuptools")
    spec: Any = importlib.util.spec_from_file_location("setup_file", ROOT / "setup.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_links_become_addresses_of_the_repository(setup_file: Any) -> None:
    assert setup_file.far_from_its_files(TEXT, AT, "v1") == (
        f"![A picture]({AT}/raw/v1/docs/a.png) of [one]({AT}/blob/v1/docs/one.md#part), "
        "[two](https://two.org) and [here](#below).\n"
    )


def test_without_a_repository_they_are_words(setup_file: Any) -> None:
    text = setup_file.far_from_its_files(TEXT, "", "v1")
    assert text == " of one, [two](https://two.org) and [here](#below).\n"


def test_the_readme_keeps_none(setup_file: Any) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert setup_file.RELATIVE.search(text)
    for repository in ("", AT):
        shown = setup_file.far_from_its_files(text, repository, "v1")
        assert not setup_file.RELATIVE.search(shown)
        assert shown.count("docs/choosing.md") == bool(repository)


@pytest.mark.skipif(not (ROOT / "onkel").is_dir(), reason="the package's sources are elsewhere")
def test_the_version_is_read_from_the_package(setup_file: Any) -> None:
    assert setup_file.version() == onkel.__version__
