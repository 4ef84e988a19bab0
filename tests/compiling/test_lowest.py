"""The lowest versions that are declared are those that are tested."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_what_is_declared_is_what_is_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (ROOT / "requirements-lowest.txt").read_text(encoding="utf-8").splitlines()
    tested = dict(line.split("==") for line in lines if not line.startswith("#"))
    declared = dict(requirement.split(">=") for requirement in project["dependencies"])
    assert declared.keys() == tested.keys()
    for name, lowest in declared.items():
        assert f"{tested[name]}.".startswith(f"{lowest}."), name
