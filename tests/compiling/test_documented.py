"""Only what Numba documents is imported, but for the accelerator, which may be missing."""

from __future__ import annotations

import ast
from pathlib import Path

import numba
import numpy as np
import pytest

import onkel
from onkel.compiled import decorators

PACKAGE = Path(onkel.__file__).parent
ACCELERATOR = PACKAGE / "compiled" / "accelerator.py"
DOCUMENTED = {"numba", "numba.extending", "llvmlite"}
NAMES = {"carray", "from_dtype", "types"}  # of numba itself
#: https://numba.readthedocs.io/en/stable/reference/jit-compilation.html
OPTIONS = {"nogil", "cache", "error_model", "fastmath", "inline", "forceinline"}
SOURCES = [path for path in sorted(PACKAGE.rglob("*.py")) if path != ACCELERATOR]


def imports(source: Path) -> list[tuple[str, set[str]]]:
    """Modules of Numba and llvmlite that a file imports, and the names it takes from each."""
    found = []
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(alias.name, set()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node.module or "", {alias.name for alias in node.names}))
    return [(name, names) for name, names in found if name.split(".")[0] in ("numba", "llvmlite")]


def test_only_documented_modules_are_imported() -> None:
    compiling = 0
    for source in SOURCES:
        for module, names in imports(source):
            compiling += 1
            assert module in DOCUMENTED, f"{source} imports {module}"
            assert module != "numba" or names <= NAMES, f"{source} imports {names} from numba"
            assert not any(name.startswith("_") for name in names), source
    assert compiling > 5


def test_options_are_documented_ones() -> None:
    assert set(decorators.OPTIONS) <= OPTIONS
    accelerated = {"pipeline_class"} if decorators.is_accelerated() else set()
    for options in (decorators.OUTER_OPTIONS, decorators.INNER_OPTIONS):
        assert set(options) - set(decorators.OPTIONS) == accelerated


def test_the_package_does_without_the_accelerator() -> None:
    """Nothing but one function of the decorators knows that it exists."""
    knows = [path.name for path in SOURCES if "compiled.accelerator" in path.read_text()]
    assert knows == ["decorators.py"]


@decorators.jit
def doubled(x):
    return 2 * x


def test_direct_code_is_that_of_the_types() -> None:
    assert decorators.direct(doubled, 4) is doubled  # nothing is compiled for it yet
    assert doubled(4) == 8
    code = decorators.direct(doubled, 4)
    assert code is not doubled
    assert code(5) == 10
    assert decorators.direct(len, "") is len  # what has no such method is called itself


def test_without_disk_compiles_afresh() -> None:
    assert doubled(np.ones(2)).sum() == 4.0
    again = decorators.without_disk(doubled)
    assert again is decorators.without_disk(doubled)
    assert again(np.ones(2)).sum() == 4.0
    assert not again.stats.cache_path


@pytest.mark.parametrize("name", ["CACHE_DIR"])
def test_settings_are_left_as_they_were(name: str) -> None:
    before = getattr(numba.config, name)
    decorators.jit(lambda x: x)
    assert getattr(numba.config, name) == before
