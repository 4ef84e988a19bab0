"""Small data files, and ways to run the command line, for its tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from typer.testing import CliRunner

from onkel.cli.app import app

ROOT = Path(__file__).parents[2]


def onkel(*arguments: Any, stdin: str | bytes | None = None) -> Any:
    """The command in this process; its result has stdout, stderr and exit_code."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)


def ok(*arguments: Any, stdin: str | bytes | None = None) -> Any:
    result = onkel(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.stderr
    assert "Traceback" not in result.stderr
    return result


def fails(code: int, *arguments: Any, stdin: str | bytes | None = None) -> str:
    """The one line of an error."""
    result = onkel(*arguments, stdin=stdin)
    assert result.exit_code == code, (result.stderr, result.stdout, result.exception)
    lines = [line for line in result.stderr.splitlines() if line.startswith("onkel: ")]
    assert len(lines) == 1 and result.stderr.splitlines()[-1] == lines[0], result.stderr
    return lines[0]


def process(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
    """The command in a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-m", "onkel.cli", *map(str, arguments)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
        **options,
    )  # fmt: skip


def rows(n: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two features on different scales, far from 0, and a score that both decide."""
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, size=(n, 2))
    y = 2 * X[:, 0] + X[:, 1] + 0.05 * random.normal(size=n)
    return X * [1000, 0.01] + [5000, 3], y


def svmlight(path: Path, n: int = 300, seed: int = 0) -> Path:
    X, y = rows(n, seed)
    lines = [f"{1 if t > 0 else -1} 1:{a!r} 2:{b!r}\n" for (a, b), t in zip(X.tolist(), y)]
    path.write_text("".join(lines))
    return path


def table(path: Path, kind: str, n: int = 300, seed: int = 0) -> Path:
    """CSV with the columns size, weight and target: words ("kind") or prices around 300,000."""
    X, y = rows(n, seed)
    targets = ["big" if t > 0 else "small" for t in y] if kind == "words" else 3e5 + 5e4 * y
    lines = [f"{a!r},{b!r},{t}\n" for (a, b), t in zip(X.tolist(), targets)]
    path.write_text("size,weight,target\n" + "".join(lines))
    return path
