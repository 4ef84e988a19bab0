"""`onkel datasets`: which data sets there are, where their files are, and getting them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from onkel.cli import options as o
from onkel.cli.errors import guarded, help_of, misuse
from onkel.cli.printing import json_text
from onkel.cli.progress import Progress

datasets_app = typer.Typer(
    help="Benchmark data sets: list them, fetch them, find their files.", no_args_is_help=True
)
NamesArgument = Annotated[
    list[str], typer.Argument(metavar="NAME...", help="Data sets by name.", show_default=False)
]


def list_datasets(
    present: Annotated[bool, typer.Option("--present", help="Those that are here alone.")] = False,
    task: Annotated[
        str | None, typer.Option("--task", metavar="TASK", help="binary, multiclass or regression.")
    ] = None,
    as_json: o.JsonOption = False,
) -> None:
    """List the data sets that onkel knows.

    [bold]Examples[/bold]

    \b
    onkel datasets list --present
    onkel datasets list --task regression --json
    """
    from onkel import datasets

    facts = [facts_of(datasets.info(name)) for name in datasets.names()]
    tasks = sorted({f["task"] for f in facts})
    if task is not None and task not in tasks:
        raise misuse(f"--task {task}: it must be one of {', '.join(tasks)}")
    facts = [f for f in facts if (not present or f["here"]) and task in (None, f["task"])]
    if as_json:
        print(json_text(facts))
        return
    print(f"{'name':<20}{'task':<12}{'rows':>11}{'features':>12}  here  source")
    for f in facts:
        rows = "generated" if f["rows"] is None else f"{f['rows']:,}"
        here = "yes" if f["here"] else "get" if f["downloadable"] else "no"
        print(
            f"{f['name']:<20}{f['task']:<12}{rows:>11}{f['features']:>12,}  {here:<4}  {f['source']}"
        )
    print("here: yes, get (onkel datasets fetch NAME) or no (onkel datasets where NAME says how)")


def facts_of(entry: Any) -> dict[str, Any]:
    """What there is to tell of a set."""
    from onkel import datasets

    place = datasets.where(entry.name)
    return {
        "name": entry.name,
        "task": entry.task,
        "rows": entry.rows,
        "features": entry.features,
        "classes": entry.classes,
        "here": place.present,
        "downloadable": entry.downloadable,
        "source": entry.source,
    }


def fetch(names: NamesArgument, quiet: o.QuietOption = False) -> None:
    """Download data sets; prints the files.

    A transfer that was interrupted goes on where it stopped, and every file is checked.

    [bold]Examples[/bold]

    \b
    onkel datasets fetch a9a ijcnn1
    """
    from onkel import datasets

    for name in names:
        datasets.info(name)  # an unknown name is an error before anything is fetched
    with Progress(quiet) as progress:

        def show(file: str, got: int, total: int | None) -> None:
            share = f" of {total / 1e6:.1f}" if total else ""
            progress.say(f"{file}: {got / 1e6:.1f}{share} MB")

        for name in names:
            for path in datasets.fetch(name, show):
                print(path)


def where(names: NamesArgument, as_json: o.JsonOption = False) -> None:
    """Print the files of data sets that are here, and what is missing.

    [bold]Examples[/bold]

    \b
    onkel train $(onkel datasets where mushrooms) -o mushrooms.onkel
    """
    import sys

    from onkel import datasets

    places = [datasets.where(name) for name in names]
    if as_json:
        print(json_text([{k: told(v) for k, v in vars(place).items()} for place in places]))
    else:
        for place in places:
            for path in place.files:
                print(path)
    lacking = [place for place in places if not place.present]
    for place in lacking:
        remedy = (
            f"get them with: onkel datasets fetch {place.name}"
            if place.downloadable
            else "onkel cannot download them: onkel datasets fetch tells where they come from"
        )
        print(f"{place.name}: {', '.join(place.missing)} not here; {remedy}", file=sys.stderr)
    if lacking:
        raise typer.Exit(1)


def told(value: Any) -> Any:
    return [str(part) for part in value] if isinstance(value, tuple) else value


datasets_app.command("list", help=help_of(list_datasets))(guarded(list_datasets))
datasets_app.command("fetch", help=help_of(fetch), no_args_is_help=True)(guarded(fetch))
datasets_app.command("where", help=help_of(where), no_args_is_help=True)(guarded(where))
