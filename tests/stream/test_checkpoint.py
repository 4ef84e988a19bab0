"""Checkpointed runs: stopped anywhere and taken up again, they end in the same model, byte for byte."""

from __future__ import annotations

import json
import lzma
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from onkel import BSGDClassifier, FOGDClassifier, FOGDRegressor, TableEncoder, make_stream_pipeline
from onkel.io import NotSavable, load, save
from onkel.stream import (
    CheckpointError,
    Stream,
    chained,
    checkpointed,
    open_stream,
    prefetched,
    scaled,
    shuffled,
)

ROWS = 600
rng = np.random.default_rng(2)
X = rng.normal(size=(ROWS, 2)).round(3)
Y = np.where(X[:, 0] * X[:, 1] > 0, 1, -1)
CLASSES = [-1, 1]


class Crash(Exception):  # noqa: N818
    """What ends a run before its time."""


def fogd() -> FOGDClassifier:
    return FOGDClassifier(n_components=15, gamma=0.5, random_state=0)


def svmlight_xz(path: Path) -> Path:
    lines = [f"{y} 1:{a} 2:{b}\n" for (a, b), y in zip(X * [1000, 0.1], Y)]
    path.write_bytes(lzma.compress("".join(lines).encode()))
    return path


def of_file(folder: Path) -> Stream:
    rows = open_stream(svmlight_xz(folder / "rows.svm.xz"), chunk_rows=60)
    return prefetched(shuffled(scaled(rows, "unit_variance", warm_up=100), 150, 4))


