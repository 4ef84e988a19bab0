"""Reproduction: one study, or all of them, run and compared with the paper."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from onkel.evaluate import Record, run_jobs
from onkel.reproduce import avm_batch, csvrg, lsokl, lsokl_batch, nbsgd, spa
from onkel.reproduce.engine import absence, cases, measured
from onkel.reproduce.outcome import Outcome, outcome_of
from onkel.reproduce.papers import PAPERS
from onkel.reproduce.study import Study

OnProgress = Callable[[int, int, Record], None]

ALL: tuple[Study, ...] = (
    *lsokl.STUDIES,
    *lsokl_batch.STUDIES,
    *avm_batch.STUDIES,
    *spa.STUDIES,
    *nbsgd.STUDIES,
    *csvrg.STUDIES,
)


def studies() -> list[Study]:
    """All tables and figures that can be run again, paper by paper.

    >>> sum(study.kind == "table" for study in studies()), len(studies())
    (13, 21)
    """
    papers = list(PAPERS)
    return sorted(ALL, key=lambda s: (papers.index(s.paper), s.kind == "figure", s.number))


def find_study(paper: str, table: int | None = None, figure: int | None = None) -> Study:
    """The study of a table or a figure.

    >>> find_study("le2017_avm", table=4).title
    'Online classification'
    """
    if (table is None) == (figure is None):
        raise ValueError("give either table=... or figure=...")
    kind, number = ("table", table) if figure is None else ("figure", figure)
    if paper not in PAPERS:
        raise ValueError(f"no paper {paper!r}; there are {', '.join(PAPERS)}")
    there = [study for study in studies() if study.paper == paper]
    for study in there:
        if (study.kind, study.number) == (kind, number):
            return study
    known = ", ".join(f"{study.kind} {study.number}" for study in there)
    raise ValueError(f"{paper} has no {kind} {number} that can be run again; there are {known}")


def reproduce(
    paper: str,
    *,
    table: int | None = None,
    figure: int | None = None,
    quick: bool = False,
    workers: int = 2,
    journal: str | Path | None = None,
    on_progress: OnProgress | None = None,
) -> Outcome:
    """Run a table or a figure of a paper again, and compare.

    Parameters
    ----------
    paper : short name, see `PAPERS`
    table, figure : its number; one of the two
    quick : a first look: 1,500 rows to learn, 1,000 to test, one run, three values of a parameter.
        Too few to agree with the paper.
    workers : processes
    journal : a file of finished runs; called again with it, only what is missing is run
    on_progress : called with (runs done, runs in all, the last record)

    Examples
    --------
    >>> from onkel.reproduce import reproduce
    >>> outcome = reproduce("le2017_avm", table=5, quick=True)  # doctest: +SKIP
    >>> outcome.summary()  # doctest: +SKIP
    {'absent': 27, 'run': 9}
    """
    study = find_study(paper, table, figure)
    return run_study(study, quick=quick, workers=workers, journal=journal, on_progress=on_progress)


def run_study(
    study: Study,
    *,
    quick: bool = False,
    workers: int = 2,
    journal: str | Path | None = None,
    on_progress: OnProgress | None = None,
) -> Outcome:
    """Run a declared study, yours or one of `studies()`."""
    everything = cases(study, quick)
    jobs = [job for case in everything if not absence(case.data) for job in case.jobs()]
    fresh = 0

    def count(done: int, total: int, record: Record) -> None:
        nonlocal fresh
        fresh += 1
        if on_progress:
            on_progress(done, total, record)

    began = time.perf_counter()
    results = run_jobs(jobs, workers=workers, journal=journal, on_progress=count)
    passed = time.perf_counter() - began
    return outcome_of(
        study,
        measured(everything, results),
        versions=dict(results[0].versions) if len(results) else {},
        wall_seconds=passed if fresh >= len({job.key for job in jobs}) else None,
        quick=quick,
    )


def reproduce_all(
    folder: str | Path | None = None,
    *,
    papers: Iterable[str] | None = None,
    quick: bool = False,
    workers: int = 2,
    journal: str | Path | None = None,
    on_study: Callable[[Study], None] | None = None,
    on_progress: OnProgress | None = None,
) -> list[Outcome]:
    """Run every study (of some papers); with a `folder`, write its tables and pages there.

    Written are a CSV file a study, `index.html` with everything, and `README.md` with the counts,
    the worst deviations and where the settings come from. The files are written after every study,
    so that an interrupted run leaves what it has.
    """
    from onkel.reproduce.publish import publish

    wanted = set(PAPERS if papers is None else papers)
    unknown = wanted - set(PAPERS)
    if unknown:
        raise ValueError(f"no paper {sorted(unknown)[0]!r}; there are {', '.join(PAPERS)}")
    outcomes: list[Outcome] = []
    for study in studies():
        if study.paper not in wanted:
            continue
        if on_study:
            on_study(study)
        outcome = run_study(
            study, quick=quick, workers=workers, journal=journal, on_progress=on_progress
        )
        outcomes.append(outcome)
        if folder is not None:
            outcome.to_csv(folder)
    if folder is not None:
        publish(outcomes, folder)
    return outcomes
