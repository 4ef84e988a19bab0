"""What ``import onkel`` brings: everything public, but nothing heavy before it is asked for."""

import ast
import platform
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import onkel

ROOT = Path(__file__).parents[2]
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


def extras() -> list[str]:
    """The packages that only extras for users bring, by the names they are imported under."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needs = [
        need
        for extra, packages in project["optional-dependencies"].items()
        if extra not in ("all", "test", "dev", "docs")
        for need in packages
    ]
    core = {name_in(need) for need in project["dependencies"]}
    return sorted({name_in(need) for need in needs} - core)


def name_in(need: str) -> str:
    return re.split(r"[^\w.-]", need)[0].replace("-", "_")


def test_no_extra_is_needed_before_it_is_asked_for() -> None:
    blocked = extras()
    assert {"matplotlib", "onnx", "typer", "river"} <= set(blocked)
    asked = "; ".join(f"onkel.{room}" for room in ROOMS)
    program = f"""
import sys
class NotInstalled:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, NotInstalled())
import onkel
{asked}
X, y = [[0.0], [1.0], [2.0]] * 10, ["a", "b", "b"] * 10
model = onkel.make_stream_pipeline(onkel.TableEncoder(), onkel.FOGDClassifier(n_components=3))
print(model.partial_fit({{"x": [row[0] for row in X]}}, y).predict({{"x": [0.0]}}).tolist())
"""
    assert in_a_new_process(program) in ("['a']", "['b']")


def test_the_version_stands_in_one_place() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "version" in project["dynamic"] and "version" not in project
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {onkel.__version__}\n" in citation


def test_show_versions(capsys: pytest.CaptureFixture[str]) -> None:
    onkel.show_versions()
    shown = dict(line.split(" ", 1) for line in capsys.readouterr().out.splitlines())
    assert shown["onkel"] == onkel.__version__ and shown["python"] == platform.python_version()
    assert shown["numpy"] == np.__version__ and "pytest" not in shown
    assert {"numba", "scipy", "scikit-learn"} <= shown.keys()
