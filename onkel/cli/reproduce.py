"""`onkel reproduce`: a paper's table or figure, run again and compared."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from onkel.cli import options as o
from onkel.cli.errors import misuse
from onkel.cli.printing import json_text
from onkel.cli.progress import Progress


def reproduce(
    paper: Annotated[
        str | None, typer.Argument(metavar="[PAPER]", help="Short name of the paper; see --list.")
    ] = None,
    table: Annotated[int | None, typer.Option("--table", min=1, help="Number of a table.")] = None,
    figure: Annotated[
        int | None, typer.Option("--figure", min=1, help="Number of a figure.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All tables and figures (of the paper, if one is named).")
    ] = False,
    listed: Annotated[bool, typer.Option("--list", help="List what can be run.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small sample, for a first look.")
    ] = False,
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="FOLDER", help="Write the tables there, as CSV.")
    ] = None,
    report: o.ReportOption = None,
    journal: o.JournalOption = None,
    workers: o.WorkersOption = 2,
    as_json: o.JsonOption = False,
    quiet: o.QuietOption = False,
) -> None:
    """Run a paper's table or figure again, and compare.

    With --journal an interrupted run goes on where it stopped.

    [bold]Examples[/bold]

    \b
    onkel reproduce --list
    onkel reproduce lu2016_fogd_nogd --table 5 --quick --report table5.html
    onkel reproduce le2017_avm --figure 2 --csv results --journal runs.jsonl
    onkel reproduce --all --csv results --journal runs.jsonl
    """
    from onkel.reproduce import reproduce_all, run_study, studies

    if listed:
        show_list(studies(), as_json)
        return
    check_wishes(paper, table, figure, everything)
    o.check_report(report)
    with Progress(quiet) as progress:
        options: dict[str, Any] = {"quick": quick, "workers": workers, "journal": journal}
        options["on_progress"] = lambda done, total, record: progress.say(
            f"{done} of {total} runs: {record.job.data.name}, {record.job.label}"
        )
        if everything:
            papers = None if paper is None else [paper]
            outcomes = reproduce_all(
                csv, papers=papers, on_study=lambda study: progress.note(titled(study)), **options
            )
        else:
            study = found_study(str(paper), table, figure)
            progress.note(titled(study))
            outcomes = [run_study(study, **options)]
            if csv is not None:
                progress.note(f"table: {outcomes[0].to_csv(csv)}")
    if report is not None:
        from onkel.report import write_report
        from onkel.reproduce.page import page_of

        write_report(report, page_of(outcomes))
        progress.note(f"page: {report}")
    if as_json:
        print(json_text([facts_of(outcome) for outcome in outcomes]))
    else:
        print("\n\n".join(told(outcome) for outcome in outcomes))


def check_wishes(
    paper: str | None, table: int | None, figure: int | None, everything: bool
) -> None:
    """Complain about options that name no study, or too many."""
    numbered = (table is not None) + (figure is not None)
    if everything and numbered:
        raise misuse("--all goes with neither --table nor --figure")
    if not everything and paper is None:
        raise misuse(
            "name a paper and --table or --figure, or use --all; --list shows what there is"
        )
    if not everything and numbered != 1:
        raise misuse(f"name one --table or one --figure of {paper}, or use --all")
    if everything and paper is not None:
        from onkel.reproduce import studies

        papers = list(dict.fromkeys(study.paper for study in studies()))
        if paper not in papers:
            raise misuse(f"no paper {paper!r}; there are {', '.join(papers)}")


def found_study(paper: str, table: int | None, figure: int | None) -> Any:
    from onkel.reproduce import find_study

    try:
        return find_study(paper, table, figure)
    except ValueError as error:
        raise misuse(str(error)) from None


def titled(study: Any) -> str:
    return f"{study.paper}, {study.kind} {study.number}: {study.title}"


def show_list(studies: list[Any], as_json: bool) -> None:
    facts = [
        {"paper": study.paper, study.kind: study.number, "title": study.title} for study in studies
    ]
    if as_json:
        print(json_text(facts))
        return
    for study in studies:
        option = f"--{study.kind} {study.number}"
        print(f"{study.paper:<18}{option:<12}{study.title}")


def facts_of(outcome: Any) -> dict[str, Any]:
    study = outcome.study
    return {
        "paper": study.paper,
        study.kind: study.number,
        "summary": outcome.summary(),
        "failures": outcome.failures,
        "rows": outcome.table(),
    }


WORDS = {
    "std": "within 3 standard deviations",
    "percent": "within 10 %",
    "differs": "differ",
    "absent": "absent (no data)",
    "failed": "failed",
    "run": "run",
}
QUICK = " (quick: too few rows to agree with the paper, so there is no verdict)"


def told(outcome: Any) -> str:
    """A study in a few lines, and its rows."""
    study = outcome.study
    counts = ", ".join(f"{n} {WORDS[verdict]}" for verdict, n in outcome.summary().items())
    lines = [f"{titled(study)}{QUICK if outcome.quick else ''}", counts]
    rows = [row for row in outcome.table() if row.get("verdict") != "absent"]
    if study.kind == "table" and rows:
        verdict = "" if outcome.quick else "  verdict"
        lines.append(f"{'data set':<14}{'algorithm':<20}{'ours':>12}{'theirs':>12}{verdict}")
        lines += [line(row) for row in rows]
    lines += [f"failed: {failure}" for failure in outcome.failures]
    return "\n".join(lines)


def line(row: dict[str, Any]) -> str:
    """A figure of ours beside the paper's, and how they agree if they were compared."""
    verdict = "" if row["verdict"] == "run" else f"  {WORDS[row['verdict']]}"
    figures = f"{number(row.get('ours')):>12}{number(row.get('theirs')):>12}"
    return f"{row['dataset']:<14}{row['algorithm']:<20}{figures}{verdict}"


def number(value: Any) -> str:
    return "" if value is None else f"{value:.4g}"
