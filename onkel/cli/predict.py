"""`onkel predict`: the answers of a model file to raw rows, one line a row."""

from __future__ import annotations

import io
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from onkel.cli import options as o
from onkel.cli.errors import Complaint
from onkel.cli.printing import counted_as, json_text
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
    proba: Annotated[
        bool,
        typer.Option("--proba", help="Add how likely each class is, in the order of the labels."),
    ] = False,
    interval: Annotated[
        float | None,
        typer.Option(
            "--interval",
            metavar="SHARE",
            help="Add the ends of an interval that holds this share of the targets (0.9, say).",
        ),
    ] = None,
    target: o.TargetOption = None,
    format: o.FormatOption = None,
    skip_bad_lines: o.SkipOption = False,
    as_json: o.JsonOption = False,
    quiet: o.QuietOption = False,
) -> None:
    """Predict the rows of a file: one line a row, in its order.

    Rows are raw, as they were for training: the model file holds the encoder or scaling. Columns of a table
    are found by name, and others are not looked at. Labels are not needed; where there are some, the
    accuracy is told on standard error. Lines that --skip-bad-lines leaves out have no answer, so that
    the lines after them move up. --json prints an object a line.

    [bold]Examples[/bold]

    \b
    onkel predict a9a.onkel new.svm
    onkel predict houses.onkel new.csv --output prices.txt
    onkel predict houses.onkel new.csv --interval 0.9
    onkel predict a9a.onkel new.svm --proba --json
    cut -d' ' -f2- rows.txt | sed 's/^/0 /' | onkel predict a9a.onkel - --json | head -3
    """
    from onkel.cli.labels import label_text
    from onkel.io import load_with_extras

    model, extras = load_with_extras(model_file)
    classes = getattr(model, "classes_", None)
    check_wishes(model, classes, proba, interval)
    source = o.Source(
        file, target or extras.get("target"), format, n_features_of(model), skip_bad_lines
    )
    tally = Tally(classes)
    place = written(output) if output else nullcontext(sys.stdout)
    with Progress(quiet or (not output and sys.stdout.isatty())) as progress, place as out:
        stream = open_raw(source, model, extras)
        for X, y in within(stream, source.n_features):
            answers = answered(model, X, tally.rows, source)
            tally.add(answers, y)
            more = {"scores": scores_of(model, X)} if scores else {}
            if proba:
                more["probabilities"] = model.predict_proba(X)
            if interval is not None:
                more["interval"] = model.predict_interval(X, coverage=interval)
            out.writelines(lines(answers, more, as_json, classes))
            out.flush()
            progress.say(f"{tally.rows:,} rows")
    if not quiet:
        print(tally.text(stream.skipped), file=sys.stderr)
        if proba and classes is not None and not as_json:
            labels = ", ".join(map(label_text, classes.tolist()))
            print(
                f"probabilities stand behind the prediction, in this order: {labels}",
                file=sys.stderr,
            )


def answered(model: Any, X: Any, before: int, source: o.Source) -> Any:
    """The answers, or a complaint about the cell that stands in their way."""
    from onkel.tables.encoding import UnexpectedCell

    try:
        return model.predict(X)
    except UnexpectedCell as odd:
        raise Complaint(
            f"{source.name}, row {before + odd.row}, column {odd.column!r}: {odd.cell!r} is not a {odd.kind}, as "
            f"those that the model has learned. A model trained with --skip-bad-lines takes such cells for gaps"
        ) from None


def n_features_of(model: Any) -> int | None:
    """How many features a row has, as it comes."""
    return getattr(model, "n_features_in_", None)


def columns_of(model: Any, extras: dict[str, Any]) -> list[str] | None:
    """The names of the columns that the model knows; None where it has none."""
    first = model[0] if hasattr(model, "steps") else model
    names = getattr(first, "feature_names_in_", None)
    return extras.get("columns") if names is None else list(names)


def open_raw(source: o.Source, model: Any, extras: dict[str, Any]) -> Any:
    """The rows with the features that the model knows, and with labels where they have any."""
    from onkel.cli.labels import shown_labels
    from onkel.cli.survey import opened
    from onkel.stream.opening import format_of
    from onkel.tables import TableEncoder

    names = columns_of(model, extras)
    format = source.format or format_of(source.file, source.target)
    if format == "svmlight" and names is not None:
        raise Complaint(
            f"{source.name} is svmlight text, but the model knows its features by name "
            f"({shown_labels(names)}): give it a table with these columns (CSV, Parquet or Arrow)"
        )
    if format == "svmlight":
        return opened(source)
    encodes = hasattr(model, "steps") and isinstance(model[0], TableEncoder)
    if encodes and names is not None:  # what the encoder leaves out need not be there
        left_out = model[0].encoding_.left_out
        names = [name for name in names if name not in left_out]
        source = source._replace(n_features=len(names))
    return opened(source, labels="optional", columns=names, raw=encodes)


