"""Every block of Python on a page runs, one page after the other; every command line exists."""

from __future__ import annotations

import ast
import runpy
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from onkel.cli.app import app
from tests.docs.pages import PAGES, ROOT, blocks, name_of

OWN = sorted((ROOT / "examples" / "own").glob("*.py"))


@pytest.fixture(autouse=True)
def no_screen() -> Iterator[None]:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    yield
    pyplot.close("all")


def page_with(language: str) -> list[Path]:
    return [path for path in PAGES if any(blocks(path, language))]


@pytest.mark.parametrize("path", page_with("python"), ids=name_of)
def test_python_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if "import river" in path.read_text(encoding="utf-8") or "from river" in path.read_text():
        pytest.importorskip("river")
    names: dict[str, object] = {"__name__": "__page__"}
    for line, code in blocks(path, "python"):
        tree = ast.parse(code, filename=name_of(path))
        ast.increment_lineno(tree, line - 1)  # so that an error names the line of the page
        exec(compile(tree, name_of(path), "exec"), names)


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_parts_of_ones_own_run(path: Path) -> None:
    runpy.run_path(str(path), run_name="__main__")


def test_there_is_a_page_for_each_part_of_ones_own() -> None:
    pages = {path.stem for path in (ROOT / "docs" / "own").glob("*.md")} - {"index"}
    assert pages == {path.stem for path in OWN} == {"loss", "kernel", "rule", "budget", "learner"}


# ---- command lines -------------------------------------------------------------------------------


def command_lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The calls of onkel in the shell blocks of a page, as words."""
    for first, code in blocks(path, "sh"):
        for number, line in enumerate(code.splitlines()):
            for part in line.split(" | "):
                words = shlex.split(part, comments=True)
                if words[:1] == ["onkel"]:
                    end = next((i for i, w in enumerate(words) if w in (">", "2>")), len(words))
                    yield first + number, words[1:end]


@pytest.mark.parametrize("path", page_with("sh"), ids=name_of)
def test_command_lines_exist(path: Path) -> None:
    root = typer.main.get_command(app)
    for line, words in command_lines(path):
        place = f"{name_of(path)}:{line}"
        command, rest = root, list(words)
        while hasattr(command, "commands"):
            assert rest and rest[0] in command.commands, f"{place}: no command {rest[:1]}"
            command = command.commands[rest.pop(0)]
        known = {option for p in command.params for option in (*p.opts, *p.secondary_opts)}
        used = {word.split("=")[0] for word in rest if word.startswith("-") and word != "-"}
        assert used <= known, f"{place}: {sorted(used - known)} of {words}"


def test_the_checks_can_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# x\n\n```sh\nzcat a | onkel train f --tragedy\n```\n\n```python\n1 / 0\n```\n"
    )
    monkeypatch.setattr("tests.docs.test_blocks.name_of", str)
    with pytest.raises(AssertionError, match="--tragedy"):
        test_command_lines_exist(page)
    with pytest.raises(ZeroDivisionError):
        test_python_runs(page, tmp_path, monkeypatch)
