"""The command line as a process: pipes in, pipes out, readers that leave, and Ctrl-C."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time

import pytest

from tests.cli.files import ok, process, svmlight
from tests.patience import FOR_AN_ANSWER

pty = pytest.importorskip(
    "pty", reason="needs terminals and signals of POSIX", exc_type=ImportError
)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("processes")
    ok("train", svmlight(folder / "train.svm"), "-l", "fogd", "-o", folder / "m.onkel")
    return folder / "m.onkel"


def test_rows_come_in_by_a_pipe(model):
    predict = process("predict", model, "-", "--json")
    out, errors = predict.communicate(b"1 1:5900 2:3.001\n-1 1:4100 2:3\n", timeout=FOR_AN_ANSWER)
    assert [json.loads(line)["prediction"] for line in out.splitlines()] == [1, -1]
    assert predict.returncode == 0
    assert errors == b"2 rows, 100.00% agree with the labels in the file\n"


def test_every_row_of_a_slow_pipe_is_answered_before_the_next_one_comes(model):
    predict = process("predict", model, "-", "-q")
    assert predict.stdin and predict.stdout
    for row, answer in [(b"1 1:5900 2:3.001\n", b"1\n"), (b"1 1:4100 2:3\n", b"-1\n")]:
        predict.stdin.write(row)
        predict.stdin.flush()
        ready = select.select([predict.stdout], [], [], FOR_AN_ANSWER)[0]
        assert ready and predict.stdout.readline() == answer
    predict.stdin.close()
    assert predict.wait(FOR_AN_ANSWER) == 0


def test_a_reader_that_leaves_early_is_no_error(model, tmp_path):
    (tmp_path / "many.svm").write_bytes(b"1 1:5900 2:3.001\n" * 50_000)
    predict = process("predict", model, tmp_path / "many.svm", "-q")
    assert predict.stdout and predict.stderr
    assert predict.stdout.readline() == b"1\n"
    predict.stdout.close()  # as head -1 does, long before all is said
    assert predict.stderr.read() == b""
    assert predict.wait(FOR_AN_ANSWER) == 0


def test_ctrl_c_ends_with_130_and_no_traceback(tmp_path):
    goal = tmp_path / "m.onkel"
    train = process(
        "train", "-", "--classes=-1,1", "--n-features", 2, "-l", "fogd", "-o", goal,
        start_new_session=True,
    )  # fmt: skip
    assert train.stdin and train.stderr
    rows = svmlight(tmp_path / "rows.svm", n=20_000).read_bytes()
    train.stdin.write(rows)
    train.stdin.flush()
    assert b"FOGDClassifier" in train.stderr.readline()  # it is up and reads on
    time.sleep(0.2)
    os.killpg(train.pid, signal.SIGINT)
    errors = train.stderr.read()
    assert train.wait(FOR_AN_ANSWER) == 130
    assert errors.endswith(b"onkel: interrupted\n") and b"Traceback" not in errors
    assert list(tmp_path.iterdir()) == [tmp_path / "rows.svm"]


def test_a_live_line_on_a_terminal(tmp_path):
    ours, theirs = pty.openpty()
    path = svmlight(tmp_path / "rows.svm", n=9000)
    train = subprocess.Popen(
        [*process_words(), "train", str(path), "-l", "fogd", "-o", str(tmp_path / "m")],
        stdout=subprocess.PIPE, stderr=theirs, env=os.environ | {"TERM": "xterm", "COLUMNS": "150"},
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # how a terminal says that nobody writes any more
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    assert train.stdout and train.wait(FOR_AN_ANSWER) == 0
    assert b"rows/s" in shown and b"mistakes" in shown and b"\x1b[" in shown
    assert train.stdout.read().startswith(str(tmp_path / "m").encode())


def process_words() -> list[str]:
    import sys

    return [sys.executable, "-m", "onkel.cli"]
