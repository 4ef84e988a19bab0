"""What ``import onkel`` brings: everything public, but nothing heavy before it is asked for."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import onkel

ROOMS = (
    "budgets", "datasets", "evaluate", "io", "kernels", "losses", "maps", "report", "reproduce",
    "rules", "stream",
)  # fmt: skip


def in_a_new_process(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_nothing_heavy_is_imported_unasked() -> None:
    program = (
        "import sys, onkel; print([m for m in ('numba', 'sklearn', 'numpy') if m in sys.modules])"
    )
    assert in_a_new_process(program) == "[]"


def test_rooms_and_learners_are_there_after_a_plain_import() -> None:
    asked = ", ".join(f"onkel.{room}.__name__" for room in ROOMS)
    program = f"import onkel; print({asked}, onkel.losses.Hinge(), onkel.AVMClassifier())"
    expected = " ".join(f"onkel.{room}" for room in ROOMS) + " Hinge() AVMClassifier()"
    assert in_a_new_process(program) == expected


def test_every_learner_is_there_by_its_name() -> None:
    assert [getattr(onkel, name).__name__ for name in onkel.__all__] == onkel.__all__
    assert set(onkel.__all__) <= set(dir(onkel))


def test_type_checkers_see_what_is_public() -> None:
    """The imports that only they follow are those of all learners, and of what stands beside them."""
    tree = ast.parse(Path(onkel.__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = [alias.name for line in block.body for alias in line.names]
    assert sorted(seen) == sorted([*onkel.__all__, *onkel._BESIDE])


def test_a_name_without_a_learner_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onkel, "__all__", [*onkel.__all__, "Forgotten"])
    with pytest.raises(AttributeError, match=r"'Forgotten', but no file of onkel\.learners has it"):
        onkel.Forgotten  # noqa: B018


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'NoSuchLearner'"):
        onkel.NoSuchLearner  # noqa: B018
