"""The command line: a run that is saved on the way, and taken up again with --resume."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from onkel.cli.errors import Complaint, misuse
from onkel.cli.options import check_place

_UNITS = {"": 1.0, "s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}
#: What has no influence on the model, and the file, which is known by what is in it.
_FREE = ("file", "output", "checkpoint", "every", "resume", "as_json", "quiet")


class Run(NamedTuple):
    """Rows to learn, and notes of how far that is: saved with the model if anything is."""

    rows: Any
    notes: dict[str, Any]


class Saving(NamedTuple):
    """Where and how often a run is saved, what it depends on, and what there is of it already."""

    path: Path | None
    every: float = 0.0
    options: dict[str, Any] = {}  # noqa: RUF012 - nobody changes it
    kept: Any = None  # an onkel.stream.checkpoint.Checkpoint

    @property
    def survey(self) -> dict[str, Any] | None:
        """What the first look at the data told, if that was before this process."""
        return None if self.kept is None else self.kept.notes["survey"]

    def started(self, rows: Any, model: Any, survey: dict[str, Any]) -> Run:
        """The run from here on; a model that is taken up gets what it had learned."""
        notes = {"options": self.options, "survey": survey, "seen": 0, "looks": []}
        if self.path is None:
            return Run(rows, notes)
        if not hasattr(model, "partial_fit"):
            raise misuse(
                "--checkpoint: this learner learns all rows at once; there is no way to stop"
            )
        from onkel.stream import CheckpointError
        from onkel.stream.checkpoint import Checkpointed

        try:
            saved = Checkpointed(rows, model, self.path, self.every, self.kept, notes)
        except CheckpointError as error:
            raise Complaint(str(error)) from None
        return Run(saved, saved.notes)

    def told(self, seen: int) -> str:
        """Where the run begins, for people."""
        if self.kept is not None:
            return f"going on after {seen:,} rows"
        return f"checkpoints in {self.path}; to go on from one, add --resume"

    @contextmanager
    def told_at_ctrl_c(self) -> Iterator[None]:
        """Say at Ctrl-C how to go on, if there is anything to go on from."""
        try:
            yield
        except KeyboardInterrupt:
            if self.path is None or not self.path.exists():
                raise
            raise KeyboardInterrupt(
                f"what was learned is in {self.path}: the same command with --resume goes on from it"
            ) from None

    def done(self) -> None:
        """The model is written: nothing is left to go on from."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def saving(path: Path | None, every: str, resume: bool, context: Any) -> Saving:
    """What the options say, and the checkpoint that is there."""
    if path is None:
        if resume:
            raise misuse("--resume needs --checkpoint PATH: the file to go on from")
        return Saving(None)
    from onkel.atomic import remove_leftovers

    output: Path = context.params["output"]
    check_place("--checkpoint", path)
    if path.absolute() == output.absolute():
        raise misuse(f"--checkpoint {path} is the file of --output: name another one")
    remove_leftovers(output)  # of a run that was killed while it wrote its model
    found = Saving(path, seconds(every), options_of(context.params))
    if not path.exists():
        return found
    if not resume:
        raise misuse(
            f"--checkpoint {path} is there already: go on from it with --resume, or remove it to "
            f"start anew"
        )
    from onkel.stream import CheckpointError
    from onkel.stream.checkpoint import check_same_run, read_checkpoint

    try:
        kept = read_checkpoint(path)
        check_same_run(path, kept.notes.get("options", {}), found.options)
    except CheckpointError as error:
        raise Complaint(str(error)) from None
    return found._replace(kept=kept)


def options_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that the model depends on, as people write them, with plain values.

    >>> options_of({"file": "a.svm", "seed": 3, "settings": ["gamma=1"], "skip_bad_lines": False})
    {'--seed': 3, '--set': ['gamma=1'], '--skip-bad-lines': False}
    """
    names = {name: "--" + name.replace("_", "-") for name in given if name not in _FREE}
    if "settings" in names:
        names["settings"] = "--set"
    return {option: _plain(given[name]) for name, option in names.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(inside) for inside in value]
    return value if value is None or type(value) in (bool, int, float) else str(value)


def seconds(text: str) -> float:
    """A time in seconds: a number, or one with s, min or h.

    >>> seconds("60s"), seconds("1.5h"), seconds("2")
    (60.0, 5400.0, 2.0)
    """
    found = re.fullmatch(r"([0-9]+\.?[0-9]*|\.[0-9]+) *(s|min|m|h|)", text.strip())
    if found is None:
        raise misuse(f"--every {text}: give a time, as in --every 60s, 5min or 1h")
    return float(found[1]) * _UNITS[found[2]]
