"""``python -m benchmarks [section ...]``: print the surroundings, run sections, sum up."""

from __future__ import annotations

import argparse
import time
from importlib import import_module

from benchmarks.data import AbsentError, choose_folder
from benchmarks.report import Options, Report, surroundings

SECTIONS = (
    "walk", "row_by_row", "sparse", "low_dimension", "fogd", "first_use", "growth", "projection",
    "merging", "single_row", "loops", "river", "metrics", "defaults", "guidance", "probabilities", "intervals",
    "imbalance", "drift", "many_classes", "text", "reading", "tables", "covtype", "ridge", "race", "choosing",
    "threads", "dask", "scaling", "long_stream",
)  # fmt: skip


def parsed(arguments: list[str] | None) -> tuple[list[str], Options]:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("sections", nargs="*", help=f"of {', '.join(SECTIONS)}; default: all")
    parser.add_argument("--rows", type=int, help="at most so many rows of every data set")
    parser.add_argument("--repeats", type=int, default=5, help="the best of so many counts")
    parser.add_argument(
        "--all",
        action="store_true",
        help="first_use: every learner; long_stream: 5 GB; race, choosing: nothing from files",
    )
    parser.add_argument("--sets", default="", help="defaults: only these sets, divided by commas")
    parser.add_argument(
        "--processor-time", action="store_true", help="not wall time: for a machine that is busy"
    )
    chosen = parser.parse_args(arguments)
    for section in chosen.sections:
        if section not in SECTIONS:
            parser.error(f"no section {section!r}; there are {', '.join(SECTIONS)}")
    if chosen.repeats < 1 or (chosen.rows is not None and chosen.rows < 1):
        parser.error("--repeats and --rows must be at least 1")
    sets = tuple(filter(None, chosen.sets.split(",")))
    clock = time.process_time if chosen.processor_time else time.perf_counter
    options = Options(chosen.rows, chosen.repeats, chosen.all, sets, clock)
    return chosen.sections or list(SECTIONS), options


def main(arguments: list[str] | None = None) -> int:
    sections, options = parsed(arguments)
    choose_folder()
    report = Report()
    for text in surroundings():
        report.write(text)
    if options.clock is time.process_time:
        report.write("times are processor time; lines with several threads add up their times")
    for name in sections:
        section = import_module(f"benchmarks.{name}")
        report.title(f"{name}: {section.TITLE}")
        try:
            section.run(report, options)
        except AbsentError as reason:
            report.skip(name, reason)
    report.summary()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
