"""`onkel predict`: the answers of a model file to raw rows, one line a row."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from onkel.cli import options as o
from onkel.cli.errors import Complaint
from onkel.cli.printing import json_text
from onkel.cli.progress import Progress


def predict(
    model_file: Annotated[
        Path, typer.Argument(metavar="MODEL", help="What `onkel train` wrote.", show_default=False)
    ],
    file: o.FileArgument,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="PATH", help="Write here, not to the screen."),
    ] = None,
    scores: Annotated[
        bool, typer.Option("--scores", help="Add the scores, one a class (one for two classes).")
    ] = False,
    target: o.TargetOption = None,
    format: o.FormatOption = None,
    skip_bad_lines: o.SkipOption = False,
    as_json: o.JsonOption = False,
    quiet: o.QuietOption = False,
) -> None:
    """Predict the rows of a file: one line a row, in its order.

    Rows are raw, as they were for training: the model file knows its scaling. Columns of a table are
    found by name. Where the file has labels, the accuracy is told on standard error.

    [bold]Examples[/bold]

    \b
    onkel predict a9a.onkel new.svm
    onkel predict houses.onkel new.csv --output prices.txt
    cut -d' ' -f2- rows.txt | sed 's/^/0 /' | onkel predict a9a.onkel - --json | head -3
    """
    from onkel.io import load_with_extras

    model, extras = load_with_extras(model_file)
    from onkel.cli.prepare import Preparation

    preparation = Preparation.from_extras(extras, model)
    source = o.Source(
        file, target or preparation.target, format, preparation.n_features, skip_bad_lines
    )
    tally = Tally(preparation)
    place = written(output) if output else nullcontext(sys.stdout)
    with Progress(quiet or (not output and sys.stdout.isatty())) as progress, place as out:
        stream = open_raw(source)
        for X, y in within(stream, preparation):
            rows = preparation.rows(in_order(X, stream, preparation))
            answers = preparation.answers(model.predict(rows))
            tally.add(answers, y)
            out.writelines(lines(answers, scores_of(model, rows) if scores else None, as_json))
            out.flush()
            progress.say(f"{tally.rows:,} rows")
    if not quiet:
        print(tally.text(stream.skipped), file=sys.stderr)


def open_raw(source: o.Source) -> Any:
    """The rows, with labels where they have any."""
    from onkel.cli.survey import open_source
    from onkel.stream import MalformedError

    if source.format is o.Format.svmlight:
        source = source._replace(target=None)
    if source.target is None and is_svmlight(source):
        return open_source(source)
    source = source._replace(n_features=None)  # columns go by name
    if source.target is not None and not source.is_pipe:
        labelled = open_source(source)
        try:
            next(iter(labelled), None)
        except MalformedError:  # without labels; what else may be wrong shows below
            pass
        else:
            return labelled
    return open_source(source, labels="none")


def within(stream: Any, preparation: Any) -> Iterator[Any]:
    """The chunks; a feature that the model does not know is an error that says so."""
    from onkel.stream import MalformedError

    try:
        yield from stream
    except MalformedError as error:
        if "n_features" not in error.reason:
            raise
        known = f"the model knows {preparation.n_features} features"
        raise Complaint(f"{str(error).split(';')[0]}: {known}") from None


def is_svmlight(source: o.Source) -> bool:
    """Whether the rows are numbered features; nothing is read for it."""
    from onkel.stream import open_stream

    format = None if source.format is None else source.format.value
    stream = open_stream(source.file, format=format, n_features=source.n_features, labels="auto")
    return type(stream).__name__ == "SvmlightStream"


def in_order(X: Any, stream: Any, preparation: Any) -> Any:
    """The columns that the model knows, in its order."""
    columns = preparation.columns(stream.feature_names)
    return X if columns is None else X[:, columns]


def scores_of(model: Any, rows: Any) -> Any:
    return (
        model.decision_function(rows)
        if hasattr(model, "decision_function")
        else model.predict(rows)
    )


def lines(answers: Any, scores: Any, as_json: bool) -> Iterator[str]:
    """One line a row: the answer, then its scores."""
    from onkel.cli.prepare import label_text

    texts = answers.tolist()
    several = [[] for _ in texts] if scores is None else [listed(row) for row in scores.tolist()]
    for answer, numbers in zip(texts, several):
        if as_json:
            facts = {"prediction": answer} | ({"scores": numbers} if scores is not None else {})
            yield json_text(facts) + "\n"
        else:
            shown = label_text(answer) if isinstance(answer, (int, str)) else f"{answer:.8g}"
            yield "\t".join([shown, *(f"{number:.6g}" for number in numbers)]) + "\n"


def listed(scores: Any) -> list[float]:
    return scores if isinstance(scores, list) else [scores]


class Tally:
    """How many rows, and how many answers agree with the labels."""

    def __init__(self, preparation: Any) -> None:
        self.preparation = preparation
        self.rows = self.known = 0
        self.right = self.squares = 0.0

    def add(self, answers: Any, y: Any) -> None:
        self.rows += len(y)
        if y.dtype.kind == "f" and (y != y).any():
            return
        if self.preparation.task == "regression":
            if y.dtype.kind != "U":
                self.known += len(y)
                self.squares += float(((answers - y) ** 2).sum())
            return
        labels = self.preparation.targets(y)
        classes = set(self.preparation.classes.tolist())  # other labels are placeholders, or new
        pairs = zip(answers.tolist(), labels.tolist())
        agree = [answer == label for answer, label in pairs if label in classes]
        self.known += len(agree)
        self.right += sum(agree)

    def text(self, skipped: int) -> str:
        parts = [f"{self.rows:,} row{'s'[: self.rows != 1]}"]
        if self.known and self.preparation.task == "regression":
            error = (self.squares / self.known) ** 0.5
            parts.append(f"root mean squared error {error:.5g} against the labels in the file")
        elif self.known:
            counted = "" if self.known == self.rows else f" of {self.known:,} with a known label"
            share = f"{self.right / self.known:.2%}"
            parts.append(f"{share}{counted} agree with the labels in the file")
        if skipped:
            parts.append(f"{skipped:,} bad lines left out")
        return ", ".join(parts)


@contextmanager
def written(path: Path) -> Iterator[TextIO]:
    """A text file that appears when it is complete."""
    from onkel.io.archive import replaced

    with replaced(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", write_through=True)
        yield text
        text.detach()
