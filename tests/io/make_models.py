"""Writes the models of tests/io/models: run ``python -m tests.io.make_models`` once for a format version.

Models of former versions stay where they are: they must load for ever. A file holds, as extras, rows and
their scores, and more rows to learn and the scores after those.
"""

from __future__ import annotations

import copy
from pathlib import Path

from onkel.io import save
from onkel.io.models import VERSION
from tests.io.model_cases import CASES, MORE_ROWS, PROBES, Case, data_for, make
from tests.io.test_old_files import FOLDER, learn, scores


def write(case: Case, path: Path) -> None:
    X, y = data_for(case)
    first, more = slice(case.rows), slice(case.rows, case.rows + MORE_ROWS)
    probes = X[-PROBES:]
    model = learn(make(case), X[first], y[first])
    extras = {"probes": probes, "scores": scores(model, probes)}
    if hasattr(model, "partial_fit"):
        uninterrupted = learn(copy.deepcopy(model), X[more], y[more])
        extras |= {"more_X": X[more], "more_y": y[more]}
        extras |= {"scores_after": scores(uninterrupted, probes)}
    save(model, path, extras)


def main() -> None:
    folder = FOLDER / f"version_{VERSION}"
    folder.mkdir(exist_ok=True)
    for name, case in CASES.items():
        path = folder / f"{name}.onkel"
        if path.exists():
            print(f"{path.name} is there: left as it is")
        else:
            write(case, path)
            print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