def of_table(folder: Path) -> Stream:
    jobs = np.array(["cook", "clerk", "pilot", ""])[np.arange(ROWS) * 7 // 5 % 4]
    lines = [f"{a},{job},{y}\n" for (a, _), job, y in zip(X, jobs, Y)]
    (folder / "rows.csv").write_text("size,job,y\n" + "".join(lines))
    rows = open_stream(folder / "rows.csv", target="y", raw=True, chunk_rows=50)
    return prefetched(shuffled(rows, 150, 4))


def encoded() -> Any:
    return make_stream_pipeline(TableEncoder(look=128), fogd())


def of_arrays(folder: Path) -> Stream:
    rows = open_stream((X, Y), chunk_rows=75)
    return chained([shuffled(rows, 150, epoch) for epoch in range(2)])


def learn(run: Any, chunks: int = 10**9) -> Any:
    """Learn so many chunks, then crash; all of them, and return the model."""
    for X, y in run:
        if not chunks:
            raise Crash
        run.model.partial_fit(X, y, classes=CLASSES)
        run.notes["seen"] = run.notes.get("seen", 0) + len(y)
        chunks -= 1
    return run.model


def content(model: Any, folder: Path) -> bytes:
    save(model, folder / "saved")
    return (folder / "saved").read_bytes()


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("onkel.stream.shuffle.LEAST_ROWS", 50)


@pytest.mark.parametrize("make, model", [(of_file, fogd), (of_arrays, fogd), (of_table, encoded)])
def test_a_run_that_crashes_anywhere_ends_in_the_same_model(
    make: Callable[[Path], Stream], model: Callable[[], Any], tmp_path: Path
) -> None:
    whole = learn(checkpointed(make(tmp_path), model(), tmp_path / "whole", every=0))
    plain = model()
    for rows, labels in make(tmp_path):
        plain.partial_fit(rows, labels, classes=CLASSES)
    assert content(whole, tmp_path) == content(plain, tmp_path)  # saving changes nothing
    sizes = [len(y) for _, y in make(tmp_path)]
    for first in range(len(sizes) - 1):
        path = tmp_path / f"crashed_{first}"
        for chunks in (first, 1):  # and once more soon after
            with pytest.raises(Crash):
                learn(checkpointed(make(tmp_path), model(), path, every=0), chunks)
        run = checkpointed(make(tmp_path), model(), path, every=0)
        assert run.resumed and run.notes["seen"] == sum(sizes[: first + 1])
        assert content(learn(run), tmp_path) == content(whole, tmp_path)
        assert path.read_bytes() == (tmp_path / "whole").read_bytes()


def test_what_is_done_is_done(tmp_path: Path) -> None:
    whole = learn(checkpointed((X, Y), fogd(), tmp_path / "c"))
    again = checkpointed((X, Y), fogd(), tmp_path / "c")
    assert list(again) == []
    assert content(again.model, tmp_path) == content(whole, tmp_path)
    assert load(tmp_path / "c").t_ == ROWS  # it is a model file as well


def test_the_users_own_iterator_is_taken_up_by_its_rows(tmp_path: Path) -> None:
    def pairs() -> Iterator[Any]:
        for start in range(0, ROWS, 50):
            yield X[start : start + 50], Y[start : start + 50]

    whole = learn(checkpointed(pairs(), fogd(), tmp_path / "whole"))
    with pytest.raises(Crash):
        learn(checkpointed(pairs(), fogd(), tmp_path / "c", every=0), 5)
    run = checkpointed(pairs(), fogd(), tmp_path / "c", every=0)
    assert run.model.t_ == 250
    assert content(learn(run), tmp_path) == content(whole, tmp_path)


def test_notes_come_back(tmp_path: Path) -> None:
    stream = open_stream((X, Y), chunk_rows=100)
    run = checkpointed(stream, fogd(), tmp_path / "c", every=0)
    run.notes |= {"rates": [], "seen": 0}
    for number, (_, y) in enumerate(run):
        if number == 3:
            break
        run.notes["seen"] += len(y)
        run.notes["rates"].append(0.5)
    again = checkpointed(stream, fogd(), tmp_path / "c")
    assert again.notes == {"rates": [0.5] * 3, "seen": 300}


def test_one_checkpoint_every_so_many_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("onkel.stream.checkpoint.time.monotonic", lambda: now[0])
    run = checkpointed(open_stream((X, Y), chunk_rows=100), fogd(), tmp_path / "c", every=5)
    saved = []
    for rows, labels in run:
        saved.append(getattr(load(tmp_path / "c"), "t_", 0))
        run.model.partial_fit(rows, labels, classes=CLASSES)
        now[0] += 2
    assert saved == [0, 0, 0, 300, 300, 300]
    assert load(tmp_path / "c").t_ == ROWS


# -- Ctrl-C ------------------------------------------------------------------------------------


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


def test_ctrl_c_saves_when_the_chunk_is_learned(tmp_path: Path) -> None:
    run = checkpointed(open_stream((X, Y), chunk_rows=100), fogd(), tmp_path / "c")
    with pytest.raises(KeyboardInterrupt, match=r"what was learned is in .*: run it again"):
        for rows, labels in run:
            interrupt()
            run.model.partial_fit(rows, labels, classes=CLASSES)
    assert load(tmp_path / "c").t_ == 100
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    whole = learn(checkpointed(open_stream((X, Y), chunk_rows=100), fogd(), tmp_path / "whole"))
    again = checkpointed(open_stream((X, Y), chunk_rows=100), fogd(), tmp_path / "c")
    assert content(learn(again), tmp_path) == content(whole, tmp_path)


def test_the_second_ctrl_c_does_not_wait(tmp_path: Path) -> None:
    run = checkpointed(open_stream((X, Y), chunk_rows=100), fogd(), tmp_path / "c")
    with pytest.raises(KeyboardInterrupt):
        for _ in run:
            interrupt()
            interrupt()
            raise AssertionError("this is never reached")
    assert not hasattr(load(tmp_path / "c"), "t_")  # the chunk was not learned


def test_ctrl_c_while_waiting_for_rows_saves_at_once(tmp_path: Path) -> None:
    def pairs() -> Iterator[Any]:
        yield X[:100], Y[:100]
        interrupt()
        yield X[100:], Y[100:]

    with pytest.raises(KeyboardInterrupt, match="run it again"):
        learn(checkpointed(pairs, fogd(), tmp_path / "c"))
    assert load(tmp_path / "c").t_ == 100


def test_ctrl_c_while_a_checkpoint_is_written_does_not_lose_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = checkpointed(open_stream((X, Y), chunk_rows=100), fogd(), tmp_path / "c", every=0)
    with pytest.raises(KeyboardInterrupt, match="run it again"):
        for number, (rows, labels) in enumerate(run, 1):
            run.model.partial_fit(rows, labels, classes=CLASSES)
            if number == 3:
                monkeypatch.setattr("onkel.io.archive.json.dumps", interrupted_once(json.dumps))
    assert load(tmp_path / "c").t_ == 300


def interrupted_once(do: Callable[..., Any]) -> Callable[..., Any]:
    waiting = [interrupt]

    def careless(*arguments: Any, **options: Any) -> Any:
        if waiting:
            waiting.pop()()
        return do(*arguments, **options)

    return careless


def test_a_handler_of_the_users_own_is_left_alone(tmp_path: Path) -> None:
    seen = []
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        run = checkpointed((X, Y), fogd(), tmp_path / "c")
        for _ in run:
            interrupt()
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [signal.SIGINT]


# -- what is refused ---------------------------------------------------------------------------


def stopped(folder: Path) -> Path:
    with pytest.raises(Crash):
        learn(checkpointed(of_file(folder), fogd(), folder / "c", every=0), 3)
    return folder / "c"


def test_another_run_is_refused_and_the_checkpoint_stays(tmp_path: Path) -> None:
    path = stopped(tmp_path)
    before = path.read_bytes()
    file = tmp_path / "rows.svm.xz"

    def rows(**options: Any) -> Stream:
        return open_stream(file, **({"chunk_rows": 60} | options))

    def staged(rows: Stream, warm_up: int = 100, buffer: int = 150, seed: int = 4) -> Stream:
        return shuffled(scaled(rows, "unit_variance", warm_up=warm_up), buffer, seed)

    wrong: list[tuple[Any, Any, str]] = [
        (staged(rows(), seed=5), fogd(), "shuffled: random_state was 4 and is 5"),
        (staged(rows(), buffer=160), fogd(), "shuffled: half of buffer_rows was 75 and is 80"),
        (staged(rows(), warm_up=99), fogd(), "scaled: warm_up was 100 and is 99"),
        (staged(rows(chunk_rows=61)), fogd(), "svmlight text: chunk_rows was 60 and is 61"),
        (scaled(rows()), fogd(), "stream: stream was 'shuffled' and is 'scaled'"),
        (staged(rows()), fogd().set_params(gamma=0.4), "FOGDClassifier: gamma was 0.5 and is 0.4"),
        (staged(rows()), BSGDClassifier(), "class was 'FOGDClassifier' and is 'BSGDClassifier'"),
    ]
    for stream, model, words in wrong:
        untouched = vars(model).copy()
        with pytest.raises(CheckpointError, match=f"checkpoint of another run: .*{words}"):
            checkpointed(stream, model, path)
        assert vars(model) == untouched and path.read_bytes() == before
    file.write_bytes(lzma.compress(lzma.decompress(file.read_bytes()) + b"1 1:2\n"))
    with pytest.raises(
        CheckpointError, match=r"text: digest of its beginning was .* or remove it to start"
    ):
        checkpointed(staged(rows()), fogd(), path)


def test_a_damaged_checkpoint_says_so(tmp_path: Path) -> None:
    path = stopped(tmp_path)
    whole = path.read_bytes()
    for size in (0, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(CheckpointError, match=r"cannot be read .* Remove it to start anew"):
            checkpointed(of_file(tmp_path), fogd(), path)
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :])
    with pytest.raises(CheckpointError, match=r"cannot be read .* Remove it to start anew"):
        checkpointed(of_file(tmp_path), fogd(), path)


