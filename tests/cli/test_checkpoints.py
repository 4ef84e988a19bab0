"""`onkel train --checkpoint`: killed at any moment and resumed, it writes the same model, byte for byte."""

from __future__ import annotations

import json
import lzma
import signal
import time
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from onkel.cli import checkpoints
from onkel.io import load
from onkel.stream.checkpoint import Checkpointed, read_checkpoint
from tests.cli.files import fails, ok, onkel, process, svmlight
from tests.cli.killed import Runs
from tests.patience import FOR_AN_ANSWER
from tests.systems import posix

KILLS = 50  # of each kind of file
ROWS = 6000
FOGD = ["-q", "-l", "fogd", "--set", "n_components=20"]
#: Many small rounds of the shuffle buffer, and a checkpoint after each chunk.
OFTEN = ["--shuffle-buffer", 1500, "--epochs", 2, "--every", "0s"]


def packed(folder: Path) -> list[Any]:
    """svmlight.xz, whose features are scaled."""
    plain = svmlight(folder / "rows.svm", ROWS)
    path = folder / "rows.svm.xz"
    path.write_bytes(lzma.compress(plain.read_bytes(), preset=1))
    return [path, *FOGD, "--scale", "unit_variance"]


def table(folder: Path) -> list[Any]:
    """CSV with numbers of different scales, words, gaps everywhere, and words to predict."""
    random = np.random.default_rng(1)
    size, jobs = random.normal(5000, 1000, ROWS), random.choice(["cook", "clerk", "pilot"], ROWS)
    price = size * (jobs == "cook") + random.normal(0, 100, ROWS)
    words = np.array(["cheap", "dear", "beyond all means"])[np.digitize(price, [1000, 6500])]
    cells = np.where(random.random(ROWS) < 0.05, "", size.round(3).astype(str))
    labels = np.where(random.random(ROWS) < 0.05, "", words)
    lines = [f"{a},{job},{label}\n" for a, job, label in zip(cells, jobs, labels)]
    (folder / "rows.csv").write_text("size,job,price\n" + "".join(lines))
    return [folder / "rows.csv", "--target", "price", *FOGD]


@posix
@pytest.mark.parametrize("kind", [packed, table])
def test_killed_at_any_moment_it_ends_in_the_same_file(kind: Any, tmp_path: Path) -> None:
    arguments = ["train", *kind(tmp_path), *OFTEN]
    whole, output, path = (tmp_path / name for name in ("whole", "output", "checkpoint"))
    resumed = [*arguments, "-o", output, "--checkpoint", path, "--resume"]
    random = Random(3)
    with Runs([*arguments, "-o", whole]) as runs:
        began = time.monotonic()
        assert runs.run(resumed)
        longest = time.monotonic() - began
        assert output.read_bytes() == whole.read_bytes()
        places, kills, before = set(), 0, 0
        while kills < KILLS:
            output.unlink(missing_ok=True)
            if runs.run(resumed, kill_after=random.uniform(0, longest)):
                assert output.read_bytes() == whole.read_bytes() and not path.exists()
                before = 0
                longest *= 0.8  # most runs shall not come to their end,
                continue
            seen = read_checkpoint(path).notes["seen"] if path.exists() else 0
            assert seen >= before or output.exists()  # never back behind what was saved
            if seen == before:
                longest *= 1.1  # but get somewhere, however busy the machine is
            before = seen
            places.add(seen)
            kills += 1
        output.unlink(missing_ok=True)
        assert runs.run(resumed)
    assert output.read_bytes() == whole.read_bytes()
    assert not path.exists() and not list(tmp_path.glob(".*.part"))
    assert len(places) > 5  # it was stopped in many places, and went on


def started(folder: Path) -> tuple[list[Any], Path]:
    """The arguments of a run that was stopped after some chunks, and its checkpoint."""
    rows, path = svmlight(folder / "rows.svm", 3000), folder / "c"
    arguments = ["train", rows, *FOGD, "--shuffle-buffer", 600, "-o", folder / "m"]
    save, saves = Checkpointed.save, []

    def some(self: Checkpointed) -> None:
        save(self)
        saves.append(self)
        if len(saves) == 4:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Checkpointed, "save", some)
        assert onkel(*arguments, "--checkpoint", path, "--every", 0).exit_code == 130
    assert 0 < read_checkpoint(path).notes["seen"] < 3000
    return [*arguments, "--checkpoint", path], path


def wait_for_rows(path: Path, run: Any) -> None:
    """Until some rows of a run are in its checkpoint."""
    deadline = time.monotonic() + FOR_AN_ANSWER
    while not path.exists() or not read_checkpoint(path).notes["seen"]:
        assert time.monotonic() < deadline and run.poll() is None
        time.sleep(0.005)


