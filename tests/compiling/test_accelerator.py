"""The accelerator: taken for tested versions of Numba alone, and nothing but time depends on it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from onkel.compiled.decorators import ACCELERATED_VERSIONS

FUNCTIONS = """
from onkel.compiled.decorators import inner, jit

@inner
def cube(x):
    return x * x * x

@inner
def shifted(x, by):
    if by < 0.0:
        raise ValueError("by is negative", by)
    return cube(x) + by

@jit
def outermost(x, by):
    return shifted(x, by) + shifted(-x, 2.0 * by) + cube(by)
"""

PROGRAM = """
import sys, numba
if {unknown}:  # as if this were a release that nobody has tried
    numba.__version__ = "99.0.0"
import functions
from onkel.compiled.decorators import is_accelerated

print(is_accelerated(), "onkel.compiled.accelerator" in sys.modules)
print(functions.outermost(2.0, 0.5))
try:
    functions.outermost(2.0, -0.5)
except ValueError as error:
    print(error)
print(sum(functions.outermost.stats.cache_hits.values()))
"""
TESTED = numba.__version__ in ACCELERATED_VERSIONS


def program(folder: Path, functions: str, text: str, **settings: str) -> list[str]:
    """What a new process prints that has these functions to import."""
    source = folder / "functions.py"
    if not source.exists():  # a second program finds it untouched: a later date would be an edit
        source.write_text(functions)
    surroundings = os.environ | {
        "ONKEL_CACHE": str(folder / "cache"),
        "ONKEL_PLAIN_COMPILING": "",
        "PYTHONPATH": os.pathsep.join([str(folder), str(Path(__file__).parents[2])]),
    }
    done = subprocess.run(
        [sys.executable, "-c", text], env=surroundings | settings, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def run(folder: Path, unknown: bool = False, plain: str = "") -> list[str]:
    text = PROGRAM.format(unknown=unknown)
    return program(folder, FUNCTIONS, text, ONKEL_PLAIN_COMPILING=plain)


@pytest.mark.parametrize(
    ("unknown", "plain"), [(False, ""), (True, ""), (False, "1")], ids=["usual", "unknown", "plain"]
)
def test_same_results_with_and_without(tmp_path: Path, unknown: bool, plain: str) -> None:
    used = TESTED and not unknown and not plain
    assert run(tmp_path, unknown, plain) == [
        f"{used} {used}", "1.625", "('by is negative', -0.5)", "0",
    ]  # fmt: skip


@pytest.mark.parametrize("plain", ["", "1"], ids=["quick", "plain"])
def test_machine_code_is_taken_from_the_disk(tmp_path: Path, plain: str) -> None:
    first, again = run(tmp_path, plain=plain), run(tmp_path, plain=plain)
    assert again[:3] == first[:3]
    assert (first[3], again[3]) == ("0", "1")


def test_what_was_compiled_plainly_is_kept_apart(tmp_path: Path) -> None:
    run(tmp_path)
    assert run(tmp_path, plain="1")[3] == "0"


CONSTANTS = """
from onkel.compiled.decorators import jit
from onkel.compiled.decorators import chosen_by_type

asked = []

def plus(x, by):
    return x + by

def choose(x, by):
    asked.append((x, by))
    return lambda x, by: x + by

chosen_by_type(plus, choose)

@jit
def outermost(x):
    return plus(x, 1) + plus(x, 2) + plus(x, by=3)
"""


def test_constants_do_not_compile_anew(tmp_path: Path) -> None:
    text = "import functions; print(functions.outermost(1), len(set(functions.asked)))"
    assert program(tmp_path, CONSTANTS, text) == ["9 1"]


BEFORE_AND_AFTER = """
import inspect, functions
from numba.core import codegen, compiler
from numba.core.typing import templates

def look():
    rooms = codegen, compiler, templates
    classes = [cls for room in rooms for _, cls in inspect.getmembers(room, inspect.isclass)]
    return [dict(vars(cls)) for cls in classes if cls.__module__.startswith("numba.core.c")]

before = look()
functions.outermost(2.0, 0.5)
print(before == look())
"""


def test_numba_is_left_as_it_was(tmp_path: Path) -> None:
    assert program(tmp_path, FUNCTIONS, BEFORE_AND_AFTER) == ["True"]
