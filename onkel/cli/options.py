"""The command line: options that several commands share."""

from __future__ import annotations

import csv
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from onkel.cli.errors import misuse
from onkel.stream.suffixes import PACKINGS, SUFFIXES


class Scale(StrEnum):
    """How features are scaled."""

    unit_variance = "unit_variance"
    unit_interval = "unit_interval"
    none = "none"


class Task(StrEnum):
    """What is learned."""

    auto = "auto"
    classification = "classification"
    regression = "regression"


class Format(StrEnum):
    """How a file is written."""

    svmlight = "svmlight"
    csv = "csv"
    parquet = "parquet"
    arrow = "arrow"


class Protocol(StrEnum):
    """How learners are compared."""

    online = "online"
    batch = "batch"


FileArgument = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="svmlight, CSV (with a header), Parquet or Arrow; also .gz, .bz2, .xz; - for standard input.",
        show_default=False,
    ),
]
TargetOption = Annotated[
    str | None,
    typer.Option(
        "--target", "-t", metavar="COLUMN", help="Column to predict (CSV, Parquet, Arrow)."
    ),
]
ColumnsOption = Annotated[
    str | None,
    typer.Option("--columns", metavar="A,B,...", help="Learn from these columns of a table only."),
]
IgnoreOption = Annotated[
    str | None,
    typer.Option("--ignore", metavar="A,B,...", help="Leave out these columns of a table."),
]
CategoricalOption = Annotated[
    str | None,
    typer.Option(
        "--categorical",
        metavar="A,B,...",
        help="These columns hold names, even where they look like numbers.",
    ),
]
FormatOption = Annotated[
    Format | None, typer.Option("--format", help="Format of the data, if its name does not tell.")
]
FeaturesOption = Annotated[
    int | None,
    typer.Option(
        "--n-features", min=1, metavar="N", help="Number of features, where no first pass finds it."
    ),
]
SkipOption = Annotated[
    bool,
    typer.Option(
        "--skip-bad-lines",
        help="Leave out malformed lines, and count them; a table's odd cells are gaps.",
    ),
]
LearnerOption = Annotated[
    str,
    typer.Option(
        "--learner",
        "-l",
        metavar="NAME",
        help="race, avm, fogd, nogd, ...; auto: fogd, or avm for classes of svmlight.",
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", "-s", metavar="NAME=VALUE", help="A parameter of the learner; may be repeated."
    ),
]
TaskOption = Annotated[Task, typer.Option("--task", help="auto looks at the labels.")]
ClassesOption = Annotated[
    str | None,
    typer.Option(
        "--classes", metavar="A,B,...", help="All labels that will come; a pipe needs it."
    ),
]
ScaleOption = Annotated[
    Scale,
    typer.Option("--scale", help="Features of svmlight to mean 0 and variance 1, or to [0, 1]."),
]
ShuffleOption = Annotated[
    int | None,
    typer.Option(
        "--shuffle-buffer",
        min=0,
        metavar="ROWS",
        help="Shuffle within so many rows; 0 for the order of the file.",
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Seed of all that is random.")]
CheckpointOption = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint", metavar="PATH", help="Save the run here now and then, and at Ctrl-C."
    ),
]
EveryOption = Annotated[
    str, typer.Option("--every", metavar="TIME", help="Time between checkpoints: 60s, 5min, 1h.")
]
ResumeOption = Annotated[
    bool,
    typer.Option(
        "--resume", help="Go on from the checkpoint; from the start if there is none yet."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
ReportOption = Annotated[
    Path | None, typer.Option("--report", metavar="PAGE.html", help="Write a page with curves.")
]
MetricsOption = Annotated[
    str | None,
    typer.Option(
        "--metrics",
        "-m",
        metavar="A,B,...",
        help="accuracy, balanced_accuracy, f1, roc_auc, log_loss, calibration_error; mae, rmse, r2, "
        "coverage, width. By default all that apply but calibration_error.",
    ),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no remarks.")]
WorkersOption = Annotated[
    int, typer.Option("--workers", "-w", min=1, metavar="N", help="Processes at a time.")
]
JournalOption = Annotated[
    Path | None,
    typer.Option("--journal", metavar="PATH", help="Keep finished runs here, and resume from it."),
]


#: Endings that tell how a file is written, not what it holds.
DATA_SUFFIXES = {f".{suffix}" for suffix in (*SUFFIXES, *PACKINGS, "txt", "data")}


class Source(NamedTuple):
    """Where rows come from, as the options say."""

    file: str
    target: str | None = None
    format: Format | None = None
    n_features: int | None = None
    skip: bool = False
    columns: list[str] | None = None
    ignore: list[str] | None = None
    categorical: list[str] | None = None

    @property
    def is_table(self) -> bool:
        """Whether it has named columns: words, dates and gaps are then read as such."""
        from onkel.stream.opening import format_of

        return (self.format or format_of(self.file, self.target)) != Format.svmlight

    @property
    def is_pipe(self) -> bool:
        """Whether it can be read but once."""
        return self.file == "-" or (Path(self.file).exists() and not Path(self.file).is_file())

    @property
    def name(self) -> str:
        return "standard input" if self.file == "-" else self.file

    @property
    def title(self) -> str:
        """The data's name, for people: no folder, no suffix.

        >>> Source("/data/flights.2013.csv.xz").title, Source("a9a").title
        ('flights.2013', 'a9a')
        """
        name = Path(self.name).name
        while Path(name).suffix.lower() in DATA_SUFFIXES:
            name = Path(name).stem
        return name


def metrics_in(text: str | None, task: str = "") -> list[str] | None:
    """The names in --metrics A,B,..., checked: for a task, or for any while that is not known.

    >>> metrics_in("mae, r2"), metrics_in(None)
    (['mae', 'r2'], None)
    """
    from onkel.evaluate.metrics import check_names, chosen_metrics

    if text is None:
        return None
    names = [name.strip() for name in text.split(",") if name.strip()]
    try:
        if task:
            chosen_metrics(names, task)
        else:
            check_names(names)
    except ValueError as error:
        raise misuse(f"--{error}") from None
    return names


def names_in(option: str, text: str | None) -> list[str] | None:
    """The columns' names in A,B,...; one with a comma in it is quoted as in CSV.

    >>> names_in("--ignore", 'a, b,"c,d"')
    ['a', 'b', 'c,d']
    """
    if text is None:
        return None
    names = [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]
    if not all(names) or not names:
        raise misuse(f"{option} {text!r}: name at least one column, as in {option} a,b")
    return list(dict.fromkeys(names))


def table_source(
    file: str,
    target: str | None,
    format: Format | None,
    n_features: int | None,
    skip: bool,
    columns: str | None,
    ignore: str | None,
    categorical: str | None,
    scale: Scale,
) -> Source:
    """The source that the options describe, checked as far as nothing has to be read for it."""
    source = Source(
        file,
        target,
        format,
        n_features,
        skip,
        names_in("--columns", columns),
        names_in("--ignore", ignore),
        names_in("--categorical", categorical),
    )
    check_table_options(source, scale)
    return source


def check_table_options(source: Source, scale: Scale) -> None:
    """Refuse what is for tables only, or not for tables, before anything is read."""
    given = {
        "--columns": source.columns,
        "--ignore": source.ignore,
        "--categorical": source.categorical,
    }
    for option, names in given.items():
        if names and not source.is_table:
            raise misuse(
                f"{option} is for tables, but {source.name} is read as svmlight text, which has no named columns; "
                f"--format says what it is"
            )
    if source.is_table and scale is not Scale.unit_variance:
        raise misuse(
            f"--scale {scale.value} is for svmlight: the numbers of a table are always centred and scaled"
        )


def check_place(option: str, path: Path) -> None:
    """Refuse, before any work is done, a place where no file can be written."""
    if path.is_dir():
        raise misuse(f"{option} {path} is a folder: name a file in it")
    if not path.absolute().parent.is_dir():
        raise misuse(f"{option} {path}: the folder {path.parent} does not exist")


def check_report(path: Path | None) -> None:
    """Refuse, before any work is done, a page that cannot be written."""
    if path is None:
        return
    check_place("--report", path)
    try:
        import jinja2  # noqa: F401
    except ImportError:
        raise misuse("--report needs jinja2: pip install 'onkel[report]'") from None