@posix
def test_ctrl_c_saves_and_says_how_to_go_on(tmp_path: Path) -> None:
    rows, path = svmlight(tmp_path / "rows.svm", 40_000), tmp_path / "c"
    arguments = ["train", rows, *FOGD, "-o", tmp_path / "m", "--shuffle-buffer", 600]
    run = process(*arguments, "--checkpoint", path, "--every", 0, start_new_session=True)
    wait_for_rows(path, run)
    run.send_signal(signal.SIGINT)
    _, errors = run.communicate(timeout=FOR_AN_ANSWER)
    assert run.returncode == 130 and not (tmp_path / "m").exists()
    how = f"what was learned is in {path}: the same command with --resume goes on from it"
    assert errors.decode() == f"onkel: interrupted; {how}\n"
    ok(*arguments, "--checkpoint", path, "--resume")
    ok(*arguments, "-o", tmp_path / "whole")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()
    assert not path.exists()  # the run is done


def test_what_is_told_is_that_of_the_whole_run(tmp_path: Path) -> None:
    arguments, _ = started(tmp_path)
    resumed = json.loads(ok(*arguments, "--resume", "--json").stdout)
    whole = json.loads(ok(*arguments[:-2], "--json").stdout)
    assert resumed.pop("seconds") and whole.pop("seconds")
    assert resumed == whole and whole["rows"] == 3000


def test_a_checkpoint_is_not_overwritten_unasked(tmp_path: Path) -> None:
    arguments, path = started(tmp_path)
    before = path.read_bytes()
    assert "is there already: go on from it with --resume, or remove it" in fails(2, *arguments)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "more, words",
    [
        (["--seed", 1], "--seed was 0 and is 1"),
        (["--epochs", 2], "--epochs was 1 and is 2"),
        (["--shuffle-buffer", 500], "--shuffle-buffer was 600 and is 500"),
        (["--set", "gamma=2"], "--set was ['n_components=20'] and is ['n_components=20', 'gamma=2']"),
        (["--task", "classification"], "--task was 'auto' and is 'classification'"),
        (["--scale", "none"], "--scale was 'unit_variance' and is 'none'"),
        (["--skip-bad-lines"], "--skip-bad-lines was False and is True"),
    ],
)  # fmt: skip
def test_other_options_are_refused(more: list[Any], words: str, tmp_path: Path) -> None:
    arguments, path = started(tmp_path)
    before = path.read_bytes()
    said = fails(1, *arguments, "--resume", *more)
    assert f"{path} is the checkpoint of another run: {words}" in said.replace("\n", "")
    assert path.read_bytes() == before


def test_other_data_are_refused(tmp_path: Path) -> None:
    arguments, _ = started(tmp_path)
    with open(tmp_path / "rows.svm", "a") as file:
        file.write("1 1:5000 2:3\n")
    assert "svmlight text: bytes was" in fails(1, *arguments, "--resume")


def test_a_damaged_checkpoint_is_an_error(tmp_path: Path) -> None:
    arguments, path = started(tmp_path)
    path.write_bytes(path.read_bytes()[:-100])
    assert "cut short or damaged. Remove it to start anew." in fails(1, *arguments, "--resume")


def test_a_checkpoint_is_a_model(tmp_path: Path) -> None:
    _, path = started(tmp_path)
    assert len(load(path).predict([[5000, 3.0]])) == 1
    assert len(ok("predict", path, tmp_path / "rows.svm", "-q").stdout.splitlines()) == 3000


def test_wrong_usage(tmp_path: Path) -> None:
    rows = svmlight(tmp_path / "rows.svm")
    assert "--resume needs --checkpoint" in fails(2, "train", rows, "--resume")
    here = ["train", rows, "-o", tmp_path / "m", "--checkpoint", tmp_path / "c"]
    assert "--every 5 days: give a time, as in" in fails(2, *here, "--every", "5 days")
    assert "is the file of --output" in fails(2, *here[:-1], tmp_path / "m")
    assert "does not exist" in fails(2, *here[:-1], tmp_path / "nowhere" / "c")
    assert "learns all rows at once" in fails(2, *here, "-l", "csvrg")
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize(
    "text, expected", [("90", 90), ("1.5 min", 90), ("2m", 120), (".5h", 1800)]
)
def test_times(text: str, expected: float) -> None:
    assert checkpoints.seconds(text) == expected


@pytest.mark.parametrize("stop_after", [6000, 9000])
def test_a_pipe_is_taken_up_by_its_rows(stop_after: int, tmp_path: Path) -> None:
    text = svmlight(tmp_path / "rows.svm", 12_000).read_bytes()
    arguments = [
        "train", "-", *FOGD, "--classes=-1,1", "--n-features", 2, "--set", "gamma=0.5",
        "--shuffle-buffer", 600, "--every", 0, "--checkpoint", tmp_path / "c",
    ]  # fmt: skip
    ok(*arguments[:-2], "-o", tmp_path / "whole", stdin=text)
    run = process(*arguments, "-o", tmp_path / "m")
    assert run.stdin is not None
    run.stdin.write(b"".join(text.splitlines(keepends=True)[:stop_after]))
    run.stdin.flush()  # and no end: it waits
    wait_for_rows(tmp_path / "c", run)
    run.kill()
    run.communicate()
    result = ok(*arguments, "-o", tmp_path / "m", "--resume", stdin=text)
    assert not result.stderr
    assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()
