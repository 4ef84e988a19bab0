"""The pages of the documentation, and the blocks of code on them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
MADE = ("_build", "api", "gallery")  # by the build of the site
PAGES = sorted(
    path
    for path in [*ROOT.glob("docs/**/*.md"), ROOT / "README.md"]
    if path.relative_to(ROOT).parts[1:2] not in [(name,) for name in MADE]
)
#: A block of "python spark" needs Spark: tests/dask/test_spark.py runs it.
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(path: Path, language: str) -> Iterator[tuple[int, str]]:
    """The blocks of a language: the line of the page where each begins, and the code."""
    text = path.read_text(encoding="utf-8")
    for found in BLOCK.finditer(text):
        if found.group(1) == language:
            line = text.count("\n", 0, found.start(2)) + 1
            yield line, textwrap.dedent(found.group(2))
