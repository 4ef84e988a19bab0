"""What the declarations of pyproject.toml cannot say: README.md for readers who do not have the files beside it.

Its links are relative, for the checkout. Where a package is shown there is nothing beside it: links become addresses
of the repository that ONKEL_REPOSITORY names (the workflow of releases does), or plain words if none is named.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from setuptools import setup

HERE = Path(__file__).parent
#: A picture or a link of Markdown whose target is no address: "!" or nothing, words, target.
RELATIVE = re.compile(r"(!?)\[([^\]]*)\]\((?!https?://|#)([^)\s]+)\)")


def version() -> str:
    text = (HERE / "onkel" / "__init__.py").read_text(encoding="utf-8")
    (found,) = re.findall(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    return found


def far_from_its_files(text: str, repository: str, tag: str) -> str:
    """The text with relative links as addresses in the repository; without one, as words."""

    def address(found: re.Match[str]) -> str:
        mark, words, target = found.groups()
        if not repository:
            return "" if mark else words
        return f"{mark}[{words}]({repository}/{'raw' if mark else 'blob'}/{tag}/{target})"

    return RELATIVE.sub(address, text)


def main() -> None:
    repository = os.environ.get("ONKEL_REPOSITORY", "").rstrip("/")
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    setup(
        long_description=far_from_its_files(readme, repository, f"v{version()}"),
        long_description_content_type="text/markdown",
        project_urls={"Source": repository} if repository else {},
    )


if __name__ == "__main__":
    main()
