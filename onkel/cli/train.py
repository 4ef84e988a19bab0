"""`onkel train`: a model file from a data file or a pipe, in one pass or several, in bounded memory."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from onkel.cli import options as o
from onkel.cli.errors import misuse
from onkel.cli.printing import counted_as, json_text
from onkel.cli.progress import Progress, Scores, shown_scores, shown_size

#: What the rows that wait in the shuffle buffer may take up, if nobody says how many.
BUFFER_BYTES = 128 << 20


def train(
    context: typer.Context,
    file: o.FileArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.")
    ] = Path("model.onkel"),
    learner: o.LearnerOption = "auto",
    target: o.TargetOption = None,
    columns: o.ColumnsOption = None,
    ignore: o.IgnoreOption = None,
    categorical: o.CategoricalOption = None,
    scale: o.ScaleOption = o.Scale.unit_variance,
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="Passes over the file.")] = 1,
    settings: o.SetOption = None,
    task: o.TaskOption = o.Task.auto,
    classes: o.ClassesOption = None,
    shuffle_buffer: o.ShuffleOption = None,
    n_features: o.FeaturesOption = None,
    format: o.FormatOption = None,
    skip_bad_lines: o.SkipOption = False,
    seed: o.SeedOption = 0,
    checkpoint: o.CheckpointOption = None,
    every: o.EveryOption = "60s",
    resume: o.ResumeOption = False,
    as_json: o.JsonOption = False,
    quiet: o.QuietOption = False,
) -> None:
    """Train a learner on a file of any size; write a model file.

    A table (CSV, Parquet, Arrow) is taken as it is: words, dates, gaps and numbers of any scale; rows with a gap in
    the target are left out, and counted. `onkel describe FILE` shows what becomes of its columns. The features of
    svmlight are scaled; --scale none leaves them as they are. All of that goes into the model file, so that
    predict, and onkel.io.load in Python, take raw rows.

    Of a file the labels are read first, then the rows are learned in random order, as far as 128 MB hold them. A
    pipe is read once: give --classes (and --n-features for svmlight).

    With --checkpoint a long run survives a crash, kill -9 or Ctrl-C: give the same command with --resume (a pipe
    from its beginning), and it ends in the same model file, byte for byte.

    [bold]Examples[/bold]

    \b
    onkel train flights.csv --target delay --ignore arrival --categorical flight
    onkel train a9a.svm.xz -o a9a.onkel
    onkel train houses.csv --target price --learner race
    onkel train big.parquet --target y --epochs 3 --learner avm --set diameter=2
    onkel train night.csv.xz --target y --checkpoint night.checkpoint --resume
    zcat log.svm.gz | onkel train - --classes=-1,1 --n-features 123 --json
    """
    from onkel.cli.checkpoints import saving
    from onkel.cli.counters import without_counters
    from onkel.cli.learners import check_learner
    from onkel.cli.model import chosen_learner, settled_name, whole_model
    from onkel.cli.survey import Surveyed, open_source, survey_data

    source = o.table_source(
        file, target, format, n_features, skip_bad_lines, columns, ignore, categorical, scale
    )
    check_learner(settled_name(learner, source), settings or [])
    o.check_place("--output", output)
    if source.is_pipe and epochs > 1:
        raise misuse(f"{source.name} can be read only once: --epochs {epochs} needs a file")
    saved = saving(checkpoint, every, resume, context)
    with saved.told_at_ctrl_c(), Progress(quiet) as progress:
        source = without_counters(source, progress.note)
        stream = open_source(source)
        began = time.perf_counter()
        if saved.survey is not None:
            found = Surveyed.of_plain(saved.survey, stream)
        else:
            found = survey_data(source, stream, task, classes, progress)
        inner = chosen_learner(learner, source, found, settings or [], seed)
        settle(inner, found.rows, epochs)
        model = whole_model(inner, source, scale)
        plan = Plan(epochs, buffer_for(found, shuffle_buffer), seed)
        progress.note(opening(inner, found, model))
        progress.note(plan.told(found.rows))
        run = saved.started(plan.rows(found.chunks), model, found.plain())
        if saved.path is not None:
            progress.note(saved.told(run.notes["seen"]))
        progress.begin(None if found.rows is None else found.rows * epochs, run.notes["seen"])
        facts = learn(model, found, run, stream, progress)
        facts |= race_facts(inner)
        note_left_out(progress, facts)
        note_leader(progress, facts)
        if source.is_table:
            note_identifiers(progress, model[0])
    from onkel.io import save

    save(model, output, {"target": source.target})
    saved.done()
    facts |= {"seconds": round(time.perf_counter() - began, 3)}
    facts = {"model": str(output)} | facts
    print(json_text(facts) if as_json else closing(model, facts))


class Plan(NamedTuple):
    """How often and in which order the rows are visited."""

    epochs: int
    buffer_rows: int
    seed: int

    def rows(self, stream: Any) -> Any:
        """The rows of all passes, read ahead."""
        from onkel.stream import chained, prefetched, shuffled

        passes = [stream] * self.epochs
        if self.buffer_rows > 1:
            passes = [
                shuffled(stream, self.buffer_rows, random_state=self.seed + epoch)
                for epoch in range(self.epochs)
            ]
        return prefetched(chained(passes))

    def told(self, rows: int | None) -> str:
        """In which order the rows come, for people."""
        if self.buffer_rows < 2:
            return "rows in the order of the data"
        if rows is not None and self.buffer_rows >= 2 * rows:
            return "rows in random order"
        return f"rows shuffled within a buffer of {self.buffer_rows:,}"


def buffer_for(found: Any, wanted: int | None) -> int:
    """Rows of the shuffle buffer: as asked, else all that fit in a modest memory."""
    if wanted is not None:
        return wanted
    most = max(2, int(BUFFER_BYTES / max(1.0, found.row_bytes)))
    # All rows are in random order if half of the buffer holds them.
    return most if found.rows is None else min(most, max(2, 2 * found.rows))


def settle(model: Any, rows: int | None, epochs: int) -> None:
    """Choose from the number of rows, where it is known, what `partial_fit` has to guess."""
    if rows is not None and getattr(model, "maintenance_rate", None) == "auto":
        model.set_params(maintenance_rate=0.6 * rows * epochs)


def learn(model: Any, found: Any, run: Any, stream: Any, progress: Progress) -> dict[str, Any]:
    """All passes; what there is to tell of the model."""
    from onkel.evaluate import model_size
    from onkel.tables import learner_in

    facts: dict[str, Any] = {"learner": type(learner_in(model)).__name__, "task": found.task}
    options = {}
    if found.classes is not None:
        facts["classes"] = found.classes.tolist()
        options["classes"] = found.classes
    scores, notes = None, run.notes
    if not hasattr(model, "partial_fit"):
        notes["seen"] = learn_at_once(model, found)
    else:
        scores = Scores(model, found.classes is None, notes["looks"])
        for X, y in run.rows:
            model.partial_fit(X, found.targets(y), **options)
            scores.look()
            notes |= {"seen": notes["seen"] + len(y), "looks": list(scores.looks)}
            progress.learned(notes["seen"], scores.text(), shown_size(model))
    facts |= {"rows": notes["seen"], "features": stream.n_features, "size": model_size(model)}
    facts |= {"skipped": stream.skipped, "unlabelled": getattr(stream, "unlabelled", 0)}
    return facts | (scores.figures() if scores else {})


def learn_at_once(model: Any, found: Any) -> int:
    """A batch learner, which needs all rows in memory."""
    from onkel.stream.base import joined

    whole = joined(list(found.chunks))
    model.fit(whole.X, found.targets(whole.y))
    return len(whole.y)


def opening(learner: Any, found: Any, model: Any) -> str:
    """What is going to be learned, and how."""
    from onkel.cli.labels import shown_labels
    from onkel.cli.learners import shown_parameters

    what = found.task
    if found.classes is not None:
        what += f" with the labels {shown_labels(found.classes.tolist())}"
    if found.guess is not None:
        what += f" (guessed from the labels: {found.guess.why}{other_task(found.guess)})"
    size = "a stream" if found.rows is None else counted_as(found.rows, "row")
    chosen = shown_parameters(learner)
    return f"{type(learner).__name__}{f' ({chosen})' if chosen else ''}: {what}; {size}, {prepared(model)}"


def other_task(guess: Any) -> str:
    """How to change a guess; words can only be classes."""
    if guess.task == "regression":
        return "; if wrong, --task classification"
    from onkel.cli.labels import WORDS

    return "" if guess.why == WORDS else "; if wrong, --task regression"


def prepared(model: Any) -> str:
    """What happens to the rows before they are learned."""
    first = model[0] if hasattr(model, "steps") else None
    if first is None:
        return "as they are"
    if not hasattr(first, "to"):
        return "columns encoded (`onkel describe` shows how)"
    return f"scaled to {first.to}"


def note_left_out(progress: Progress, facts: dict[str, Any]) -> None:
    """Say what was not learned."""
    if facts["unlabelled"]:
        progress.note(f"{counted_as(facts['unlabelled'], 'row')} without a label left out")
    if facts["skipped"]:
        progress.note(f"{counted_as(facts['skipped'], 'bad line')} left out")


def race_facts(learner: Any) -> dict[str, Any]:
    """Of a race who leads, and how many are left of how many."""
    if not hasattr(learner, "n_racing_"):
        return {}
    names = learner.results_["candidate"]
    return {"leader": names[0], "racing": learner.n_racing_, "candidates": len(names)}


def note_leader(progress: Progress, facts: dict[str, Any]) -> None:
    """Say who leads a race."""
    if "leader" in facts:
        left = f"{facts['racing']} of {facts['candidates']} candidates are left"
        progress.note(f"the leader of the race: {facts['leader']}; {left}")


def note_identifiers(progress: Progress, encoder: Any) -> None:
    """Say which columns were not learned from."""
    names = [line.column for line in encoder.describe() if line.kind == "identifier"]
    if names:
        progress.note(
            f"left out, as identifiers of the rows: {', '.join(names)} "
            f"(`onkel describe` shows more; --categorical if they are names to learn from)"
        )


def closing(model: Any, facts: dict[str, Any]) -> str:
    """The outcome in one line."""
    parts = [
        f"{facts['model']}: {facts['learner']} of {shown_size(model)}, {counted_as(facts['rows'], 'row')}"
    ]
    if "mistake_rate" in facts or "rmse" in facts:
        parts.append(shown_scores(facts))
    return ", ".join(parts) + f" ({facts['seconds']:.1f} s)"
