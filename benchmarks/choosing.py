"""All main learners as they come on all sets: accuracy or R², time to learn, size of the model file.

The results are in ``docs/choosing.csv`` and, as a table, in ``docs/choosing.md``. What the file has is taken from
there; ``--all`` measures everything again, ``--sets`` only some sets. With ``--rows`` nothing is written.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import onkel
from benchmarks.baselines import FITS
from benchmarks.baselines import measured as measured_svm
from benchmarks.choosing_page import written_page
from benchmarks.data import (
    CLASSES,
    NUMBERS,
    AbsentError,
    Split,
    present,
    standardised,
    standardised_numbers,
)
from benchmarks.journal import Journal, kept_in
from benchmarks.report import Options, Report
from benchmarks.timing import seconds_of

TITLE = "Which learner: accuracy or R², time and size on all sets"
DOCS = Path(__file__).resolve().parents[1] / "docs"
MOST_ROWS, MOST_TEST = 2000, 5000
KEY = ("task", "set", "learner")
COLUMNS = (*KEY, "rows", "test_rows", "features", "score", "seconds", "kilobytes")
#: A fit that takes longer is not repeated: what is compiled on the way weighs little.
LONG = 20.0
FAMILIES = (
    "Race", "NystromRidge", "FourierRidge", "CSVRG", "AVM", "FOGD", "NOGD", "BSGD", "SPA", "PA",
    "KernelPerceptron",
)  # fmt: skip
SETS = {"Classifier": CLASSES, "Regressor": NUMBERS}
SVM = {"Classifier": "SVC", "Regressor": "SVR"}


def run(report: Report, options: Options) -> None:
    kept = kept_in(DOCS / "choosing.csv", COLUMNS, KEY, options)
    before = len(kept.lines)
    if before and not options.everything:
        report.say(f"{before} results are those of {kept.path.name}: --all measures them again")
    report.say("points of 100 (accuracy or R²), processor seconds to learn, kB of the model file")
    some = False
    for task, sets in SETS.items():
        try:
            names = present(sets, options.sets)
        except AbsentError:
            continue
        some = True
        for name in names:
            measure_set(report, kept, task, name, min(MOST_ROWS, options.rows or MOST_ROWS))
    if not some:
        raise AbsentError("no set of these names is present (ONKEL_DATA names their folder)")
    if options.rows is None:
        written_page(DOCS / "choosing.md", list(kept.lines.values()))


def learners(task: str) -> dict[str, Any]:
    """Newly made, with nothing chosen but the seed."""
    made = {}
    for family in FAMILIES:
        learner = getattr(onkel, family + task, None)  # there is no regressor of some
        if learner is not None:
            made[family] = learner(random_state=0)
    return made


def measure_set(report: Report, kept: Journal, task: str, name: str, most: int) -> None:
    if task == "Classifier":
        split = standardised(name, most, MOST_TEST)
    else:
        split = standardised_numbers(name, most)
    report.say(f"{name}: {len(split.y)} rows, {split.X.shape[1]} features")
    jobs = {SVM[task]: partial(measured_svm, FITS[SVM[task]], split)}
    jobs |= {family: partial(measured, model, split) for family, model in learners(task).items()}
    for learner, job in jobs.items():
        line = kept.result(
            {"task": task, "set": name, "learner": learner}, partial(facts, job, split)
        )
        report.say(
            f"  {learner:<18}{100 * float(line['score']):>8.2f}{float(line['seconds']):>9.3f} s"
            f"{int(line['kilobytes']):>9,} kB"
        )


def facts(job: Any, split: Split) -> dict[str, Any]:
    """What a job measured, and on how many rows."""
    return {
        "rows": len(split.y),
        "test_rows": len(split.y_test),
        "features": split.X.shape[1],
        **job(),
    }


def measured(model: Any, split: Split) -> Mapping[str, Any]:
    """The better of two times: the first fit may compile."""
    fit = partial(model.fit, split.X, split.y)
    seconds = seconds_of(fit, time.process_time)
    if seconds < LONG:
        seconds = min(seconds, seconds_of(fit, time.process_time))
    return {
        "score": f"{model.score(split.X_test, split.y_test):.5f}",
        "seconds": f"{seconds:.3f}",
        "kilobytes": kilobytes(model),
    }


def kilobytes(model: Any) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onkel"
        onkel.io.save(model, path)
        return path.stat().st_size // 1000
