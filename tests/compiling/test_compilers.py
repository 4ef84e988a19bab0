"""Inner functions are kept as LLVM code; without Numba's private methods the usual way is taken."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FUNCTIONS = """
from onkel.compiled.decorators import inner, jit

@inner
def cube(x):
    return x * x * x

@inner
def shifted(x, by):
    if by < 0.0:
        raise ValueError("by is negative")
    return cube(x) + by

@jit
def outermost(x, by):
    return shifted(x, by) + shifted(-x, 2.0 * by) + cube(by)
"""

PROGRAM = """
import inspect, textwrap
from numba.core import codegen

if {renamed}:  # as if Numba had renamed a method that onkel replaces
    library = codegen.CPUCodeLibrary
    source = textwrap.dedent(inspect.getsource(library.finalize))
    library._polish = library._optimize_final_module
    exec(source.replace("_optimize_final_module", "_polish"), vars(codegen), space := {{}})
    library.finalize = space["finalize"]
    del library._optimize_final_module

import functions
from onkel.compiled import accelerator as compilers

kinds = lambda function: {{type(made.library).__name__ for made in function.overloads.values()}}
print(compilers.numba_is_as_known(), functions.outermost(2.0, 0.5))
try:
    functions.outermost(2.0, -0.5)
except ValueError as error:
    print(error)
print(kinds(functions.cube), kinds(functions.shifted), kinds(functions.outermost))
"""


def program(folder: Path, functions: str, text: str) -> list[str]:
    """What a new process prints that has these functions to import."""
    (folder / "functions.py").write_text(functions)
    surroundings = os.environ | {
        "ONKEL_CACHE": str(folder / "cache"),
        "PYTHONPATH": os.pathsep.join([str(folder), str(Path(__file__).parents[2])]),
    }
    command = [sys.executable, "-c", text]
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def run(folder: Path, renamed: bool) -> list[str]:
    return program(folder, FUNCTIONS, PROGRAM.format(renamed=renamed))


@pytest.mark.parametrize("renamed", [False, True], ids=["as known", "method renamed"])
def test_same_results_with_and_without_private_methods(tmp_path: Path, renamed: bool) -> None:
    values, error, kinds = run(tmp_path, renamed)
    assert values == f"{not renamed} 1.625"
    assert error == "by is negative"
    inner = "JITCodeLibrary" if renamed else "InnerLibrary"
    assert kinds == f"{{'{inner}'}} {{'{inner}'}} {{'JITCodeLibrary'}}"


def test_machine_code_from_the_disk_needs_no_inner_function(tmp_path: Path) -> None:
    first = run(tmp_path, renamed=False)
    again = run(tmp_path, renamed=False)
    assert again[:2] == first[:2]
    assert again[2] == "set() set() {'JITCodeLibrary'}"


CONSTANTS = """
from onkel.compiled.decorators import inner, jit

@inner
def plus(x, by):
    return x + by

@jit
def outermost(x):
    return plus(x, 1) + plus(x, 2) + plus(x, by=3)
"""


def test_constants_do_not_compile_anew(tmp_path: Path) -> None:
    text = "import functions; print(functions.outermost(1), len(functions.plus.overloads))"
    assert program(tmp_path, CONSTANTS, text) == ["9 1"]


BEFORE_AND_AFTER = """
import functions
from numba.core.compiler import Flags
from numba.core.typing.templates import _OverloadFunctionTemplate as Template

look = lambda: (Flags.__hash__, Flags.__eq__, Template._get_jit_decorator)
before = look()
functions.outermost(2.0, 0.5)
print(before == look())
"""


def test_numba_is_left_as_it_was(tmp_path: Path) -> None:
    assert program(tmp_path, FUNCTIONS, BEFORE_AND_AFTER) == ["True"]
