"""The machine-code cache: an edit of compiled code is noticed, an edit of a plain room is not."""

import ast
from pathlib import Path

import pytest

import onkel
from onkel.compiled import cache as compiling

PACKAGE = Path(onkel.__file__).parent
PLAIN = [path for room in compiling.PLAIN_ROOMS for path in [PACKAGE / room] if path.exists()]


@pytest.mark.parametrize("room", PLAIN, ids=lambda path: path.name)
def test_a_plain_room_has_nothing_to_compile(room: Path) -> None:
    for source in [room] if room.is_file() else room.rglob("*.py"):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert not any(name.name.split(".")[0] == "numba" for name in node.names), source
            if isinstance(node, ast.ImportFrom) and node.module == "onkel.compiled.cache":
                assert {name.name for name in node.names} <= {"cache_home"}, source
            if isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] != "numba", source
                assert node.module != "onkel.compiled.decorators", source


def folder_of(package: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(compiling, "PACKAGE", package)
    compiling.cache_folder.cache_clear()
    return compiling.cache_folder().name


def test_the_folder_follows_compiled_rooms_only(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("ONKEL_CACHE", str(tmp_path / "cache"))
    package = tmp_path / "package"
    for place in ("walk.py", "losses/margin.py", "cli/main.py", "atomic.py"):
        (package / place).parent.mkdir(parents=True, exist_ok=True)
        (package / place).write_text("a = 1\n")
    try:
        first = folder_of(package, monkeypatch)
        (package / "cli/main.py").write_text("a = 2\n")
        (package / "atomic.py").write_text("a = 2\n")
        assert folder_of(package, monkeypatch) == first
        (package / "losses/margin.py").write_text("a = 2\n")
        assert folder_of(package, monkeypatch) != first
    finally:
        compiling.cache_folder.cache_clear()