def within(stream: Any, n_features: int | None) -> Iterator[Any]:
    """The chunks; a feature that the model does not know is an error that says so."""
    from onkel.stream import MalformedError

    try:
        yield from stream
    except MalformedError as error:
        if "n_features" not in error.reason:
            raise
        known = f"the model knows {n_features} features"
        raise Complaint(f"{str(error).split(';')[0]}: {known}") from None


def check_wishes(model: Any, classes: Any, proba: bool, interval: float | None) -> None:
    """Complain of what this model cannot tell, before anything is read."""
    if proba and classes is None:
        raise Complaint(
            "--proba is for models of classes; this one predicts numbers: --interval 0.9"
        )
    if interval is not None and classes is not None:
        raise Complaint("--interval is for models of numbers; this one predicts classes: --proba")
    if interval is not None and not 0 < interval < 1:
        raise Complaint(f"--interval {interval:g} is no share: give a number between 0 and 1")
    if proba:
        learner = model[-1] if hasattr(model, "steps") else model
        try:
            learner.predict_proba  # noqa: B018 - says why it is not there
        except AttributeError as error:
            raise Complaint(str(error.__cause__ or error)) from None


def scores_of(model: Any, rows: Any) -> Any:
    return (
        model.decision_function(rows)
        if hasattr(model, "decision_function")
        else model.predict(rows)
    )


def lines(answers: Any, more: dict[str, Any], as_json: bool, classes: Any = None) -> Iterator[str]:
    """One line a row: the answer, then the numbers that were asked for besides."""
    from onkel.cli.labels import label_text

    several = {name: [listed(row) for row in rows.tolist()] for name, rows in more.items()}
    labels = [] if classes is None else [label_text(label) for label in classes.tolist()]
    for i, answer in enumerate(answers.tolist()):
        numbers = {name: rows[i] for name, rows in several.items()}
        if as_json:
            facts: dict[str, Any] = {"prediction": answer} | numbers
            if "probabilities" in facts:
                facts["probabilities"] = dict(zip(labels, numbers["probabilities"]))
            yield json_text(facts) + "\n"
        else:
            shown = label_text(answer) if isinstance(answer, (int, str)) else f"{answer:.8g}"
            flat = [f"{number:.6g}" for row in numbers.values() for number in row]
            yield "\t".join([shown, *flat]) + "\n"


def numbers_in(labels: Any) -> list[float]:
    """Labels as numbers; NaN where one is missing, or is none."""
    return [number_or_nan(label) for label in labels.tolist()]


def number_or_nan(label: Any) -> float:
    try:
        return float(label)
    except ValueError:
        return math.nan


def listed(scores: Any) -> list[float]:
    return scores if isinstance(scores, list) else [scores]


class Tally:
    """How many rows, and how many answers agree with the labels."""

    def __init__(self, classes: Any) -> None:
        self.classes = classes  # None of a regression
        self.rows = self.known = 0
        self.right = self.squares = 0.0

    def add(self, answers: Any, y: Any) -> None:
        from onkel.cli.labels import label_text

        self.rows += len(y)
        if self.classes is None:
            errors = [answer - label for answer, label in zip(answers, numbers_in(y))]
            known = [error for error in errors if error == error]
            self.known += len(known)
            self.squares += float(sum(error**2 for error in known))
            return
        words = self.classes.dtype.kind in "UO"
        labels = [label_text(label) for label in y.tolist()] if words else numbers_in(y)
        classes = set(self.classes.tolist())  # other labels are placeholders, or new
        pairs = zip(answers.tolist(), labels)
        agree = [answer == label for answer, label in pairs if label in classes]
        self.known += len(agree)
        self.right += sum(agree)

    def text(self, skipped: int) -> str:
        parts = [counted_as(self.rows, "row")]
        counted = "" if self.known == self.rows else f" of {self.known:,} with a known label"
        if self.known and self.classes is None:
            error = (self.squares / self.known) ** 0.5
            against = f"the labels in the file{counted}"
            parts.append(f"root mean squared error {error:.5g} against {against}")
        elif self.known:
            share = f"{self.right / self.known:.2%}"
            parts.append(f"{share}{counted} agree with the labels in the file")
        if skipped:
            parts.append(f"{counted_as(skipped, 'bad line')} left out")
        return ", ".join(parts)


@contextmanager
def written(path: Path) -> Iterator[TextIO]:
    """A text file that appears when it is complete."""
    from onkel.atomic import replaced

    with replaced(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="\n", write_through=True)
        yield text
        text.detach()
