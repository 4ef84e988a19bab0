"""Writes the models of tests/io/models: run ``python -m tests.io.make_models`` once for a format version.

Models of former versions stay where they are: they must load for ever. So do those that are there; what is missing,
such as a learner that is new, is added. A file holds, as extras, rows and their scores, and more rows to learn and
the scores after those.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from onkel.estimators import look
from onkel.io import save
from onkel.io.models import VERSION
from tests.conftest import SHORT_LOOK
from tests.io.model_cases import CASES, MORE_ROWS, PROBES, data_for, make
from tests.io.test_old_files import FOLDER, learn, scores
from tests.io.whole_cases import WHOLES, taken


def write(model: Any, X: Any, y: Any, rows: int, path: Path) -> None:
    first, more = slice(rows), slice(rows, rows + MORE_ROWS)
    probes = taken(X, slice(-PROBES, None))
    model = learn(model, taken(X, first), y[first])
    extras = {"probes": probes, "scores": scores(model, probes)}
    if hasattr(model, "partial_fit"):
        uninterrupted = learn(copy.deepcopy(model), taken(X, more), y[more])
        extras |= {"more_X": taken(X, more), "more_y": y[more]}
        extras |= {"scores_after": scores(uninterrupted, probes)}
    save(model, path, extras)


def main() -> None:
    look.LOOK_ROWS = SHORT_LOOK  # as in tests of this room: the rows are few
    folder = FOLDER / f"version_{VERSION}"
    folder.mkdir(exist_ok=True)
    makers: dict[str, Any] = {
        name: lambda case=case: (make(case), *data_for(case), case.rows)
        for name, case in CASES.items()
    } | {name: lambda whole=whole: (whole.make(), *whole[1:]) for name, whole in WHOLES.items()}
    for name, maker in makers.items():
        path = folder / f"{name}.onkel"
        if path.exists():
            print(f"{path.name} is there: left as it is")
        else:
            write(*maker(), path)
            print(f"{path.name}: {path.stat().st_size} bytes", flush=True)


if __name__ == "__main__":
    main()