def test_a_model_file_is_no_checkpoint(tmp_path: Path) -> None:
    save(fogd(), tmp_path / "m")
    with pytest.raises(CheckpointError, match="is a model file, not a checkpoint"):
        checkpointed((X, Y), fogd(), tmp_path / "m")
    assert load(tmp_path / "m").gamma == 0.5


def test_what_cannot_be_saved_is_refused_before_anything_is_learned(tmp_path: Path) -> None:
    with pytest.raises(NotSavable, match=r"kernel=.* cannot be saved: it is a function"):
        checkpointed((X, Y), BSGDClassifier(kernel=np.dot), tmp_path / "c")
    with pytest.raises(FileNotFoundError, match="make the folder first"):
        checkpointed((X, Y), fogd(), tmp_path / "nowhere" / "c")
    with pytest.raises(ValueError, match="every must be a number of seconds of at least 0, got -1"):
        checkpointed((X, Y), fogd(), tmp_path / "c", every=-1)
    assert list(tmp_path.iterdir()) == []


def test_a_checkpoint_that_cannot_be_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = open_stream((X, Y / 2), chunk_rows=100)
    run = checkpointed(
        stream, FOGDRegressor(n_components=15, random_state=0), tmp_path / "c", every=0
    )
    before = (tmp_path / "c").read_bytes()

    def full(*arguments: Any, **options: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numpy.lib.format.write_array", full)
    with pytest.raises(OSError, match="No space left"):
        for rows, targets in run:
            run.model.partial_fit(rows, targets)
    assert (tmp_path / "c").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["c"]


def test_what_a_killed_run_left_beside_is_cleared_away(tmp_path: Path) -> None:
    (tmp_path / ".c.0123abcd.part").write_bytes(b"half")
    (tmp_path / ".c2.0123abcd.part").write_bytes(b"another's")
    checkpointed((X, Y), fogd(), tmp_path / "c")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".c2.0123abcd.part", "c"]
