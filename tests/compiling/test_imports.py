"""What ``import onkel`` brings: everything public, but nothing heavy before it is asked for."""

import subprocess
import sys

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


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'NoSuchLearner'"):
        onkel.NoSuchLearner  # noqa: B018
